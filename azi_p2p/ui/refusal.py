"""Why the table refuses a command, in the player's language as far as the view shows the reason.

What doesn't belong here: what the rules say about an action (`ask.rule_text`).
"""

from __future__ import annotations

from azi_p2p.session.commands import Act, Command, CommandRefused, Start
from azi_p2p.session.view import Phase, TableView
from azi_p2p.ui.i18n import Catalogue


def why_not(command: Command, refused: CommandRefused, view: TableView | None, texts: Catalogue) -> str:
    """One sentence on a command that was refused; `view` None while the table isn't known."""
    match command:
        case Start() if view is not None and not view.founder:
            key = "lines.start_founder"
        case Start() if view is not None and view.phase is not Phase.GATHERING:
            key = "lines.start_once"
        case Start() if view is not None:
            key = "lines.start_two"
        case _ if view is None or view.rules is None:
            key = "lines.not_founded"
        case _ if view.my_seat is None:
            key = "lines.no_seat"
        case _ if view.phase is Phase.ENDED:
            key = "phase.ended"
        case Act():
            key = "ask.nothing_to_do"
        case _:
            return texts.text("lines.refused", message=refused.message)
    return texts.text(key)
