import type { GameInstance, ObservationArray } from './game.ts'
import { allocateDense, bytesOf, maskRowBytes, packBits, packRow, rowBytes } from './tensor-spec.ts'

/** Writes rows of observations and masks in one wire encoding, into buffers that are allocated once. */
export interface RowWriter<State> {
  /** One entry an observation: `[num_envs, row bytes]`, as on the wire. */
  readonly observations: readonly Uint8Array[]
  /** `[num_envs, maskRowBytes]`, as on the wire. */
  readonly masks: Uint8Array
  readonly maskRowBytes: number
  /** Writes the observation and the game's mask of a row. */
  write(state: State, row: number): void
  /** Whether the mask's bit or byte of an action is set. */
  isSet(row: number, action: number): boolean
}

/** The writer for an instance and an encoding. */
export function createRowWriter<State>(
  instance: GameInstance<State>,
  numEnvs: number,
  packed: boolean,
): RowWriter<State> {
  if (!packed) return new DenseWriter(instance, numEnvs)
  return new BitsWriter(instance, numEnvs)
}

/** Bytes that one row of a batch takes at most, final masks and observations included. */
export function batchRowBytes(instance: GameInstance<unknown>, packed: boolean, finals: boolean): number {
  const observations = instance.encoder.spec.reduce((sum, spec) => sum + rowBytes(spec, packed), 0)
  const masks = maskRowBytes(instance.numActions, packed)
  const outcomes = 4 * instance.outcomes.names.length
  // Refusals and finished episodes are lists, as long as text at the most.
  const refusal = 80
  const finished = 96 + 12 * instance.outcomes.names.length + masks + (finals ? observations : 0)
  return observations + masks + outcomes + 6 + refusal + finished
}

class DenseWriter<State> implements RowWriter<State> {
  readonly observations: readonly Uint8Array[]
  readonly masks: Uint8Array
  readonly maskRowBytes: number
  readonly #instance: GameInstance<State>
  readonly #arrays: readonly ObservationArray[]

  constructor(instance: GameInstance<State>, numEnvs: number) {
    this.#instance = instance
    this.#arrays = allocateDense(instance.encoder.spec, numEnvs)
    this.observations = this.#arrays.map(bytesOf)
    this.maskRowBytes = instance.numActions
    this.masks = new Uint8Array(numEnvs * instance.numActions)
  }

  write(state: State, row: number): void {
    this.#instance.encoder.encode(state, this.#arrays, row)
    this.#instance.rules.writeMask(state, this.masks, row * this.maskRowBytes)
  }

  isSet(row: number, action: number): boolean {
    return this.masks[row * this.maskRowBytes + action] === 1
  }
}

class BitsWriter<State> implements RowWriter<State> {
  readonly observations: readonly Uint8Array[]
  readonly masks: Uint8Array
  readonly maskRowBytes: number
  readonly #write: (state: State, row: number) => void

  constructor(instance: GameInstance<State>, numEnvs: number) {
    this.observations = instance.encoder.spec.map((spec) => new Uint8Array(numEnvs * rowBytes(spec, true)))
    this.maskRowBytes = maskRowBytes(instance.numActions, true)
    this.masks = new Uint8Array(numEnvs * this.maskRowBytes)
    this.#write = instance.packed ? this.#direct(instance) : this.#packing(instance)
  }

  write(state: State, row: number): void {
    this.#write(state, row)
  }

  isSet(row: number, action: number): boolean {
    return ((this.masks[row * this.maskRowBytes + (action >> 3)]! >> (action & 7)) & 1) === 1
  }

  /** The game writes packed rows itself. */
  #direct(instance: GameInstance<State>): (state: State, row: number) => void {
    const packed = instance.packed!
    const { observations, masks } = this
    return (state, row) => {
      packed.encode(state, observations, row)
      packed.writeMask(state, masks, row)
    }
  }

  /** The game writes one dense row, which is packed here. */
  #packing(instance: GameInstance<State>): (state: State, row: number) => void {
    const { spec } = instance.encoder
    const dense = allocateDense(spec, 1)
    const mask = new Uint8Array(instance.numActions)
    const strides = spec.map((array) => rowBytes(array, true))
    return (state, row) => {
      instance.encoder.encode(state, dense, 0)
      spec.forEach((array, i) => {
        packRow(array, dense[i]!, this.observations[i]!, row * strides[i]!)
      })
      instance.rules.writeMask(state, mask, 0)
      packBits(mask, 0, mask.length, this.masks, row * this.maskRowBytes)
    }
  }
}

/** One row's mask with every action set, as on the wire. */
export function openMask(numActions: number, packed: boolean, bytes: number): Uint8Array {
  const mask = new Uint8Array(bytes)
  if (!packed) return mask.fill(1)
  for (let action = 0; action < numActions; action++) mask[action >> 3]! |= 1 << (action & 7)
  return mask
}
