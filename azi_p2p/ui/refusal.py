"""Why the table refuses something, in the player's language: whole sentences, `refused.<kind>.<word>`.

What doesn't belong here: what the rules say about an action (`rulesaid`), files and the network (`failed`).
"""

from __future__ import annotations

from azi_p2p.rules import ParamsError
from azi_p2p.session.commands import CommandRefused, Refusal
from azi_p2p.session.events import TableRefused
from azi_p2p.session.view import TableView
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.rulesaid import params_text, rule_text
from azi_p2p.ui.words import Words


def why_not(refused: CommandRefused, view: TableView | None, words: Words) -> str:
    """One sentence on a command that was refused; `view` None while the table isn't known."""
    if isinstance(refused.code, Refusal):
        return command_refused(refused.code, words.texts, **refused.details)
    assert refused.illegal is not None, "any other code is that of the rules"
    return rule_text(refused.illegal, view, words)


def command_refused(code: Refusal, texts: Catalogue, **details: object) -> str:
    """The sentence for a reason why a command can't be carried out."""
    return texts.text(f"refused.command.{code}", **details)


def why_no_seat(event: TableRefused, texts: Catalogue) -> str:
    """One sentence on why we can't take part in a table."""
    details = {
        name: params_text(value, texts) if isinstance(value, ParamsError) else value
        for name, value in event.details.items()
    }
    return texts.text(f"refused.seat.{event.code}", **details)
