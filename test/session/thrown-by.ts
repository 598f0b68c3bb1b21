import { EnvError } from '../../src/env/env-error.ts'

/** The refusal that an act throws; fails the test when it throws none. */
export function thrownBy(act: () => unknown): EnvError {
  try {
    act()
  } catch (error) {
    if (error instanceof EnvError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
