"""What happened at the table, in whole sentences: one event in, no, one or several sentences out.

The sentences follow each other as a person would tell them to somebody who can't see the table. What doesn't belong
here: the reckoning at the end of a deal (`reckon`), what the player may do (`ask`), printing (`lines`).
"""

from __future__ import annotations

from collections.abc import Sequence

from azi_p2p.rules import Bid, BuyIn, Call, Check, DealState, Decline, Discard, Fold, Leave, Play
from azi_p2p.session import events as happened
from azi_p2p.session.events import Event
from azi_p2p.session.view import Phase, SeatView, TableView
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_chat, clean_name
from azi_p2p.ui.reckon import chips_now, closed, reckoning, standings
from azi_p2p.ui.refusal import why_no_seat
from azi_p2p.ui.words import Words


class Teller:
    """Tells the events of one table to the person with the key `me` (None: an onlooker).

    It keeps count of what one event alone doesn't say: the highest bid so far, whether a card leads or follows, what
    was proven in this deal, and who is out of reach. Who comes back in the middle of a deal isn't told its beginning;
    that is read from the view then.
    """

    def __init__(self, texts: Catalogue, me: bytes | None) -> None:
        self.texts = texts
        self.words = Words(texts)
        self.me = me
        self.highest = 0
        self.cards_in_trick = 0
        self.voids_proven = 0
        self.tokens_checked = 0
        self.shuffled: dict[int, tuple[tuple[int, ...], int]] = {}
        self.unreachable: set[int] = set()
        self._told_alone = False
        self._told_beginning = False

    def tell(self, events: Sequence[Event], view: TableView) -> list[str]:
        """The sentences for these events, in order; `view` is the table after all of them."""
        sentences: list[str] = []
        for event in events:
            sentences += self._one(event, view)
        return sentences

    def _one(self, event: Event, view: TableView) -> list[str]:
        match event:
            case happened.SeatTaken():
                return [self._seat_taken(event, view)]
            case happened.TableFounded():
                names = self.words.listed([self._name_and_fingerprint(seat) for seat in view.seats])
                return [self.texts.text("event.founded", names=names)]
            case happened.ShuffleProven():
                earlier, _ = self.shuffled.get(event.deal, ((), 0))
                # A deck that was given up begins again with its first shuffle.
                proven = (*earlier[: event.done - 1], event.seat)
                self.shuffled = {
                    event.deal - 1: self.shuffled.get(event.deal - 1, ((), 0)),
                    event.deal: (proven, event.total),
                }
                return []
            case happened.DealOpened():
                self.highest = self.cards_in_trick = self.voids_proven = self.tokens_checked = 0
                self._told_beginning = True
                return [self.texts.text("event.deal_opened", deal=event.deal)]
            case happened.CardsDealt():
                return self._cards_dealt(event.deal, view)
            case happened.ActionTaken():
                return self._action(event, view)
            case happened.TrickWon():
                self.cards_in_trick = 0
                return [
                    self._about(
                        "event.trick_won", event.seat, view, trick=self.texts.text(f"event.trick.{event.number}")
                    )
                ]
            case happened.DealEnded():
                return [*reckoning(event, view, self.words), *self._opened(), *chips_now(view, self.words)]
            case happened.TableEnded():
                return [self.texts.text(f"event.ended.{event.reason}"), *standings(view, self.words)]
            case happened.TableClosed():
                return closed(event, view, self.words)
            case happened.TableRefused():
                return [why_no_seat(event, self.texts)]
            case happened.ProfileOutdated():
                return [self.texts.text("event.outdated")]
            case happened.Said():
                return [self._about("event.said", event.seat, view, text=clean_chat(event.text))]
            case _:
                return self._seats(event, view)

    def _seats(self, event: Event, view: TableView) -> list[str]:
        """Who comes and goes, who is out of time, who is at fault."""
        match event:
            case happened.WishHeard():
                return [self._about(f"event.wish.{event.wish}", event.seat, view)]
            case happened.SeatChanged():
                return [self._about(f"event.change.{event.change}", event.seat, view)]
            case happened.LinkChanged() if event.up and event.seat in self.unreachable:
                self.unreachable.discard(event.seat)
                self._told_alone = self._told_alone and view.unconfirmed is not None
                return [self.texts.text("event.link_up", name=self.words.name(view, event.seat))]
            case happened.LinkChanged() if not event.up and view.phase is not Phase.ENDED:
                # Once the table has ended, everybody goes; that isn't worth a word. Nor who has left before.
                if any(seat.seat == event.seat and seat.gone for seat in view.seats):
                    return []
                self.unreachable.add(event.seat)
                found = [self.texts.text("event.link_down", name=self.words.name(view, event.seat))]
                if view.unconfirmed is not None and not self._told_alone:
                    self._told_alone = True
                    found.append(self.texts.text("event.no_majority"))
                return found
            case happened.OnlookersChanged() if view.my_seat is not None:
                return [self.texts.plural("watch.number", event.number)]
            case happened.AbsenceClaimed() if event.round == 0:
                return [self._about("event.claimed", event.seat, view)]
            case happened.SeatAbsent():
                return [self._about("event.absent", event.seat, view)]
            case happened.FaultSeen():
                key = f"verify.breach.{event.code}"
                what = self.texts.text(key) if self.texts.has(key) else f"{clean_chat(event.message)} ({event.code})"
                return [self._about("event.fault", event.seat, view, what=what)]
            case _:
                return []

    def _about(self, key: str, seat: int, view: TableView, **values: object) -> str:
        """A sentence about a seat: the form of `key` for oneself, or the one with a name."""
        if seat == view.my_seat:
            return self.texts.text(f"{key}_you", **values)
        return self.texts.text(key, name=self.words.name(view, seat), **values)

    def _name_and_fingerprint(self, seat: SeatView) -> str:
        if seat.key == self.me:
            return self.texts.text("table.you")
        return self.texts.text("table.name_and_key", name=clean_name(seat.name), fingerprint=seat.fingerprint)

    def _seat_taken(self, event: happened.SeatTaken, view: TableView) -> str:
        too_late = view.phase is Phase.GATHERING and event.seat >= view.params.seats
        name = clean_name(event.name)
        if event.key == self.me:
            return self.texts.text("event.seat_waiting_you" if too_late else "event.seat_taken_you", name=name)
        fingerprint = next((seat.fingerprint for seat in view.seats if seat.key == event.key), "")
        key = "event.seat_waiting" if too_late else "event.seat_taken"
        return self.texts.text(key, name=name, fingerprint=fingerprint)

    def _cards_dealt(self, number: int, view: TableView) -> list[str]:
        deal = open_deal(view)
        if deal is None or view.rules is None or deal.upcard is None:
            return []
        # A view that has gone on to the next deck no longer counts the tokens: one set from each seat dealt in.
        self.tokens_checked = view.proofs.tokens or len(deal.dealt_in)
        sentences = self._shuffles(number, view)
        if view.my_seat in deal.dealt_in and view.rules.hand:  # who is back with an older profile may have lost the key
            sentences.append(self.texts.text("event.hand", cards=self.words.cards(view.rules.hand)))
        elif view.my_seat is not None and view.my_seat not in deal.dealt_in:
            sentences.append(self.texts.text("event.not_dealt_in"))
        sentences.append(
            self.texts.text("event.upcard", card=self.words.card(deal.upcard), trump=self.words.suit(str(deal.trump)))
        )
        if deal.promoted_six:
            sentences.append(self.texts.text("event.promoted", card=self.words.card(f"6{deal.trump}")))
        carried = sum(deal.carried)
        # Not the pot of the view: the first bids may have come in the same step.
        pot = self.words.chips(carried + sum(deal.antes))
        sentences.append(
            self.texts.text("event.pot_carried", pot=pot, carried=carried)
            if carried
            else self.texts.text("event.pot", pot=pot)
        )
        if deal.opener is not None:
            sentences.append(self._about("event.opener", deal.opener, view))
        return sentences

    def proofs(self, view: TableView) -> list[str]:
        """What has been proven so far in this deal."""
        return [*self._shuffles(view.deal, view), *self._opened()]

    def _shuffles(self, number: int, view: TableView) -> list[str]:
        """How many shuffles of a deal's deck are proven; nothing if none is yet."""
        proven, total = self.shuffled.get(number, ((), 0))
        if not total:
            return []
        key = "fair.shuffles_own" if view.my_seat in proven else "fair.shuffles"
        return [self.texts.text(key, done=len(proven), total=total)]

    def _opened(self) -> list[str]:
        """What was proven when cards were opened; nothing before any are dealt."""
        if not self.tokens_checked:
            return []
        return [self.texts.text("fair.deal", tokens=self.tokens_checked, voids=self.voids_proven)]

    def _action(self, event: happened.ActionTaken, view: TableView) -> list[str]:
        seat = event.seat
        if not self._told_beginning:
            self._told_beginning = True
            self._join_in(event, view)
        match event.action:
            case Bid(to=to):
                opening, self.highest = not self.highest, to
                return [self._about("event.bid" if opening else "event.raise", seat, view, to=to)]
            case Call():
                paid = view.rules.state.deal.bids[seat] if view.rules and view.rules.state.deal else self.highest
                if paid < self.highest or not self.highest:
                    return [self._about("event.all_in", seat, view, paid=paid)]
                return [self._about("event.call", seat, view, to=self.highest)]
            case Play(card=card):
                key = "event.lead" if not self.cards_in_trick else "event.play"
                self.cards_in_trick += 1
                sentences = [self._about(key, seat, view, card=self.words.played_card(card))]
                if event.voids and seat != view.my_seat:
                    sentences.append(self._void(seat, event.voids, view))
                return sentences
            case Discard(position=position) if seat == view.my_seat and position is not None:
                return [self._own_discard(position, view)]
            case _:
                return self._plain_action(event, view)

    def _join_in(self, event: happened.ActionTaken, view: TableView) -> None:
        """Take from the view what was bid and led in this deal before this action, the first one that is told."""
        deal = open_deal(view)
        if deal is None or view.rules is None:
            return
        seat = event.seat
        self.highest = max((bid for place, bid in enumerate(deal.bids) if place != seat), default=0)
        match event.action:
            case Call() if view.rules.state.chips[seat]:
                self.highest = deal.bids[seat]  # Somebody may have raised since; who has chips left isn't short.
            case Play(card=card):
                trick = next((one for one in (*deal.tricks, deal.trick) if one and one.cards[seat] == card), None)
                if trick is not None:
                    self.cards_in_trick = int(trick.leader != seat)
            case _:
                pass

    def _void(self, seat: int, suits: Sequence[str], view: TableView) -> str:
        """What a card that doesn't follow has proven: the led suit is missing, and perhaps trumps too."""
        self.voids_proven += 1
        name = self.words.name(view, seat)
        first, *more = [self.texts.text(f"card.of.{suit}") for suit in suits]
        if more:
            return self.texts.text("event.void_two", name=name, first=first, second=more[0])
        return self.texts.text("event.void", name=name, suit=first)

    def _own_discard(self, position: int, view: TableView) -> str:
        deal = open_deal(view)
        hand = None if deal is None or view.my_seat is None else deal.hands[view.my_seat]
        card = None if hand is None else hand[position]
        if card is None:
            return self.texts.text("event.discard_you")
        return self.texts.text("event.discard_own", card=self.words.played_card(card))

    def _plain_action(self, event: happened.ActionTaken, view: TableView) -> list[str]:
        """Actions that need no more than a name."""
        key = PLAIN_ACTIONS.get(type(event.action))
        return [self._about(key, event.seat, view)] if key else []


PLAIN_ACTIONS = {
    Check: "event.check",
    Fold: "event.fold",
    Discard: "event.discard",
    Leave: "event.left",
    BuyIn: "event.buy_in",
    Decline: "event.decline",
}
"""Text key for each action of which there is no more to tell than who took it."""


def open_deal(view: TableView) -> DealState | None:
    """The deal that the view shows (open, or the last one), if any."""
    return None if view.rules is None else view.rules.state.deal
