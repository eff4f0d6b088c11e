"""A scenario explained as a referee would: what happened, who gets what and why, what was refused.

What doesn't belong here: what is legal now (`legalnow`), the rules (`rules`), the wording (the catalogues), and the
answer that programs read.
"""

from __future__ import annotations

from collections.abc import Iterator

from azi_p2p.cli.legalnow import LegalNow, laid
from azi_p2p.cli.voice import Voice
from azi_p2p.rules import (
    Absent,
    Action,
    Bid,
    BuyIn,
    Call,
    Check,
    CloseTable,
    Deal,
    DealState,
    Decline,
    Discard,
    Fold,
    Join,
    Leave,
    Phase,
    Play,
    Rebuy,
    Return,
    SitOut,
    State,
    TakePot,
    Void,
    is_short,
)
from azi_p2p.rules.arbitration import Arbitration, Step
from azi_p2p.rules.scenario import ScenarioError
from azi_p2p.rules.state import IN_DEAL
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.rulesaid import said

PLAIN = {
    Check: "event.check",
    Fold: "event.fold",
    BuyIn: "event.buy_in",
    Decline: "event.decline",
    Absent: "event.absent",
    SitOut: "event.change.sit_out",
    Return: "event.change.return",
    Rebuy: "event.change.rebuy",
}
"""Text key of each action of which there is no more to tell than whose it was."""


class Referee:
    """Explains in one language. `names` are the players' own words and are cleaned."""

    def __init__(self, texts: Catalogue, names: tuple[str, ...]) -> None:
        self.voice = Voice(texts, names)
        self.texts, self.words, self.names = texts, self.voice.words, self.voice.names

    def explain(self, arbitration: Arbitration) -> list[str]:
        """Explain a whole scenario, as far as it could be played; one sentence or a few to a line."""
        lines = [self._table(arbitration.start)]
        deal = -1
        for step in arbitration.steps:
            if step.deal != deal:
                deal = step.deal
                lines += ["", self.texts.text("arbiter.deal", number=deal + 1)]
            lines += self._step(step)
        if arbitration.error is None or arbitration.error.action is not None:
            lines += ["", *LegalNow(self.voice).tell(arbitration)]
        return lines

    def explain_error(self, error: ScenarioError, arbitration: Arbitration | None) -> str:
        """Say in one line what was refused, where, and by which rule; `arbitration` None if it couldn't be read."""
        place = []
        if error.deal is not None:
            place.append(self.texts.text("arbiter.place_deal", number=error.deal + 1))
        if error.action is not None:
            place.append(self.texts.text("arbiter.place_action", number=error.action + 1))
            if arbitration is not None and error.deal is not None:
                action = arbitration.scenario.deals[error.deal].actions[error.action]
                place.append(self._wish(action))
        if error.key:
            place.append(error.key)
        said = self._said(error)
        return f"{', '.join(place)}: {said} ({error.code})" if place else f"{said} ({error.code})"

    def _said(self, error: ScenarioError) -> str:
        facts = {name: self._fact(name, value) for name, value in error.facts.items()}
        return said(error.template, facts, error.message, self.texts)

    def _fact(self, name: str, value: object) -> object:
        """Put seats, suits and cards into words; everything else is told as it is."""
        if name in ("seat", "turn") and isinstance(value, int) and value < len(self.names):
            return self.names[value]
        if name == "led":
            return self.words.suit(str(value))
        if name in ("status", "old"):
            return self.texts.text(f"arbiter.status.{value}")
        return value

    def _wish(self, action: Action) -> str:
        """Write an action down in the words of a scenario file."""
        words = [type(action).__name__.lower()]
        for part in ("to", "card"):
            value = getattr(action, part, None)
            if value is not None:
                words.append(str(value))
        seat = getattr(action, "seat", None)
        return " ".join(words) if seat is None else f"{self.names[seat]}: {' '.join(words)}"

    # Before the deals

    def _table(self, state: State) -> str:
        params = state.params
        return self.texts.text(
            "arbiter.table",
            seats=self.voice.amounts(state.chips, zeros=True),
            ante=params.ante,
            min_bid=params.min_bid,
            suit=self.words.suit(params.out_suit),
        )

    # One step

    def _step(self, step: Step) -> Iterator[str]:
        before, after = step.before, step.after
        match step.action:
            case Deal():
                yield from self._cards(before, after)
            case Void() | TakePot():
                pass
            case Bid(seat, to):
                key = "event.raise" if before.deal and before.deal.highest_bid else "event.bid"
                yield self.voice.of(key, seat, to=to)
            case Call(seat):
                yield self._call(seat, before, after)
            case Discard(seat, card):
                yield self.voice.of("arbiter.discard", seat, card=card)
            case Play():
                pass  # told when the trick is complete
            case Leave(seat):
                key = "event.left" if before.phase in IN_DEAL else "event.change.leave"
                yield self.voice.of(key, seat)
            case Check() | Fold() | BuyIn() | Decline() | Absent() | SitOut() | Return() | Rebuy() as action:
                yield self.voice.of(PLAIN[type(action)], action.seat)
            case Join() | CloseTable():
                raise AssertionError("a scenario has no such action")
        if before.phase is Phase.BIDDING or isinstance(step.action, Deal):
            yield from self._lead(after)
        if before.deal is not None and after.deal is not None and len(after.deal.tricks) > len(before.deal.tricks):
            yield self._trick(after.deal, len(after.deal.tricks) - 1)
        if isinstance(step.action, Absent | Leave) and before.phase is Phase.PLAYING:
            yield from self._lead_passes(before, after)
        if after.phase not in IN_DEAL and (before.phase in IN_DEAL or isinstance(step.action, Void | TakePot)):
            yield from self._end(after)

    def _cards(self, before: State, after: State) -> Iterator[str]:
        deal = after.deal
        assert deal is not None, "cards have been dealt"
        if deal.ante:
            yield self.texts.text("arbiter.antes", parts=self.voice.amounts(deal.antes))
            for seat in deal.dealt_in:
                if deal.antes[seat] < deal.ante:
                    yield self.voice.of("arbiter.short_ante", seat, paid=deal.antes[seat], ante=deal.ante)
        else:
            yield self.texts.text("arbiter.no_ante")
        pot, carried = self.words.chips(sum(deal.carried) + sum(deal.antes)), sum(deal.carried)
        yield (
            self.texts.text("event.pot_carried", pot=pot, carried=carried)
            if carried
            else self.texts.text("event.pot", pot=pot)
        )
        for seat in deal.dealt_in:
            yield self.voice.of("arbiter.hand", seat, cards=" ".join(card or "" for card in deal.hands[seat] or ()))
        yield self.texts.text(
            "event.upcard", card=self.words.card(str(deal.upcard)), trump=self.words.suit(str(deal.trump))
        )
        if deal.promoted_six:
            yield self.texts.text("event.promoted", card=self.words.card(f"6{deal.trump}"))
        assert deal.opener is not None, "a deal with cards has an opener"
        if before.last_winner is None:
            yield self.voice.of("arbiter.opener_drawn", deal.opener)
        else:
            yield self.voice.of("arbiter.opener_left", deal.opener, winner=self.names[before.last_winner])
        if after.phase is Phase.PLAYING:
            yield self.texts.text("arbiter.no_bidding")
        elif after.phase is Phase.BIDDING and deal.to_act is not None and deal.to_act != deal.opener:
            yield self.voice.of("arbiter.passed_over", deal.opener, next=self.names[deal.to_act])

    def _call(self, seat: int, before: State, after: State) -> str:
        assert before.deal is not None
        assert after.deal is not None
        paid, high = after.deal.bids[seat], before.deal.highest_bid
        if not high:
            return self.voice.of("arbiter.short_opener", seat, paid=paid)
        return (
            self.voice.of("event.all_in", seat, paid=paid)
            if paid < high
            else self.voice.of("event.call", seat, to=high)
        )

    def _lead(self, after: State) -> Iterator[str]:
        """Who leads, once the bidding is over, and who is short."""
        deal = after.deal
        if deal is None or after.phase is not Phase.PLAYING or deal.leader is None:
            return
        short = [seat for seat in deal.live if is_short(after, deal, seat)]
        if short:
            yield self.texts.text("arbiter.short", names=self.voice.listed(short))
        if deal.bidder is not None:
            yield self.voice.of("arbiter.leads_by_bid", deal.leader, to=deal.highest_bid)
        elif len(short) == len(deal.live):
            yield self.voice.of("arbiter.leads_all_short", deal.leader)
        else:
            yield self.voice.of("arbiter.leads_no_bid", deal.leader)

    def _trick(self, deal: DealState, number: int) -> str:
        trick = deal.tricks[number]
        assert trick.winner is not None, "a complete trick has a winner"
        best = str(trick.cards[trick.winner])
        led = str(trick.cards[trick.leader])[1]
        if deal.promoted_six and best == f"6{deal.trump}":
            why = "six"
        elif best[1] == deal.trump:
            why = "trump"
        else:
            why = "suit"
        return self.voice.of(
            "arbiter.trick",
            trick.winner,
            number=number + 1,
            cards=laid(trick, self.names),
            card=best,
            why=self.texts.text(f"arbiter.wins_by.{why}", suit=self.words.suit(led)),
        )

    def _lead_passes(self, before: State, after: State) -> Iterator[str]:
        if before.deal is None or after.deal is None or after.phase is not Phase.PLAYING:
            return
        old, new = before.deal.trick, after.deal.trick
        if old is not None and new is not None and not any(new.cards) and old.leader != new.leader:
            yield self.voice.of("arbiter.lead_passes", new.leader)

    # The end of a deal

    def _end(self, after: State) -> Iterator[str]:
        deal = after.deal
        assert deal is not None, "a deal has ended"
        if deal.result == "azi":
            yield self.texts.text("reckon.azi")
            yield self.texts.text(
                "arbiter.stakes", parts=self.voice.amounts(deal.stakes), pot=self.words.chips(after.pot)
            )
            price = after.replay.price if after.replay else 0
            yield self.texts.text(
                f"reckon.replay.{after.params.azi_replay}",
                ante=self.words.chips(after.params.ante),
                price=self.words.chips(price),
            )
        elif deal.result == "void":
            breakers = [seat for seat in deal.dealt_in if seat not in deal.live]
            yield self.texts.text("reckon.void", names=self.voice.listed(breakers), pot=self.words.chips(after.pot))
            yield self.texts.text(
                "arbiter.void_price", ante=deal.ante, min_bid=after.params.min_bid, names=self.voice.listed(breakers)
            )
        elif deal.winner is not None:
            yield from self._paid(after, deal, deal.winner)
        yield self.texts.text("reckon.chips", parts=self.voice.amounts(after.chips, zeros=True))

    def _paid(self, after: State, deal: DealState, winner: int) -> Iterator[str]:
        pot, paid, own = sum(deal.stakes), deal.payouts[winner], deal.stakes[winner]
        how = "won" if deal.result == "won" else "alone" if deal.upcard is None else "uncontested"
        yield self.voice.of(f"reckon.{how}", winner)
        yield self.texts.text("arbiter.stakes", parts=self.voice.amounts(deal.stakes), pot=self.words.chips(pot))
        if paid == pot:
            yield self.voice.of("reckon.whole_pot", winner, pot=self.words.chips(pot))
            return
        if after.params.short_payout == "matched":
            parts = " + ".join(str(min(stake, own)) for stake in deal.stakes if min(stake, own))
            yield self.voice.of("reckon.short_matched", winner, own=own, parts=parts, paid=self.words.chips(paid))
        else:
            yield self.voice.of(
                "reckon.short_share",
                winner,
                pot=pot,
                own=own,
                highest=max(deal.stakes),
                paid=self.words.chips(paid),
            )
            yield self.texts.text("arbiter.shared_rest", rest=self.words.chips(pot - paid))
        others = tuple(0 if seat == winner else amount for seat, amount in enumerate(deal.payouts))
        yield self.texts.text("reckon.back", parts=self.voice.amounts(others))
