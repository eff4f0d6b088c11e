"""Floods and strange callers: what sessions and running peers bear, and how they go on."""
