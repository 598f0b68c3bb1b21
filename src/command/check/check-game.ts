import { addToSeed } from '../../env/seeds.ts'
import { below, seeded } from '../../random/seeded.ts'
import type { GameInfoMessage } from '../../session/message-types.ts'
import { AUTORESET_MODES } from '../../session/messages.ts'
import { type AuditedGame, Auditor, type Counts, type Failure } from './audit.ts'
import { type ContractClient, ServerRefusal } from './contract-client.ts'
import { checkMode, MODES } from './modes.ts'
import { EpisodePlayer } from './player.ts'
import { shrink } from './shrink.ts'

export interface CheckSettings {
  readonly config: { readonly [key: string]: string }
  /** Positions to look at. */
  readonly states: number
  /** The first seed, of at most 60 digits. */
  readonly seed: string
}

/** What the check of one game came to. */
export interface CheckReport {
  readonly counts: Counts
  /** The failure with the shortest episode that was found, and that episode as a replay. */
  readonly failure?: Failure & { readonly replay: string }
}

/** Steps of each batch in each autoreset mode. */
const MODE_STEPS = 60

/** Checks what a server says of a game's masks: in sampled positions, and in batches of every autoreset mode. */
export async function checkGame(
  client: ContractClient,
  info: GameInfoMessage,
  settings: CheckSettings,
): Promise<CheckReport> {
  const { gameId, spec } = info
  const game: AuditedGame = { ...spec, gameId, config: settings.config }
  const auditor = await Auditor.create(client, game)
  const player = await EpisodePlayer.create(client, game)
  try {
    const failure =
      (await checkPositions(auditor, player, settings)) ?? (await checkModes(client, game, settings.seed))
    const counts = { ...auditor.counts }
    if (failure === undefined) return { counts }
    return { counts, failure: { ...failure, replay: await replayOf(client, game, failure) } }
  } finally {
    await player.close()
    await auditor.close()
  }
}

async function checkPositions(
  auditor: Auditor,
  player: EpisodePlayer,
  { states, seed: first }: CheckSettings,
): Promise<Failure | undefined> {
  const random = seeded('check')
  for (let i = 0; i < states; i++) {
    const seed = addToSeed(first, i)
    const { actions, suspect } = await player.playSuspiciously(seed)
    // The end of an episode is a single position among many, so it gets its share.
    const ply = suspect || i % 4 === 0 ? actions.length : below(random, actions.length + 1)
    const verdict = await auditor.audit(seed, actions.slice(0, ply))
    if (verdict === 'unreachable') {
      return { message: 'the same episode has another mask the second time', seed, actions: [] }
    }
    if (verdict !== undefined) return shrink(auditor, player, verdict)
  }
  return undefined
}

async function checkModes(
  client: ContractClient,
  game: AuditedGame,
  seed: string,
): Promise<Failure | undefined> {
  for (const mode of MODES) {
    const failure = await checkMode(client, game, mode, seed, MODE_STEPS)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** The server's own replay of an episode; where it gives none, the seed and the action numbers. */
async function replayOf(client: ContractClient, game: AuditedGame, failure: Failure): Promise<string> {
  const { gameId, config } = game
  const autoresetMode = AUTORESET_MODES.lastIndexOf('disabled')
  const { envId } = await client.call('makeEnv', { gameId, config, numEnvs: 1, autoresetMode, record: true })
  try {
    const request = { envId, seeds: [failure.seed], episodes: [failure.episode ?? 0] }
    await client.call('reset', request)
    for (const action of failure.actions) await client.call('step', { envId, actions: [action] })
    await client.call('reset', request)
    return (await client.call('saveReplay', { envId })).replayJson
  } catch (error) {
    if (!(error instanceof ServerRefusal)) throw error
    return `seed ${failure.seed}, episode ${failure.episode ?? 0}, actions ${failure.actions.join(' ')}`
  } finally {
    await client.call('closeEnv', { envId })
  }
}
