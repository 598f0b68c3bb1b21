import { describe, expect, it } from 'vitest'
import { ACTION_NAMES, DESCEND, END_RUN } from '../../../src/games/hourloom/actions.ts'
import { explainAction } from '../../../src/games/hourloom/explain.ts'
import { createRules } from '../../../src/games/hourloom/rules.ts'
import { scriptedAction } from '../../../src/games/hourloom/scripted.ts'
import { ShortestPath, shortestPathAction, TIE_BREAKS } from '../../../src/games/hourloom/shortest-path.ts'
import { type HourloomState, RUNNING } from '../../../src/games/hourloom/state.ts'
import { enterChamber } from '../../../src/games/hourloom/turn.ts'
import { below, type SeededRandom, seeded } from '../../../src/random/seeded.ts'
import { at, drawChamber } from './draw.ts'
import { plainChamber } from './plain-chamber.ts'
import { PlainGame } from './plain-game.ts'

const ACTIONS = process.env.BLOCKLOOM_FULL === '1' ? 1_000_000 : 150_000

const rules = createRules({ startChamber: 1, echoLookahead: 1, allowEndRun: true })
const walker = new ShortestPath()

/** Open ground on which players that know nothing finish laps, meet their echoes and pass gates by luck. */
const CROWDED = [
  ['12.X', '.p.q', '34rs'],
  ['1.2.3', 'p#q#r', '..X..', 's_~%t', '4.5.6', 'u,...'],
  ['1pX2q', '..a..', '.3r#.', '#B#A#', 'b4s.b'],
  ['1p2X', '3AaB', '.qr.', '4s.b'],
]

type Player = (state: HourloomState, legal: number[], random: SeededRandom) => number

/** Never ends a run by choice more than now and then, and descends when it can. */
function random(state: HourloomState, legal: number[], draw: SeededRandom): number {
  const action = legal[below(draw, legal.length)]!
  return action === END_RUN && below(draw, 40) > 0 ? random(state, legal, draw) : action
}

function walking(state: HourloomState, legal: number[], draw: SeededRandom): number {
  if (below(draw, 4) === 0) return random(state, legal, draw)
  return shortestPathAction(walker, state, TIE_BREAKS[below(draw, 4)]!)
}

function scripted(state: HourloomState, legal: number[], draw: SeededRandom): number {
  return scriptedAction(state) ?? random(state, legal, draw)
}

/** Follows the script into a lap of its own choice, and from there on blunders. */
function straying(state: HourloomState, legal: number[], draw: SeededRandom): number {
  const strays = state.lap + 1 === state.chamber.laps || below(draw, 150) === 0
  return strays ? walking(state, legal, draw) : (scriptedAction(state) ?? walking(state, legal, draw))
}

function expectSame(state: HourloomState, plain: PlainGame): void {
  const alive = state.echoTile.subarray(0, Math.min(state.lap, state.chamber.laps - 1))
  const seen = {
    phase: state.ending !== RUNNING ? 'over' : state.sealed === 1 ? 'sealed' : 'lap',
    score: state.score,
    lapsDone: state.lapsCompleted,
    lap: state.lap,
    turn: state.turn,
    sand: state.sand,
    keystone: state.hasKeystone === 1,
    sparks: state.sparksLeft,
    player: at(state.player),
    echoes: Array.from(alive, (tile) => (tile === 255 ? undefined : at(tile))),
  }
  const echoes = Array.from(alive, (_, k) => plain.bodies.get(`echo ${k + 1}`))
  const { phase, score, lapsDone, lap, turn, sand, keystone } = plain
  const expected = { phase, score, lapsDone, lap, turn, sand: Math.max(0, sand), keystone }
  const rest = { sparks: plain.sparks.size, player: plain.bodies.get('player'), echoes }
  if (JSON.stringify(seen) !== JSON.stringify({ ...expected, ...rest })) {
    expect(seen).toEqual({ ...expected, ...rest })
  }
}

function legalActions(state: HourloomState, plain: PlainGame, mask: Uint8Array): number[] {
  rules.writeMask(state, mask, 0)
  const legal: number[] = []
  ACTION_NAMES.forEach((name, action) => {
    const reason = explainAction(state, action, true)?.reason
    if (reason !== plain.refusal(name)) expect([name, reason]).toEqual([name, plain.refusal(name)])
    if ((mask[action] === 1) !== (reason === undefined)) expect([name, mask[action]]).toEqual([name, reason])
    if (reason === undefined) legal.push(action)
  })
  return legal
}

/** Plays runs in both implementations until `actions` are played, and says how echoes fared. */
function race(
  name: string,
  player: Player,
  begin: (state: HourloomState, run: number) => void,
  actions: number,
) {
  const draw = seeded(`race:${name}`)
  const mask = new Uint8Array(7)
  const total = { holds: 0, jostles: 0, seals: 0 }
  const state = rules.createState()
  for (let run = 0, played = 0; played < actions; run++) {
    begin(state, run)
    const plain = new PlainGame(plainChamber(state.chamber))
    expectSame(state, plain)
    for (let legal = legalActions(state, plain, mask); legal.length > 0; played++) {
      const action = player(state, legal, draw)
      const points = rules.step(state, action)
      const expected = plain.play(ACTION_NAMES[action]!, () => plainChamber(state.chamber))
      if (points !== expected) expect(points).toBe(expected)
      expectSame(state, plain)
      if (action === DESCEND) total.seals++
      if (state.chamber.n > 14) state.ending = 2
      if (state.chamber.n > 14) plain.phase = 'over'
      legal = legalActions(state, plain, mask)
    }
    total.holds += plain.holds
    total.jostles += plain.jostles
  }
  return total
}

function reset(state: HourloomState, run: number): void {
  rules.reset(state, String(run))
}

function drawn(state: HourloomState, run: number): void {
  rules.reset(state, String(run))
  enterChamber(
    state,
    drawChamber(CROWDED[run % CROWDED.length]!.join('\n'), { budget: 60, n: 1 + (run % 16) }),
  )
}

describe('the engine and a plain second implementation agree', () => {
  it('on random play', () => {
    race('random', random, reset, ACTIONS / 5)
  })

  it('on scripted play from chamber to chamber', () => {
    expect(race('scripted', scripted, reset, ACTIONS / 5)).toMatchObject({ holds: 0, jostles: 0 })
  })

  it('on scripts that stray', () => {
    const { holds, jostles } = race('straying', straying, reset, ACTIONS / 5)
    expect(jostles).toBeGreaterThan(ACTIONS / 2000)
    expect(holds).toBeGreaterThan(jostles)
  })

  it('on the shortest way with blunders', () => {
    race('walking', walking, reset, ACTIONS / 5)
  })

  it('in crowded chambers drawn by hand', () => {
    const { holds, jostles, seals } = race('drawn', walking, drawn, ACTIONS / 5)
    expect(jostles).toBeGreaterThan(ACTIONS / 400)
    expect(holds).toBeGreaterThan(2 * jostles)
    expect(seals).toBeGreaterThan(ACTIONS / 5000)
  })
})
