"""Azi, an old card game, played peer to peer with a provably fair deal."""

__version__ = "0.1.0"
