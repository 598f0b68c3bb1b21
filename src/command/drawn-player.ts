import { below, type SeededRandom } from '../random/seeded.ts'
import type { ReplayGame } from '../replay/format.ts'

/**
 * Plays legal actions that it draws, until the game is over or `steps` are played, and returns them. Among the
 * first `lingering` it does not play one that ends the game while another does not.
 */
export function drawActions(
  { instance }: ReplayGame,
  seed: string,
  steps: number,
  random: SeededRandom,
  lingering: number,
): number[] {
  const { rules, numActions } = instance
  const state = rules.createState()
  rules.reset(state, seed)
  const mask = new Uint8Array(numActions)
  const actions: number[] = []
  let ending: number[] = []
  while (actions.length < steps && !rules.isTerminal(state)) {
    rules.writeMask(state, mask, 0)
    const legal = Array.from(mask.keys()).filter((action) => mask[action] === 1)
    const open = legal.filter((action) => !ending.includes(action))
    const action = open.length > 0 ? open[below(random, open.length)]! : legal[0]!
    rules.step(state, action)
    if (!rules.isTerminal(state) || open.length === 0 || actions.length >= lingering) {
      actions.push(action)
      ending = []
      continue
    }
    ending.push(action)
    rules.reset(state, seed)
    for (const earlier of actions) rules.step(state, earlier)
  }
  return actions
}
