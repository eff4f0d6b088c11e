"""Why something is refused or has failed, in the player's language.

The packages below name a reason by a short word and give the figures (`reasons`); the sentence stands in the
catalogues. What doesn't belong here: what the rules say about an action (`rulesaid`).
"""

from __future__ import annotations

from azi_p2p.rules import ErrorCode, ParamsError
from azi_p2p.session.commands import CommandRefused, Refusal
from azi_p2p.session.events import TableRefused
from azi_p2p.session.view import TableView
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.rulesaid import rule_text, said
from azi_p2p.ui.words import Words


def why_not(refused: CommandRefused, view: TableView | None, words: Words) -> str:
    """One sentence on a command that was refused; `view` None while the table isn't known."""
    if refused.illegal is not None:
        return rule_text(refused.illegal, view, words)
    return command_refused(refused.code, words.texts, **refused.details)


def command_refused(code: Refusal | ErrorCode, texts: Catalogue, **details: object) -> str:
    """The sentence for a reason why a command can't be carried out."""
    return texts.text(f"refused.command.{code}", **details)


def why_no_seat(event: TableRefused, words: Words) -> str:
    """One sentence on why we can't take part in a table."""
    details = event.details
    problem = details.get("problem")
    if isinstance(problem, ParamsError):
        details = {"problem": said(problem.template, problem.facts, problem.message, words.texts)}
    return words.texts.text(f"refused.seat.{event.code}", **details)
