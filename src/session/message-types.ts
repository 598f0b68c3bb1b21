/**
 * The contract's messages as plain objects: camelCase names, `bytes` as Uint8Array, enums as numbers.
 * In requests an absent scalar is undefined or null; absent lists and maps are empty.
 */

/** A scalar that may be absent. */
type Maybe<T> = T | null | undefined

export type ListGamesRequest = object

export interface MakeEnvRequest {
  readonly gameId?: Maybe<string>
  readonly numEnvs?: Maybe<number>
  readonly config: { readonly [key: string]: string }
  readonly maxEpisodeSteps?: Maybe<number>
  readonly autoresetMode: number
  readonly illegalAction: number
  readonly reward?: Maybe<string>
  readonly wireEncoding: number
  readonly record?: Maybe<boolean>
}

export interface ResetRequest {
  readonly envId?: Maybe<string>
  readonly seed?: Maybe<string>
  readonly seeds: readonly string[]
  readonly episodes: readonly number[]
  readonly resetMask?: Maybe<Uint8Array>
  readonly options: { readonly [key: string]: string }
}

export interface StepRequest {
  readonly envId?: Maybe<string>
  readonly packedActions?: Maybe<Uint8Array>
  readonly actions: readonly number[]
}

export interface RowsRequest {
  readonly envId?: Maybe<string>
  readonly rows: readonly number[]
}

export interface ExplainRequest {
  readonly envId?: Maybe<string>
  readonly row?: Maybe<number>
  readonly actions: readonly number[]
}

export interface PositionMessage {
  readonly gameId?: Maybe<string>
  readonly config: { readonly [key: string]: string }
  readonly board?: Maybe<Uint8Array>
  readonly piece?: Maybe<number>
  readonly tray: readonly number[]
  readonly figures: { readonly [name: string]: number }
}

export interface AfterstatesRequest extends RowsRequest {
  readonly position?: Maybe<PositionMessage>
  readonly beamWidth?: Maybe<number>
  readonly depth?: Maybe<number>
  readonly learnedWeights?: Maybe<Uint8Array>
  readonly learnedPercent?: Maybe<number>
  readonly handPercent?: Maybe<number>
  readonly mostSequences?: Maybe<number>
}

export interface PlayRequest {
  readonly envId?: Maybe<string>
  readonly row?: Maybe<number>
  readonly actionJson?: Maybe<string>
}

export interface RenderRequest {
  readonly envId?: Maybe<string>
  readonly row?: Maybe<number>
}

export interface SaveReplayRequest {
  readonly envId?: Maybe<string>
  readonly row?: Maybe<number>
  readonly live?: Maybe<boolean>
}

export interface VerifyReplayRequest {
  readonly replayJson?: Maybe<string>
}

export interface LoadReplayRequest {
  readonly replayJson?: Maybe<string>
  readonly ply?: Maybe<number>
  readonly wireEncoding: number
  readonly autoresetMode: number
}

export interface CloseEnvRequest {
  readonly envId?: Maybe<string>
}

export interface ObservationSpecMessage {
  readonly name: string
  readonly kind: number
  readonly dtype: number
  readonly shape: readonly number[]
  readonly low: readonly number[]
  readonly high: readonly number[]
  readonly nvec: readonly number[]
  readonly packing: number
  readonly description: string
}

export interface EnvSpecMessage {
  readonly gameId: string
  readonly rulesVersion: string
  readonly observations: readonly ObservationSpecMessage[]
  readonly numActions: number
  readonly actionNames: readonly string[]
  readonly outcomeNames: readonly string[]
  readonly config: { readonly [key: string]: string }
  readonly numEnvs: number
  readonly maxEpisodeSteps: number
  readonly autoresetMode: number
  readonly illegalAction: number
  readonly wireEncoding: number
  readonly reward: string
  readonly record: boolean
  readonly resetOptions: readonly string[]
}

export interface ConfigKeyMessage {
  readonly name: string
  readonly type: string
  readonly defaultValue: string
  readonly min: number
  readonly max: number
  readonly values: readonly string[]
  readonly description: string
}

export interface GameInfoMessage {
  readonly gameId: string
  readonly rulesVersion: string
  readonly title: string
  readonly config: readonly ConfigKeyMessage[]
  readonly rewards: readonly string[]
  readonly spec: EnvSpecMessage
}

export interface ListGamesResponse {
  readonly games: readonly GameInfoMessage[]
  readonly serverVersion: string
}

export interface MakeEnvResponse {
  readonly envId: string
  readonly spec: EnvSpecMessage
}

export interface BatchMessage {
  readonly observations: readonly Uint8Array[]
  readonly actionMasks: Uint8Array
  readonly rewards: Uint8Array
  readonly terminations: Uint8Array
  readonly truncations: Uint8Array
  readonly outcomes: Uint8Array
  readonly refusals: readonly { readonly row: number; readonly action: number; readonly reason: string }[]
  readonly finished: readonly {
    readonly row: number
    readonly return: number
    readonly length: number
    readonly outcomes: readonly number[]
  }[]
  readonly finalActionMasks: Uint8Array
  readonly finalObservations: readonly Uint8Array[]
}

export interface BatchResponse {
  readonly batch: BatchMessage
}

export interface CellMessage {
  readonly row: number
  readonly col: number
}

export interface LegalActionMessage {
  readonly action: number
  readonly name: string
  readonly landing?: CellMessage
  readonly cells: readonly CellMessage[]
}

export interface GetActionMaskResponse {
  readonly masks: readonly {
    readonly row: number
    readonly mask: Uint8Array
    readonly legal: readonly LegalActionMessage[]
  }[]
}

export interface ExplanationMessage {
  readonly action: number
  readonly name: string
  readonly legal: boolean
  readonly reason: string
  readonly cells: readonly CellMessage[]
  readonly message: string
}

export interface ExplainResponse {
  readonly explanations: readonly ExplanationMessage[]
}

export interface AfterstatesResponse {
  readonly rowOffsets: Uint8Array
  readonly actions: Uint8Array
  readonly boards: Uint8Array
  readonly lines: Uint8Array
  readonly rewards: Uint8Array
  readonly boardSpec: ObservationSpecMessage
  readonly sequences?: Uint8Array
  readonly sequenceLength?: number
  readonly figures?: Uint8Array
  readonly figureNames?: readonly string[]
  readonly values?: Uint8Array
  readonly learned?: Uint8Array
}

export interface PlayResponse {
  readonly ok: boolean
  readonly reason: string
  readonly message: string
  readonly text: string
  readonly legalActions: readonly string[]
  readonly score: number
  readonly gameOver: boolean
  readonly reward: number
}

export interface RenderResponse {
  readonly text: string
}

export interface SaveReplayResponse {
  readonly replayJson: string
}

export interface VerifyReplayResponse {
  readonly ok: boolean
  readonly reason: string
  readonly message: string
  readonly ply?: number
  readonly finalJson: string
}

export interface LoadReplayResponse extends MakeEnvResponse, BatchResponse {}

export type CloseEnvResponse = object

export interface ErrorMessage {
  readonly code: string
  readonly reason: string
  readonly message: string
  readonly metadata: { readonly [key: string]: string }
}

/** Every call: its request and its response. */
export interface Calls {
  listGames: [ListGamesRequest, ListGamesResponse]
  makeEnv: [MakeEnvRequest, MakeEnvResponse]
  reset: [ResetRequest, BatchResponse]
  step: [StepRequest, BatchResponse]
  getActionMask: [RowsRequest, GetActionMaskResponse]
  explain: [ExplainRequest, ExplainResponse]
  afterstates: [AfterstatesRequest, AfterstatesResponse]
  play: [PlayRequest, PlayResponse]
  render: [RenderRequest, RenderResponse]
  saveReplay: [SaveReplayRequest, SaveReplayResponse]
  verifyReplay: [VerifyReplayRequest, VerifyReplayResponse]
  loadReplay: [LoadReplayRequest, LoadReplayResponse]
  closeEnv: [CloseEnvRequest, CloseEnvResponse]
}

export type CallName = keyof Calls

/** The answer of some call. */
export type AnyResponse = Calls[CallName][1]
