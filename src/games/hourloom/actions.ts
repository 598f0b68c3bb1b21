/** Action numbers 5 and 6; 0..4 are the inputs of tiles.ts. */
export const DESCEND = 5
export const END_RUN = 6
export const NUM_ACTIONS = 7

/** The name of each action, by number. */
export const ACTION_NAMES = ['N', 'E', 'S', 'W', 'WAIT', 'DESCEND', 'END_RUN'] as const
