import { type Chamber, WALL } from '../../../src/games/hourloom/chamber.ts'
import { at } from './draw.ts'
import type { PlainChamber } from './plain-game.ts'

/** A chamber of the engine as the second implementation takes it. */
export function plainChamber(chamber: Chamber): PlainChamber {
  const tiles = Array.from({ length: 81 }, (_, tile) => tile)
  return {
    number: chamber.n,
    width: chamber.size,
    height: chamber.size,
    walls: new Set(tiles.filter((tile) => chamber.terrain[tile] === WALL).map(at)),
    exit: at(chamber.exit),
    gates: Array.from({ length: chamber.gates }, (_, gate) => ({
      tile: at(chamber.gateTile[gate]!),
      plates: Array.from({ length: chamber.plateCount[gate]! }, (_, i) =>
        at(chamber.gatePlate[2 * gate + i]!),
      ),
    })),
    flux: new Map(
      tiles
        .filter((tile) => chamber.fluxPhase[tile]! >= 0)
        .map((tile) => [at(tile), chamber.fluxPhase[tile]!]),
    ),
    sparks: Array.from(chamber.sparkTile.subarray(0, chamber.sparks), at),
    laps: Array.from({ length: chamber.laps }, (_, lap) => ({
      alcove: at(chamber.alcove[lap]!),
      keystone: at(chamber.keystone[lap]!),
      budget: chamber.budget[lap]!,
    })),
  }
}
