"""A player of Hourloom that plans every lap of a chamber from what it sees, and then walks as planned."""

from blockloom.scripted.player import Scripted

__all__ = ["Scripted"]
