import type { JsonObject } from '../transport/connect.ts'

/** Makes bad input out of good: the same bytes for the same seed. */
export class Mutator {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0 || 1
  }

  /** An integer from 0 to `below` - 1. */
  pick(below: number): number {
    // xorshift32
    this.#state ^= this.#state << 13
    this.#state ^= this.#state >>> 17
    this.#state ^= this.#state << 5
    return (this.#state >>> 0) % below
  }

  /** Random bytes, at most `max`. */
  noise(max: number): Buffer {
    return Buffer.from(Array.from({ length: this.pick(max + 1) }, () => this.pick(256)))
  }

  /** A copy with one to four changes: bytes flipped, cut out, doubled, overwritten, or a telling one put in. */
  mutate(bytes: Uint8Array): Buffer {
    let mutated: Buffer = Buffer.from(bytes)
    for (let changes = 1 + this.pick(4); changes > 0; changes--) mutated = this.#change(mutated)
    return mutated
  }

  #change(bytes: Buffer): Buffer {
    const at = this.pick(bytes.length + 1)
    const end = Math.min(bytes.length, at + 1 + this.pick(8))
    const [head, part, tail] = [bytes.subarray(0, at), bytes.subarray(at, end), bytes.subarray(end)]
    switch (this.pick(6)) {
      case 0:
        return Buffer.concat([head, tail])
      case 1:
        return Buffer.concat([head, part, part, tail])
      case 2:
        return Buffer.concat([head, this.noise(8), tail])
      case 3:
        return Buffer.concat([head, part.map((byte) => byte ^ (1 << this.pick(8))), tail])
      case 4:
        return head
      default:
        return Buffer.concat([head, Buffer.from(TELLING[this.pick(TELLING.length)]!), part, tail])
    }
  }
}

const TELLING = [
  ...[
    '"',
    '\\',
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '-',
    '0',
    '1e400',
    'null',
    'true',
    '1.5',
    '\u2028',
    '\r',
    '\0',
  ],
  ...[
    '"__proto__":',
    '"constructor":{},',
    '99999999999',
    '"envId":"",',
    '\ud83d\ude00',
    '\xff',
    '"seed":"007",',
  ],
]

/** One valid request of every kind, for an environment of two rows. */
export function validRequests(envId: string, gameId: string): JsonObject[] {
  const calls: JsonObject[] = [
    { listGames: {} },
    { makeEnv: { gameId, numEnvs: 3, config: {}, record: true } },
    { reset: { envId, seed: '12' } },
    { reset: { envId, seeds: ['-3', '98765432109876543210'], episodes: [0, 2], resetMask: 'AQE=' } },
    { step: { envId, actions: [1, 2] } },
    { step: { envId, packedActions: 'AQAAAAIAAAA=' } },
    { getActionMask: { envId, rows: [0, 1] } },
    { explain: { envId, row: 1, actions: [0, 5] } },
    { play: { envId, row: 0, actionJson: '{"type":"place","pieceIndex":0,"row":3,"col":4}' } },
    { render: { envId, row: 1 } },
    { afterstates: { envId, rows: [0] } },
    { saveReplay: { envId, row: 0 } },
    { verifyReplay: { replayJson: REPLAY } },
    { loadReplay: { replayJson: REPLAY, ply: 1 } },
    { closeEnv: { envId: 'of another' } },
  ]
  return calls.map((call, i) => ({ id: `valid ${i}`, ...call }))
}

const REPLAY =
  '{"schema_version":1,"rules_version":"stackcraft-v1","seed":7,"actions":["r1x8"],"final":{"score":0,"lines":0,"pieces":1,"terminal":false}}'

/** gRPC's names of the codes that a request may be refused with. */
export const CANONICAL_CODES: readonly string[] = [
  ...['INVALID_ARGUMENT', 'NOT_FOUND', 'FAILED_PRECONDITION', 'RESOURCE_EXHAUSTED', 'UNIMPLEMENTED'],
]

/** How many replies a stretch of input asks for: one a line that is not blank. */
export function countLines(bytes: Buffer): number {
  return bytes
    .toString('latin1')
    .split('\n')
    .filter((line) => line.replace(/\r$/, '') !== '').length
}
