"""Scenes of a table, as one person has them on the screen: every state that a table can be in, sunny or not."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from azi_p2p.bots import Advice
from azi_p2p.rules import Bid, BuyIn, Call, Card, Discard, Fold, Option, Params, Play, State, View, apply
from azi_p2p.session import events as happened
from azi_p2p.session.closing import Reckoning
from azi_p2p.session.commands import Act, Command
from azi_p2p.session.view import Phase, ProofTally, TableView
from azi_p2p.ui.hint import Advise
from azi_p2p.ui.i18n import catalogue
from azi_p2p.ui.reckon import closed
from azi_p2p.ui.screen.control import TableControl
from azi_p2p.ui.screen.look import Look
from azi_p2p.ui.screen.shelf import STARTLED
from azi_p2p.ui.screen.surroundings import Surroundings
from azi_p2p.ui.words import Words
from tests.ui.tables import NAMES, after, dealt, gathering, key_of, shown

HANDS = ["AS KS 9H", "6S 7S QH", "8S JH 9S", "AD KD 9D", "TD JD 8H"]
NOW = 1000.0
CLOSED = Reckoning((990, 970, 990, 990, 1060), 2)
"""What everybody has where the table of five was closed without the others."""


class Seat:
    """Stands at the place of a peer: it shows a view, and keeps the commands that come."""

    def __init__(self, view: TableView | None) -> None:
        self.shown = view
        self.commands: list[Command] = []
        self.stopped = False
        self.refusal: Exception | None = None

    def submit(self, command: Command) -> None:
        if self.refusal is not None:
            raise self.refusal
        if isinstance(command, Act) and self.shown is not None and self.shown.rules is not None:
            apply(self.shown.rules.state, command.action)  # the screen never sends what the rules refuse
        self.commands.append(command)

    def view(self) -> TableView | None:
        return self.shown

    def addresses(self) -> list[tuple[str, int]]:
        return [("192.168.1.20", 41234)]

    def stop(self) -> None:
        self.stopped = True


class Adviser:
    """Stands for a strong player: the first that is possible, always for the same reason."""

    def __call__(self, view: View, options: Sequence[Option]) -> Advice:
        option = next((one for one in options if one.do != "bid"), options[0])
        if option.do == "bid":
            return Advice(option.action(option.min), "least_loss", gain=-3.0)
        if option.do in {"play", "discard"}:
            cards = [one.card for one in options if one.card is not None]
            if len(cards) > 1:
                return Advice(option.action(), "play" if option.do == "play" else "discard", 0.634, cards[1], 0.41)
            return Advice(option.action(), "only")
        return Advice(option.action(), "stay", gain=21.4)


class Person:
    """One person at the screen, with a clock that stands still unless it is moved."""

    def __init__(
        self,
        view: TableView | None,
        events: Sequence[happened.Event] = (),
        language: str = "en",
        look: Look | None = None,
        *,
        private: bool = False,
        code: str = "",
        watching: bool = False,
        advise: Advise | None = None,
    ) -> None:
        self.now = NOW
        self.rung = 0
        self.closed = False
        self.seat = Seat(view)
        around = Surroundings(
            clock=lambda: self.now,
            time_of_day=lambda: "21:14:05",
            ring=self._ring,
            draw_code=lambda text: ("██▀▀██", "▀▀▀▀▀▀"),
            private=private,
            code=code,
            watching=watching,
            advise=advise,
        )
        self.page = TableControl(catalogue(language), key_of(0), look or Look(lively=False), around, self._close)
        self.page.begin(self.seat)
        if view is not None:
            self.see(view, *events)

    def _ring(self) -> None:
        self.rung += 1

    def _close(self) -> None:
        self.closed = True

    def see(self, view: TableView, *events: happened.Event) -> list[Command]:
        self.seat.shown = view
        return list(self.page.see(events, view))

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.press(key)

    def settle(self) -> None:
        """Look at what has come up for long enough that keys are meant for it."""
        self.rows()
        self.now += STARTLED

    def rows(self, width: int = 80, height: int = 24) -> list[list[tuple[str, str]]]:
        return self.page.draw(width, height, self.now).rows()


def bidding(*, deadline: float | None = NOW + 42) -> tuple[TableView, list[happened.Event]]:
    """Five seats, an ace turned up; it is the person's turn to bid."""
    actions = (Bid(1, 20), Call(2), Fold(3), Bid(4, 60))
    events: list[happened.Event] = [
        happened.DealOpened(1),
        happened.CardsDealt(1),
        *(took(action) for action in actions),
    ]
    return shown(after(dealt(HANDS, "AH", draw=1), *actions), deadline=deadline), events


def took(action: Bid | Call | Fold | Play | Discard) -> happened.ActionTaken:
    return happened.ActionTaken(action.seat, action)


def led() -> State:
    """The bidding is over, and the seat at the person's right has led a heart."""
    state = after(dealt(HANDS, "AH", draw=1), Bid(1, 20), Call(2), Fold(3), Bid(4, 60), Call(0), Call(1), Call(2))
    return apply(state, Play(4, Card("8H"), 2))


def led_spades() -> State:
    """Somebody has led a spade, of which the person holds two."""
    state = after(dealt(HANDS, "AH", draw=1), Bid(1, 60), Call(2), Fold(3), Call(4), Call(0))
    return after(state, Play(1, Card("6S"), 0), Play(2, Card("8S"), 0), Play(4, Card("8H"), 2))


def trick_won() -> State:
    return after(led(), Play(0, Card("9H"), 2), Play(1, Card("QH"), 2), Play(2, Card("JH"), 1))


def won() -> State:
    state = after(
        trick_won(), Play(1, Card("6S"), 0), Play(2, Card("8S"), 0), Play(4, Card("TD"), 0), Play(0, Card("AS"), 0)
    )
    return after(state, Play(0, Card("KS"), 1), Play(1, Card("7S"), 1), Play(2, Card("9S"), 2), Play(4, Card("JD"), 1))


def azi(params: Params | None = None) -> State:
    """Three seats take a trick each."""
    state = dealt(["AH 6S 7D", "AS 6H 8D", "AD 7S 7H"], "9H", params, draw=0)
    state = after(state, Bid(0, 10), Call(1), Call(2))
    for plays in (
        ((0, "AH", 0), (1, "6H", 1), (2, "7H", 2)),
        ((0, "6S", 1), (1, "AS", 0), (2, "7S", 1)),
        ((1, "8D", 2), (2, "AD", 0), (0, "7D", 2)),
    ):
        for seat, card, place in plays:
            state = apply(state, Play(seat, Card(card), place))
    return state


def ended_deal(state: State) -> tuple[TableView, list[happened.Event]]:
    view = shown(state)
    assert view.rules is not None
    assert view.rules.state.deal is not None
    deal = view.rules.state.deal
    return view, [happened.DealEnded(1, str(deal.result), deal.winner)]


def changed(view: TableView, seat: int, **values: bool) -> TableView:
    """The view with one seat in another state."""
    seats = tuple(
        dataclasses.replace(one, **values) if one.seat == seat else one  # type: ignore[arg-type]  # fields that are switches
        for one in view.seats
    )
    return dataclasses.replace(view, seats=seats)


def buying_in() -> tuple[TableView, list[happened.Event]]:
    """After an Azi of four, in which the person took no trick."""
    params = Params(seats=4, azi_replay="buy_in")
    state = dealt(["6S 6D 7D", "AH 8S 9D", "AS 6H 8D", "AD 7S 7H"], "9H", params, draw=1)
    state = after(state, Bid(1, 10), Call(2), Call(3), Call(0))
    for plays in (
        ((1, "AH", 0), (2, "6H", 1), (3, "7H", 2), (0, "6S", 0)),
        ((1, "8S", 1), (2, "AS", 0), (3, "7S", 1), (0, "6D", 1)),
        ((2, "8D", 2), (3, "AD", 0), (0, "7D", 2), (1, "9D", 2)),
    ):
        for seat, card, place in plays:
            state = apply(state, Play(seat, Card(card), place))
    return dataclasses.replace(shown(state), phase=Phase.ACTING), []


Scene = Callable[[str, Look], Person]


def _scene(make: Callable[[], tuple[TableView | None, Sequence[happened.Event]]], *keys: str) -> Scene:
    def scene(language: str, look: Look) -> Person:
        view, events = make()
        person = Person(view, events, language, look)
        person.settle()
        person.press(*keys)
        return person

    return scene


def _practice(make: Callable[[], tuple[TableView, Sequence[happened.Event]]], *keys: str) -> Scene:
    def scene(language: str, look: Look) -> Person:
        view, events = make()
        person = Person(view, events, language, look, private=True, advise=Adviser())
        person.press(*keys)
        return person

    return scene


def _over(problem: str | None, offer: str = "", how: str = "") -> Scene:
    def scene(language: str, look: Look) -> Person:
        view = dataclasses.replace(shown(won(), standings=((1, 0, 1220), (2, 3, 990))), phase=Phase.ENDED)
        person = Person(view, [], language, look)
        offered = catalogue(language).text(offer, name="Kitchen") if offer else ""
        found = catalogue(language).text(how, address="192.168.1.20:41234") if how else ""
        person.page.over(problem, "/home/eva/ledgers/2026-11-30.azi", offered, found)
        person.settle()
        return person

    return scene


def _between(phase: Phase, **values: object) -> tuple[TableView, list[happened.Event]]:
    view = dataclasses.replace(shown(won()), phase=phase, owed=(), legal=(), **values)  # type: ignore[arg-type]  # fields of the view
    return view, []


def _nobody_reached() -> tuple[TableView, list[happened.Event]]:
    """Somebody else is asked, and no other seat can be reached."""
    view, _ = _waiting(2)
    seats = tuple(dataclasses.replace(seat, linked=seat.seat == view.my_seat) for seat in view.seats)
    alone = dataclasses.replace(view, seats=seats, unconfirmed=CLOSED, deadline=None)
    return alone, [happened.LinkChanged(seat, up=False) for seat in (1, 2, 3, 4)]


def _closed() -> Scene:
    def scene(language: str, look: Look) -> Person:
        view, _ = _nobody_reached()
        person = Person(view, [happened.TableClosed(CLOSED.chips, CLOSED.absent)], language, look)
        told = closed(CLOSED, view, Words(catalogue(language)))
        person.page.over(" ".join(told), "/home/eva/ledgers/2026-11-30.azi")
        person.settle()
        return person

    return scene


def _first_shuffle() -> tuple[TableView, list[happened.Event]]:
    view = dataclasses.replace(
        gathering(Params(), 4), phase=Phase.PREPARING, proofs=ProofTally(2, 4, own_shuffle=False, tokens=0, voids=0)
    )
    shuffles = [happened.ShuffleProven(1, seat, seat + 1, 4) for seat in (0, 1)]
    return view, [happened.TableFounded(bytes(32)), *shuffles]


def _four_cards() -> tuple[TableView, list[happened.Event]]:
    return shown(dealt(["AS KS 9H 6D", "6S 7S QH 8D"], "TH", draw=1), deadline=NOW + 9), []


def _rich() -> tuple[TableView, list[happened.Event]]:
    """Stacks and bids as large as they may be."""
    params = Params(seats=5, ante=1_000_000, min_bid=1_000_000, start_chips=1_000_000_000)
    state = after(dealt(HANDS, "AH", params, draw=1), Bid(1, 20_000_000), Call(2), Bid(3, 900_000_000))
    return shown(state, deadline=NOW + 42), []


def _waiting(seat: int, **values: bool) -> tuple[TableView, list[happened.Event]]:
    """Somebody else is asked, and that seat is in a state of its own."""
    view = shown(after(dealt(HANDS, "AH", draw=1), Bid(1, 20)), deadline=NOW + 42)
    return changed(view, seat, **values), [took(Bid(1, 20))]


SCENES: dict[str, Scene] = {
    "connecting": _scene(lambda: (None, [])),
    "nothing known yet": _scene(lambda: (gathering(Params(), 0, seat=1), [])),
    "gathering alone": _scene(lambda: (gathering(Params(), 1), [])),
    "gathering, founder": _scene(lambda: (gathering(Params(seats=6), 3), [])),
    "gathering, guest": _scene(lambda: (gathering(Params(), 2, seat=1), [])),
    "start asked": _scene(lambda: (gathering(Params(), 2), []), "s"),
    "first shuffle": _scene(_first_shuffle),
    "next shuffle": _scene(
        lambda: _between(Phase.PREPARING, proofs=ProofTally(1, 5, own_shuffle=True, tokens=0, voids=0))
    ),
    "dealing": _scene(lambda: _between(Phase.DEALING)),
    "waiting for players": _scene(lambda: _between(Phase.WAITING)),
    "resuming": _scene(lambda: _between(Phase.RESUMING)),
    "nobody reached": _scene(_nobody_reached),
    "close asked": _scene(_nobody_reached, "m", "up", "up", "enter"),
    "table closed": _closed(),
    "bidding": _scene(bidding, "2", "up"),
    "bid typed": _scene(bidding, "b", "1", "2", "0"),
    "large bid asked": _scene(bidding, "5", "enter", "right"),
    "nothing picked": _scene(bidding, "enter"),
    "discard": _scene(_four_cards, "2"),
    "buying in": _scene(buying_in),
    "playing": _scene(lambda: (shown(led(), deadline=NOW + 60), [])),
    "chosen ahead": _scene(lambda: (shown(trick_won()), []), "2"),
    "chosen ahead and meant": _scene(lambda: (shown(trick_won()), []), "2", "enter"),
    "hint on a card": _practice(lambda: (shown(led_spades()), []), "i"),
    "hint on a bid": _practice(bidding, "i"),
    "menu in practice": _practice(bidding, "m", "4"),
    "card not allowed": _scene(lambda: (shown(led()), []), "1"),
    "trick won": _scene(lambda: (shown(trick_won()), [happened.TrickWon(1, 0)])),
    "deal won": _scene(lambda: ended_deal(won())),
    "azi": _scene(lambda: ended_deal(azi())),
    "somebody out of reach": _scene(lambda: _waiting(2, linked=False)),
    "somebody absent": _scene(lambda: _waiting(4, absent=True)),
    "somebody sits out": _scene(lambda: _waiting(4, away=True)),
    "somebody at fault": _scene(
        lambda: (
            _waiting(3, faulted=True)[0],
            [happened.FaultSeen(3, "bad_proof", "the proof of a shuffle doesn't hold", 1, 4, ())],
        )
    ),
    "older profile": _scene(lambda: (_waiting(3)[0], [happened.ProfileOutdated()])),
    "refused": _scene(
        lambda: (gathering(Params(), 2, seat=1), [happened.TableRefused(happened.SeatRefusal.NO_SEAT_FREE)])
    ),
    "large amounts": _scene(_rich),
    "wish noted": _scene(lambda: (dataclasses.replace(bidding()[0], wishes=frozenset({"sit_out"})), [])),
    "paused": _scene(lambda: (dataclasses.replace(bidding(deadline=None)[0], paused=True), [])),
    "chat": _scene(lambda: (bidding()[0], [happened.Said(2, "good luck")]), "t", "h", "i"),
    "menu": _scene(bidding, "m", "down"),
    "help while bidding": _scene(bidding, "?"),
    "help while playing": _scene(lambda: (shown(led()), []), "f1"),
    "log": _scene(bidding, "l"),
    "proofs": _scene(
        lambda: (bidding()[0], [*(happened.ShuffleProven(1, seat, seat + 1, 5) for seat in range(5)), *bidding()[1]]),
        "p",
    ),
    "seats and rules": _scene(bidding, "m", "4", "enter"),
    "address": _scene(bidding, "a"),
    "quit asked": _scene(bidding, "q"),
    "leave asked": _scene(bidding, "m", "up", "up", "enter"),
    "onlooker": _scene(lambda: (shown(after(dealt([*HANDS, "6D 7D 8D"], "AH", draw=1), Bid(1, 20)), None), [])),
    "two players": _scene(lambda: (shown(dealt(HANDS[:2], "TH")), [])),
    "three players": _scene(lambda: (shown(dealt(HANDS[:3], "TH")), [])),
    "table ended": _over(None),
    "next table by address": _over(None, how="find.next_offered"),
    "next table of the founder": _over(None, "screen.again_open"),
    "next table offered": _over(None, "screen.again_join"),
    "table broken off": _over("the disk is full"),
}
"""Every scene by its name."""

__all__ = ["NAMES", "NOW", "SCENES", "BuyIn", "Fold", "Person", "Seat", "azi", "bidding", "led", "trick_won", "won"]
