"""A player of Hourloom that learns what to undertake next.

An option is to walk to the keystone, the exit, a spark or a gate, or to a plate and stay there for some time. The ways
are planned around the echoes, whose next steps are known because they repeat what was walked before (`times`,
`options`); which option is taken is learned by proximal policy optimization over figures about each of them (`needs`,
`features`, `policy`, `ppo`). Everything is computed from observations and what was seen of them (`chambers`).

Trained by ``python -m blockloom.learning.train_hourloom``. It needs numpy alone.
"""

from blockloom.learning.hourloom.agent import GAME, HourloomAgent
from blockloom.learning.hourloom.policy import OptionPolicy

__all__ = ["GAME", "HourloomAgent", "OptionPolicy"]
