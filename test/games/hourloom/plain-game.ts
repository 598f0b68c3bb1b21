/**
 * Hourloom a second time, straight from the rules and with no eye to speed: bodies are named, tiles are
 * "row,col", inputs are words. It shares no code with the engine; it is given chambers as plain descriptions.
 */

export interface PlainGate {
  readonly tile: string
  readonly plates: readonly string[]
}

export interface PlainChamber {
  readonly number: number
  readonly width: number
  readonly height: number
  readonly walls: ReadonlySet<string>
  readonly exit: string
  readonly gates: readonly PlainGate[]
  readonly flux: ReadonlyMap<string, number>
  readonly sparks: readonly string[]
  readonly laps: readonly { readonly alcove: string; readonly keystone: string; readonly budget: number }[]
}

const STEPS: { readonly [dir: string]: readonly [number, number] } = {
  N: [-1, 0],
  E: [0, 1],
  S: [1, 0],
  W: [0, -1],
}

export class PlainGame {
  chamber: PlainChamber
  phase: 'lap' | 'sealed' | 'over' = 'lap'
  score = 0
  lapsDone = 0
  lap = 0
  turn = 0
  sand = 0
  keystone = false
  /** Inputs of finished laps, and of the running one. */
  logs: string[][] = []
  log: string[] = []
  /** Who stands where. */
  bodies = new Map<string, string>()
  sparks = new Set<string>()
  /** How often echoes were held, and by the player. */
  holds = 0
  jostles = 0

  constructor(chamber: PlainChamber) {
    this.chamber = chamber
    this.enter(chamber)
  }

  /** Why an action is refused, or undefined. */
  refusal(action: string): string | undefined {
    if (this.phase === 'over') return 'run_ended'
    if (action === 'END_RUN') return undefined
    if (action === 'DESCEND') return this.phase === 'sealed' ? undefined : 'chamber_not_sealed'
    if (this.phase !== 'lap') return 'lap_not_running'
    return action === 'WAIT' ? undefined : this.blocked('player', action)
  }

  /** Plays an action that is not refused and returns its points; `next` gives the chamber below. */
  play(action: string, next: () => PlainChamber): number {
    const before = this.score
    if (action === 'END_RUN') this.phase = 'over'
    else if (action === 'DESCEND') this.enter(next())
    else this.resolve(action)
    return this.score - before
  }

  private enter(chamber: PlainChamber): void {
    this.chamber = chamber
    this.phase = 'lap'
    this.logs = []
    this.sparks = new Set(chamber.sparks)
    this.begin(0)
  }

  private begin(lap: number): void {
    this.lap = lap
    this.turn = 0
    this.sand = this.chamber.laps[lap]!.budget
    this.keystone = false
    this.log = []
    this.bodies = new Map([['player', this.chamber.laps[lap]!.alcove]])
    for (let k = 0; k < lap; k++) this.bodies.set(`echo ${k + 1}`, this.chamber.laps[k]!.alcove)
  }

  private resolve(input: string): void {
    const { chamber } = this
    this.log.push(input)
    if (input !== 'WAIT') {
      const to = target(this.bodies.get('player')!, input)
      this.bodies.set('player', to)
      this.collect(to)
      if (to === chamber.exit && this.keystone) {
        this.sand -= 1
        this.complete()
        return
      }
    }
    let cost = 1
    const phase = chamber.flux.get(this.bodies.get('player')!)
    if (phase !== undefined && (this.turn + phase) % 4 >= 2) cost += 3
    for (let k = 1; k <= this.lap; k++) cost += this.moveEcho(k)
    for (let k = 1; k <= this.lap; k++) {
      if (this.logs[k - 1]!.length - 1 === this.turn) this.bodies.delete(`echo ${k}`)
    }
    this.sand -= cost
    this.turn += 1
    if (this.sand <= 0) this.phase = 'over'
  }

  private collect(tile: string): void {
    const gate = this.chamber.gates.find((each) => each.tile === tile)
    if (gate !== undefined) {
      const held = gate.plates.filter((plate) => {
        const holder = this.bodyAt(plate)
        return holder !== undefined && holder !== 'player'
      })
      this.earn(25 * held.length)
    }
    if (this.sparks.delete(tile)) this.earn(15)
    if (tile === this.chamber.laps[this.lap]!.keystone && !this.keystone) {
      this.keystone = true
      this.earn(25)
    }
  }

  /** One echo's entry of this turn; 1 when it runs into the player. */
  private moveEcho(k: number): number {
    const name = `echo ${k}`
    const from = this.bodies.get(name)
    const input = this.logs[k - 1]![this.turn]
    if (from === undefined || input === undefined || input === 'WAIT') return 0
    if (this.blocked(name, input) === undefined) {
      this.bodies.set(name, target(from, input))
      return 0
    }
    this.holds += 1
    if (target(from, input) !== this.bodies.get('player')) return 0
    this.jostles += 1
    return 1
  }

  private complete(): void {
    this.earn(50 + 3 * this.sand)
    this.lapsDone += 1
    this.logs.push(this.log)
    this.turn += 1
    if (this.lap + 1 < this.chamber.laps.length) {
      this.begin(this.lap + 1)
      return
    }
    this.earn(150)
    this.phase = 'sealed'
    this.lap += 1
    for (const name of [...this.bodies.keys()]) if (name !== 'player') this.bodies.delete(name)
  }

  private blocked(mover: string, dir: string): string | undefined {
    const to = target(this.bodies.get(mover)!, dir)
    const [row, col] = to.split(',').map(Number) as [number, number]
    if (row < 0 || col < 0 || row >= this.chamber.height || col >= this.chamber.width)
      return 'edge_of_chamber'
    if (this.chamber.walls.has(to)) return 'wall'
    if (this.bodyAt(to) !== undefined) return 'echo_in_the_way'
    const gate = this.chamber.gates.find((each) => each.tile === to)
    if (gate === undefined) return undefined
    const open = gate.plates.every((plate) => {
      const holder = this.bodyAt(plate)
      return holder !== undefined && holder !== mover
    })
    return open ? undefined : 'gate_shut'
  }

  private bodyAt(tile: string): string | undefined {
    for (const [name, where] of this.bodies) if (where === tile) return name
    return undefined
  }

  private earn(points: number): void {
    const percent = Math.min(400, 100 + 25 * (this.chamber.number - 1))
    this.score += Math.round((points * percent) / 100)
  }
}

function target(from: string, dir: string): string {
  const [row, col] = from.split(',').map(Number) as [number, number]
  const [down, right] = STEPS[dir]!
  return `${row + down},${col + right}`
}
