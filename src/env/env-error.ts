/**
 * The one table of reasons that a request can be refused for, with their gRPC codes.
 * Reasons in lower case (`cell_occupied`, ...) belong to the games: they say why an action is not legal.
 */
export const ERROR_CODES = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const

export type ErrorCode = keyof typeof ERROR_CODES

/** What each reason means. */
export const ERROR_REASONS = {
  MALFORMED_MESSAGE: ['INVALID_ARGUMENT', 'the bytes are no message of the contract'],
  UNKNOWN_FIELD: ['INVALID_ARGUMENT', 'a field that the message does not have'],
  BAD_FIELD: ['INVALID_ARGUMENT', 'a field of the wrong type or out of its range'],
  MISSING_FIELD: ['INVALID_ARGUMENT', 'a field without a default is absent'],
  CONFLICTING_FIELDS: ['INVALID_ARGUMENT', 'two fields that exclude each other'],
  UNKNOWN_CONFIG_KEY: ['INVALID_ARGUMENT', 'the game has no such config key'],
  BAD_CONFIG_VALUE: ['INVALID_ARGUMENT', 'a config value of the wrong type or out of its range'],
  BAD_SEED: ['INVALID_ARGUMENT', 'a seed that is not a canonical decimal integer of at most 64 digits'],
  SEEDS_MISMATCH: ['INVALID_ARGUMENT', 'not one seed a row'],
  EPISODES_MISMATCH: ['INVALID_ARGUMENT', 'not one episode number a row, or episodes without seeds'],
  BAD_RESET_MASK: ['INVALID_ARGUMENT', 'not one byte of 0 or 1 a row'],
  BAD_OPTION: ['INVALID_ARGUMENT', 'an unknown reset option or a bad value of one'],
  ACTIONS_MISMATCH: ['INVALID_ARGUMENT', 'not one action a row'],
  ACTION_OUT_OF_RANGE: ['INVALID_ARGUMENT', 'an action outside the action space'],
  ROW_OUT_OF_RANGE: ['INVALID_ARGUMENT', 'a row that the environment does not have'],
  BAD_POSITION: ['INVALID_ARGUMENT', 'a position that the game does not allow'],
  BAD_REPLAY: ['INVALID_ARGUMENT', 'a replay that does not verify'],
  UNKNOWN_GAME: ['NOT_FOUND', 'no game has this id'],
  UNKNOWN_ENV: ['NOT_FOUND', 'no environment of this client has this id'],
  RESET_REQUIRED: ['FAILED_PRECONDITION', 'a row was never reset, or its episode is over'],
  NOT_RECORDING: ['FAILED_PRECONDITION', 'the environment was made without record'],
  NO_FINISHED_EPISODE: ['FAILED_PRECONDITION', 'the row has no finished or closed episode yet'],
  LIVE_REPLAY_NOT_ALLOWED: ['FAILED_PRECONDITION', 'the server gives no replay of an episode in play'],
  TOO_MANY_ENVS: ['RESOURCE_EXHAUSTED', 'more environments than the server allows'],
  TOO_MANY_SESSIONS: ['RESOURCE_EXHAUSTED', 'more sessions than the server allows'],
  TOO_MANY_ROWS: ['RESOURCE_EXHAUSTED', 'more rows in all than the server allows'],
  TOO_MANY_REQUESTS: ['RESOURCE_EXHAUSTED', 'more unary calls under way than the server allows'],
  MESSAGE_TOO_LARGE: ['RESOURCE_EXHAUSTED', 'a message over the size limit, or an answer that would be'],
  UNAUTHENTICATED: ['UNAUTHENTICATED', 'no token, or another one than the server’s'],
  NOT_IN_THIS_GAME: ['UNIMPLEMENTED', 'the game has no such thing'],
  INTERNAL: ['INTERNAL', 'a fault of the server’s own'],
} as const satisfies Record<string, readonly [ErrorCode, string]>

export type ErrorReason = keyof typeof ERROR_REASONS

/** A request that is refused; whoever throws it has changed nothing. Messages never hold a seed. */
export class EnvError extends Error {
  readonly code: ErrorCode
  readonly reason: string
  readonly metadata: { readonly [key: string]: string }

  constructor(code: ErrorCode, reason: string, message: string, metadata: { [key: string]: string } = {}) {
    super(message)
    this.name = 'EnvError'
    this.code = code
    this.reason = reason
    this.metadata = metadata
  }
}

/** An EnvError of a reason in the table. */
export function envError(reason: ErrorReason, message: string, metadata: { [key: string]: string } = {}) {
  return new EnvError(ERROR_REASONS[reason][0], reason, message, metadata)
}
