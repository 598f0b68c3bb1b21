import type { EpisodeRecord } from '../env/episode-recorder.ts'
import type { Json } from '../env/game.ts'
import { finish, type Slices } from '../env/slices.ts'
import { type ReplayGame, SCHEMA_VERSION, type Summary, summaryOf } from './format.ts'
import { ACTIONS_A_SLICE } from './verify.ts'

/** The replay of a recorded episode, as JSON; its actions were legal when they were played. */
export function saveReplay(made: ReplayGame, record: EpisodeRecord): string {
  return finish(saveInSlices(made, record))
}

/** The same in slices. */
export function* saveInSlices(made: ReplayGame, record: EpisodeRecord): Slices<string> {
  const { rules } = made.instance
  const state = rules.createState()
  rules.reset(state, record.seed)
  for (const [ply, action] of record.actions.entries()) {
    if (ply % ACTIONS_A_SLICE === 0) yield
    rules.step(state, action)
  }
  return writeReplay(made, record, summaryOf(made.instance, state))
}

/** The same with a summary that is known. The seed is written digit by digit, as no JSON writer would. */
export function writeReplay(made: ReplayGame, record: EpisodeRecord, summary: Summary): string {
  const { game, config, instance } = made
  const members: [string, string][] = [
    ['schema_version', String(SCHEMA_VERSION)],
    ['rules_version', JSON.stringify(game.rulesVersion)],
    ['seed', record.seed],
  ]
  if (!game.replayOmitsConfig) members.push(['config', JSON.stringify(config)])
  for (const [key, value] of Object.entries(record.replay)) members.push([key, JSON.stringify(value)])
  const actions: Json[] = record.actions.map((action) => instance.native.toNative(action))
  members.push(['actions', JSON.stringify(actions)], ['final', JSON.stringify(summary)])
  return `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
}
