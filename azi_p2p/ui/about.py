"""Who sits at a table, and by which rules it is played, a sentence for each.

What doesn't belong here: where these lines are shown.
"""

from __future__ import annotations

from azi_p2p.session.view import TableView
from azi_p2p.ui.words import Words


def seat_lines(view: TableView, words: Words) -> list[str]:
    """Everybody at the table, by seat: whole name, key fingerprint, chips."""
    texts = words.texts
    lines = []
    for seat in view.seats:
        chips = view.params.start_chips if view.rules is None else view.rules.state.chips[seat.seat]
        name = words.name(view, seat.seat)
        if seat.seat == view.my_seat:
            name = texts.text("screen.you_are", name=name)
        lines.append(
            texts.text(
                "screen.seat_line",
                seat=seat.seat + 1,
                name=name,
                fingerprint=seat.fingerprint,
                chips=words.chips(chips),
            )
        )
    if view.onlookers:
        lines.append(texts.plural("watch.number", view.onlookers))
    return lines


def rules_lines(view: TableView, words: Words) -> list[str]:
    """The parameters of the table."""
    texts, params = words.texts, view.params
    lines = [
        texts.text(
            "screen.rules.amounts",
            hand=params.hand_size,
            ante=params.ante,
            least=params.min_bid,
            bids=params.max_bids,
            seconds=params.turn_seconds,
        ),
        texts.text("screen.rules.out_suit", suit=words.suit(params.out_suit)),
        texts.text(f"screen.rules.opener.{params.opener_rule}"),
        texts.text(f"screen.rules.short.{params.short_payout}"),
        texts.text(f"screen.rules.azi.{params.azi_replay}"),
        texts.text("screen.rules.six" if params.promoted_six else "screen.rules.no_six"),
    ]
    if params.rebuy:
        lines.append(texts.text("screen.rules.rebuy"))
    if params.deal_limit:
        lines.append(texts.text("screen.rules.limit", deals=params.deal_limit))
    return lines
