import { allocateDense, elementsOf } from '../env/tensor-spec.ts'
import { GAMES } from '../games/registry.ts'
import type { PlayedReplay } from '../replay/format.ts'
import { verifyReplay } from '../replay/verify.ts'
import { StartError } from '../transport/listen-address.ts'
import { type Arguments, type Command, declareCommand } from './command.ts'
import { print } from './print.ts'
import { loadReplayFile, readReplayText } from './replay-file.ts'

/** `blockloom replay`. */
export const replayCommand: Command = declareCommand({
  name: 'replay',
  usage: 'verify|show|export FILE [OPTIONS]',
  maxPositionals: 2,
  summary: 'verify a replay, show its positions, or export it as JSON lines',
  options: {
    step: { value: 'K', help: ['show: the position after K actions (default: after all of them)'] },
    all: { help: ['show: every position'] },
  },
  notes: [
    'FILE may be - for standard input. verify exits with 1 when the replay is not true.',
    'export writes one JSON object for each position: its observation by name, its legal actions,',
    'and the action that was played there (absent at the end) with its reward.',
  ],
  run: replay,
})

async function replay(given: Arguments): Promise<number> {
  const [what, file] = given.positionals
  if (what !== 'verify' && what !== 'show' && what !== 'export') {
    throw new StartError(`replay what? one of verify, show, export`)
  }
  if (file === undefined) throw new StartError(`replay ${what} needs a file`)
  if (what === 'verify') return verify(file)
  const played = loadReplayFile(file, GAMES)
  return what === 'show' ? show(played, given) : exportLines(played)
}

function verify(file: string): number {
  const verdict = verifyReplay(readReplayText(file).trimEnd(), GAMES)
  if (!verdict.ok) {
    print(`${verdict.fault.reason}: ${verdict.fault.message}\n`)
    return 1
  }
  const { game, actions, summary } = verdict.replay
  const figures = Object.entries(summary).map(([name, value]) => `${name} ${value}`)
  print(`ok: ${game.id}, ${actions.length} actions, ${figures.join(', ')}\n`)
  return 0
}

function show(played: PlayedReplay, given: Arguments): number {
  const { actions, instance } = played
  const step = given.integer('step', 0, actions.length)
  if (step !== undefined && given.flag('all')) throw new StartError('give --step or --all, not both')
  for (const { ply, state } of positions(played)) {
    if (!given.flag('all') && ply !== (step ?? actions.length)) continue
    const action = actions[ply]
    const next = action === undefined ? '' : `, then ${instance.native.name(action)}`
    const text = instance.encoder.renderText(state).trimEnd()
    print(`after ${ply} actions${next}\n${text}\n\n`)
  }
  return 0
}

function exportLines(played: PlayedReplay): number {
  const { actions, instance } = played
  const { spec } = instance.encoder
  const arrays = allocateDense(spec, 1)
  const mask = new Uint8Array(instance.numActions)
  for (const { ply, state, reward } of positions(played)) {
    instance.encoder.encode(state, arrays, 0)
    instance.rules.writeMask(state, mask, 0)
    const observation = spec.map((array, i) => {
      const values = Array.from(arrays[i]!)
      return [array.name, array.kind === 'discrete' && elementsOf(array) === 1 ? values[0] : values]
    })
    const action = actions[ply]
    const line = {
      ply,
      observation: Object.fromEntries(observation),
      legalActions: Array.from(mask.keys()).filter((number) => mask[number] === 1),
      ...(action !== undefined && { action, native: instance.native.toNative(action), reward }),
      gameOver: instance.rules.isTerminal(state),
    }
    print(`${JSON.stringify(line)}\n`)
  }
  return 0
}

/** The positions of a replay; `state` changes in place, `reward` is that of the action played next. */
function* positions({ actions, instance, seed }: PlayedReplay) {
  const { rules } = instance
  const state = rules.createState()
  rules.reset(state, seed)
  // A step changes the state that is being looked at, so its reward is found on a second one, a step ahead.
  const ahead = rules.createState()
  rules.reset(ahead, seed)
  for (let ply = 0; ply <= actions.length; ply++) {
    const action = actions[ply]
    const reward = action === undefined ? 0 : rules.step(ahead, action)
    yield { ply, state, reward }
    if (action !== undefined) rules.step(state, action)
  }
}
