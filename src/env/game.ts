/**
 * The interfaces every game implements. They know nothing of batches, time limits, transports or messages.
 *
 * A game is a folder that exports one `Game`. Its `State` is plain data (numbers, strings, arrays, plain
 * objects, typed arrays), allocated once per sub-environment by `createState` and changed in place; `step`
 * allocates nothing. Because it is plain data, `structuredClone(state)` is a true copy.
 */

/** Any JSON value, as used by the native action grammar and by replays. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** A board cell: row 0 is the top, col 0 the left. */
export interface Cell {
  readonly row: number
  readonly col: number
}

/** Why an action is not legal: the reason code, the cells to blame (may be empty) and one English sentence. */
export interface Refusal {
  readonly reason: string
  readonly cells: readonly Cell[]
  readonly message: string
}

/** One key of a game's configuration; `default` holds when the key is absent. */
export type ConfigKey =
  | {
      readonly type: 'integer'
      readonly min: number
      readonly max: number
      readonly default: number
      readonly description: string
    }
  | { readonly type: 'boolean'; readonly default: boolean; readonly description: string }
  | {
      readonly type: 'choice'
      readonly values: readonly string[]
      readonly default: string
      readonly description: string
    }

/** The keys a game's configuration accepts; unknown keys are refused by the core. */
export type ConfigSchema = { readonly [key: string]: ConfigKey }

/** A complete, checked configuration: every key of the schema has a value of its type, within its bounds. */
export type Config = { readonly [key: string]: number | boolean | string }

/** A typed array that holds one observation of every row: `[num_envs, *shape]`, row-major. */
export type ObservationArray = Uint8Array | Int32Array

/** How an observation is packed on the wire under PACKED: not at all, one bit or four bits an element. */
export type Packing = 'none' | 'bits' | 'nibbles'

/** One named observation array. */
export interface ArraySpec {
  readonly name: string
  /** `discrete` has shape `[]` and one value in 0..nvec[0]-1; `multi_discrete` has shape `[nvec.length]`. */
  readonly kind: 'box' | 'discrete' | 'multi_discrete'
  /** `discrete` and `multi_discrete` are always `int32`. */
  readonly dtype: 'uint8' | 'int32'
  readonly shape: readonly number[]
  /** Inclusive bounds: one value for the whole array, or one per element in row-major order. */
  readonly low: readonly number[]
  readonly high: readonly number[]
  /** Numbers of categories; only for `discrete` and `multi_discrete`. */
  readonly nvec?: readonly number[]
  readonly packing: Packing
  /** One sentence for the documentation. */
  readonly description: string
}

/** The observation: a flat, ordered list of named arrays. */
export type ObservationSpec = readonly ArraySpec[]

/** The rules of a game for one sub-environment. */
export interface Rules<State> {
  /** Allocates a state; it must be `reset` before use. */
  createState(): State
  /** Starts the episode of a seed: a canonical decimal integer of any size and sign. Total; never throws. */
  reset(state: State, seed: string): void
  /** Plays a legal action and returns the score change. The caller has checked legality with the mask. */
  step(state: State, action: number): number
  /** Whether the game is over. */
  isTerminal(state: State): boolean
  /** Writes `numActions` bytes from `offset`: 1 where `step` would accept the action now, else 0. */
  writeMask(state: State, out: Uint8Array, offset: number): void
  /** The first reason that holds for an action in 0..numActions-1, or undefined when it is legal. */
  explain(state: State, action: number): Refusal | undefined
  /**
   * Optional. Does one unit of work that a later `step` would otherwise have to do (the next deal, the next
   * level) and returns true, or returns false when nothing is left to do. Never changes any result.
   */
  prepareStep?(state: State): boolean
  /** Optional. The same for a later `reset(state, seed)`; may be followed by a reset to another seed. */
  prepareReset?(state: State, seed: string): boolean
  /**
   * Optional. Told, after a reset, the seed that the next one will most likely have, so that work for it can join
   * other work. Takes a few microseconds at most; never changes any result.
   */
  expectReset?(state: State, seed: string): void
}

/** Turns a state into what a player may see. Nothing hidden (seed, generator, later pieces) goes in. */
export interface Encoder<State> {
  readonly spec: ObservationSpec
  /** Writes row `row` of every array of `out`, which follows `spec` in order and dtype. */
  encode(state: State, out: readonly ObservationArray[], row: number): void
  /** The observation as text for people and language models; at the end it says why the game is over. */
  renderText(state: State): string
}

/**
 * Optional fast path for the PACKED wire encoding. Must equal packing the dense form; a test holds it to that.
 * `out[i]` has `ceil(elements * bits / 8)` bytes a row (`bits`: 1, 4, or the dtype's own size), low bits first.
 */
export interface PackedWriter<State> {
  encode(state: State, out: readonly Uint8Array[], row: number): void
  /** Writes the mask as little-endian 64-bit words: bit `a % 64` of word `a / 64` of row `row` is action `a`. */
  writeMask(state: State, out: Uint8Array, row: number): void
}

/** Figures for reporting, never for the policy. `score` comes first. */
export interface Outcomes<State> {
  readonly names: readonly string[]
  /** Writes `names.length` values from `offset`. */
  write(state: State, out: Int32Array, offset: number): void
}

/** The rules' own action grammar. */
export interface Native<State> {
  /** The native form of an action number in 0..numActions-1. */
  toNative(action: number): Json
  /** The action number of a native action, or a refusal such as `unknown_action`. */
  fromNative(json: Json, state: State): number | Refusal
  /** A short, unique, stable name for an action number, such as `r1x4`. */
  name(action: number): string
}

/** Where a placement lands. */
export interface Placement {
  /** The board row of the shape's top-left anchor. */
  readonly row: number
  readonly col: number
  /** The board cells that the piece covers. */
  readonly cells: readonly Cell[]
}

/** What placements lead to, before any new draw, so that nothing hidden is revealed. */
export interface Afterstates<State> {
  /** The board after placing and clearing: its array spec (the observation's `board`). */
  readonly board: ArraySpec
  /**
   * Writes the board after a legal placement `action` into `out` (dense, `board.shape` elements) and returns
   * the lines cleared and the reward. The state is unchanged. Actions that place nothing give undefined.
   */
  after(state: State, action: number, out: Uint8Array): { lines: number; reward: number } | undefined
  /** Builds the state of a position that a caller gives, or says what is wrong with it. */
  fromPosition(position: Position): State | Refusal
  /** Optional. Looks further ahead, over what the player can already see. */
  readonly search?: AfterstateSearch<State>
}

/** A beam search over sequences of placements of the pieces in sight; like a player, it knows no later piece. */
export interface AfterstateSearch<State> {
  /** The most actions of a sequence. */
  readonly depth: number
  /** The figures that `SearchResults.figures` holds. */
  readonly figures: readonly string[]
  /**
   * Writes the best sequences of at most `depth` actions, best first, from entry `at` on; returns how many, at most
   * `most`: 0 when the game is over. Best means by reward plus value, with `learned` as that says. The state is
   * unchanged.
   */
  run(
    state: State,
    beamWidth: number,
    depth: number,
    out: SearchResults,
    at: number,
    most?: number,
    learned?: LearnedValue,
  ): number
  /** How many weights a learned value has here; absent where the search takes none. */
  readonly learnedWeights?: number
}

/** A learned value: positions rank by reward + handFactor * hand-made value + learnedFactor * learned value. */
export interface LearnedValue {
  /** [learnedWeights] float32 table entries; never changed, only replaced by another array. */
  readonly weights: Float32Array
  readonly handFactor: number
  readonly learnedFactor: number
}

/** Sequences of actions and where they lead, before anything new is drawn. */
export interface SearchResults {
  /** [n, AfterstateSearch.depth] int32 action numbers, -1 behind the last. */
  readonly sequences: Int32Array
  /** [n, *board.shape] uint8 the board after the sequence. */
  readonly boards: Uint8Array
  /** [n] int32 lines cleared in all. */
  readonly lines: Int32Array
  /** [n] float32 the score gained in all. */
  readonly rewards: Float32Array
  /** [n, figures] int32 figures after the sequence. */
  readonly figures: Int32Array
  /** [n] float32 the hand-made value of the board and figures, without the reward. */
  readonly values: Float32Array
  /** [n] float32 the learned value, 0 where none is given. */
  readonly learned: Float32Array
}

/** A position given by a caller in place of an environment. */
export interface Position {
  /** `board.shape` elements, dense, as in the observation. */
  readonly board: Uint8Array
  /** Stackcraft: the current piece, 1..7. */
  readonly piece?: number
  /** Tray games: three catalogue numbers as in `tray_piece`, 0 when spent. */
  readonly tray?: readonly number[]
  /** Other visible figures by their observation name (`score`, `streak`, `combo`, ...); absent ones are 0. */
  readonly figures: { readonly [name: string]: number }
}

/** Options of reset that stand in place of a seed. */
export interface ResetOptions {
  readonly names: readonly string[]
  /**
   * The game seed for these options (all keys are among `names`), and what a replay stores beside it, or a
   * refusal. `nowMs` is the time in milliseconds since 1970, UTC.
   */
  resolve(
    options: { readonly [name: string]: string },
    nowMs: number,
  ): { readonly seed: string; readonly replay: { readonly [key: string]: Json } } | Refusal
}

/** A grid of consecutive action numbers: `first + row * cols + col`. */
export interface MaskGrid {
  /** What its actions share, such as `rotation 0` or `piece 2`. */
  readonly title: string
  readonly rows: number
  readonly cols: number
  readonly first: number
}

/** A key for an action: one character, or `up`, `down`, `left` or `right`. */
export interface KeyBinding {
  readonly key: string
  readonly action: number
  /** One or two words for the list of keys. */
  readonly label: string
}

/** A game made ready with one configuration. */
export interface GameInstance<State> {
  readonly numActions: number
  readonly rules: Rules<State>
  readonly encoder: Encoder<State>
  readonly packed?: PackedWriter<State>
  readonly outcomes: Outcomes<State>
  readonly native: Native<State>
  /** Where an action would land, for actions that place something; undefined for others. */
  placement?(state: State, action: number): Placement | undefined
  readonly afterstates?: Afterstates<State>
  readonly resetOptions?: ResetOptions
  /** Optional. The actions that make up grids, for pictures of the mask and for a person's cursor. */
  readonly maskLayout?: readonly MaskGrid[]
  /** Optional. Keys for a person at a terminal, for actions that no grid holds. */
  readonly keys?: readonly KeyBinding[]
}

/** One game: the single export of its folder's game.ts. */
export interface Game<State = unknown> {
  /** The id on the wire, such as `Stackcraft-v1`. */
  readonly id: string
  /** The rules version in replays, such as `stackcraft-v1`; a change that alters one trajectory is a new one. */
  readonly rulesVersion: string
  /** The name for people, such as `Stackcraft`. */
  readonly title: string
  readonly configSchema: ConfigSchema
  /** Optional. Replays leave the configuration out, because it changes only what is shown. */
  readonly replayOmitsConfig?: true
  /** Accepted values of `reward`; each is an outcome's name and rewards are that outcome's change. First: `score`. */
  readonly rewards: readonly string[]
  create(config: Config): GameInstance<State>
}
