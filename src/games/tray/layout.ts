import type { MaskGrid } from '../../env/game.ts'
import type { TrayBoard } from './board.ts'

/** A grid of anchors for the piece of each slot. */
export function trayLayout({ size }: TrayBoard): readonly MaskGrid[] {
  return [0, 1, 2].map((slot) => ({
    title: `piece ${slot}`,
    rows: size,
    cols: size,
    first: slot * size * size,
  }))
}
