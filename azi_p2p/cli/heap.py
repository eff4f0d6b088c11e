"""The C library's heap in a process that runs all evening.

What doesn't belong here: what the program itself keeps in memory.
"""

from __future__ import annotations

import ctypes
import sys

LARGE = 32 * 1024
"""Bytes from which a piece of memory is large. A deal needs thousands of smaller ones, and a few dozen of these."""

_M_MMAP_THRESHOLD = -3
"""`mallopt`'s number for it (malloc.h of glibc)."""


def keep_heap_whole() -> bool:
    """Have glibc take large pieces of memory from the system one by one; says whether that is how it is now.

    Left alone, it soon begins to cut them from its heap, and a peer grows all evening though it needs no more: asyncio
    sets aside 256 KB for each datagram of mDNS, and what is placed after such a piece, and kept, leaves a hole behind
    it. Other C libraries (macOS, Windows, musl) have other ways, and are left alone.
    """
    if sys.platform != "linux":
        return False
    library = ctypes.CDLL(None)
    if not hasattr(library, "gnu_get_libc_version"):
        return False
    return bool(library.mallopt(_M_MMAP_THRESHOLD, LARGE))
