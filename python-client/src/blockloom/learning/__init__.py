"""Agents that learn, in the placement games from afterstates, and the programs that train them.

- `python -m blockloom.learning.train_tray`: temporal differences with tuple tables, for Lumen Blocks and both Block
  Puzzles.
- `python -m blockloom.learning.train_stackcraft`: the cross-entropy method over features, for Stackcraft.
- `python -m blockloom.learning.train_hourloom`: proximal policy optimization over options, for Hourloom.
- `blockloom.learning.placements`: what the legal placements of a tray game leave, as features for a network.
- `python -m blockloom evaluate`: plays the episodes of many seeds side by side.

They need numpy alone.
"""
