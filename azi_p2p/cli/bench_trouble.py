"""Why a part of `azi bench` can't be measured.

What doesn't belong here: what one reads instead of a figure (`bench_rows`).
"""

from __future__ import annotations

from azi_p2p.reasons import Reason, ReasonError


class BenchTrouble(Reason, kind="bench"):
    """Why a part couldn't be measured."""

    INTERRUPTED = "interrupted", "interrupted"
    NO_LOBBY = "no_lobby", "the lobby wasn't drawn within {seconds} s"
    PEER_FAILED = "peer_failed", "{name}: {said}"
    NO_END = "no_end", "{name}: the table didn't end"


class BenchError(ReasonError):
    """A part can't be measured."""
