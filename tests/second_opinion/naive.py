"""Azi once more, as plainly as possible: lists, loops, one object that changes.

Written from the rules of the game and not from the engine, and sharing no code with it, so that a mistake has to be
made twice to stay unseen. Slow on purpose: whatever can be worked out again is worked out again. What doesn't belong
here: hidden hands, speed, good messages.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

RANKS = "6789TJQKA"


class Naive:
    """One table. `do` takes an action and gives None, or the code of the rule that it breaks."""

    def __init__(self, params: dict[str, Any], chips: list[int]) -> None:
        self.params = params
        self.seats = len(chips)
        self.chips = list(chips)
        self.stakes = [0] * self.seats
        self.state = ["in"] * self.seats
        self.last_winner: int | None = None
        self.breakers: list[int] = []
        self.azi: dict[str, Any] | None = None
        self.asking = False
        self.deals = 0
        self.deal: dict[str, Any] | None = None

    # Between deals

    def clockwise_after(self, seat: int) -> list[int]:
        return [(seat + step) % self.seats for step in range(1, self.seats + 1)]

    def dealt_in_next(self) -> list[int]:
        def usual(seat: int) -> bool:
            was_live = self.azi is not None and seat in self.azi["live"]
            return self.chips[seat] > 0 or was_live

        here = [seat for seat in range(self.seats) if self.state[seat] == "in" and seat not in self.breakers]
        if self.azi is not None and self.params["azi_replay"] == "contenders":
            only = [seat for seat in here if seat in self.azi["live"]]
            if only:
                return only
        if self.azi is not None and self.params["azi_replay"] == "buy_in":
            only = [seat for seat in here if seat in self.azi["took"] or seat in self.azi["bought"]]
            if only:
                return only
        return [seat for seat in here if usual(seat)]

    def ante_of_next(self) -> int:
        if self.azi is not None and self.params["azi_replay"] == "buy_in":
            for seat in self.dealt_in_next():
                if seat in self.azi["took"] or seat in self.azi["bought"]:
                    return 0
        return int(self.params["ante"])

    def asked(self) -> int | None:
        if not self.asking or self.azi is None:
            return None
        for seat in self.azi["queue"]:
            if self.state[seat] == "in" and seat not in self.breakers and self.chips[seat] >= self.azi["price"]:
                return int(seat)
        return None

    def wish(self, seat: int, what: str) -> str | None:
        if self.in_deal():
            return "wrong_phase"
        if what == "sit_out":
            if self.state[seat] != "in":
                return "not_allowed"
            self.state[seat] = "out"
        elif what == "return":
            if self.state[seat] != "out":
                return "not_allowed"
            self.state[seat] = "in"
        elif what == "rebuy":
            if not self.params["rebuy"] or self.state[seat] == "left" or self.chips[seat] > 0 or sum(self.stakes) > 0:
                return "not_allowed"
            self.chips[seat] = self.params["start_chips"]
        if self.asking and self.asked() is None:
            self.asking = False
        return None

    def take_pot(self) -> str | None:
        seats = self.dealt_in_next()
        if self.asking or self.in_deal() or sum(self.stakes) == 0 or len(seats) != 1:
            return "not_allowed"
        self.new_deal(seats, 0)
        self.pay(seats[0], "uncontested", whole=True)
        return None

    def void(self, breakers: list[int]) -> str | None:
        seats = self.dealt_in_next()
        ante = self.ante_of_next()
        self.deals += 1
        self.new_deal(seats, ante)
        assert self.deal is not None
        for seat in breakers:
            for _ in range(ante + self.params["min_bid"]):
                if self.chips[seat] > 0:
                    self.chips[seat] -= 1
                    self.stakes[seat] += 1
            self.breakers.append(seat)
        self.deal["result"] = "void"
        self.deal["stakes"] = list(self.stakes)
        return None

    def ended(self) -> bool:
        if self.asking or self.in_deal() or sum(self.stakes) > 0:
            return False
        rich = [seat for seat in range(self.seats) if self.state[seat] != "left" and self.chips[seat] > 0]
        poor = [seat for seat in range(self.seats) if self.state[seat] != "left" and self.chips[seat] == 0]
        if len(rich) < 2 and not (self.params["rebuy"] and poor):
            return True
        return bool(self.params["deal_limit"]) and self.deals >= self.params["deal_limit"]

    def new_deal(self, seats: list[int], ante: int) -> None:
        self.deal = {
            "seats": seats,
            "ante": ante,
            "paid": [0] * self.seats,
            "live": list(seats),
            "opener": None,
            "upcard": None,
            "hands": {},
            "bids": [0] * self.seats,
            "times": [0] * self.seats,
            "spoke": [],
            "high": 0,
            "high_seat": None,
            "discarded": [],
            "leader": None,
            "tricks": [],
            "result": None,
            "winner": None,
            "payouts": [0] * self.seats,
            "stakes": [],
        }

    def start(self, hands: list[list[str] | None], upcard: str, draw: int) -> None:
        seats = self.dealt_in_next()
        self.deals += 1
        self.new_deal(seats, self.ante_of_next())
        deal = self.deal
        assert deal is not None
        if self.last_winner is None:
            order = [draw, *self.clockwise_after(draw)]
        else:
            order = self.clockwise_after(self.last_winner)
        deal["opener"] = next(seat for seat in order if seat in seats)
        deal["upcard"] = upcard
        for seat in seats:
            hand = hands[seat]
            assert hand is not None
            deal["hands"][seat] = list(hand)
            deal["paid"][seat] = min(deal["ante"], self.chips[seat])
            self.chips[seat] -= deal["paid"][seat]
            self.stakes[seat] += deal["paid"][seat]
        self.go_on()

    # In a deal

    def in_deal(self) -> bool:
        return self.deal is not None and self.deal["result"] is None

    def phase(self) -> str:
        deal = self.deal
        if deal is None or deal["result"] is not None:
            return "buy_in" if self.asking else "between"
        if self.params["hand_size"] == 4 and any(seat not in deal["discarded"] for seat in deal["live"]):
            return "discard"
        if deal["leader"] is None:
            return "bidding"
        return "playing"

    def owing(self) -> list[int]:
        deal, phase = self.deal, self.phase()
        if phase == "buy_in":
            seat = self.asked()
            return [] if seat is None else [seat]
        if deal is None or phase == "between":
            return []
        if phase == "discard":
            return [seat for seat in range(self.seats) if seat in deal["live"] and seat not in deal["discarded"]]
        seat = self.bidder() if phase == "bidding" else self.player()
        assert seat is not None
        return [seat]

    def bidder(self) -> int | None:
        """The seat that has to answer in the bidding."""
        deal = self.deal
        assert deal is not None
        from_opener = [deal["opener"], *self.clockwise_after(deal["opener"])[:-1]]
        if deal["high"] == 0:
            for seat in from_opener:
                if seat in deal["live"] and self.chips[seat] > 0 and seat not in deal["spoke"]:
                    return int(seat)
            return None
        for seat in self.clockwise_after(deal["spoke"][-1]):
            if seat in deal["live"] and self.chips[seat] > 0 and deal["bids"][seat] < deal["high"]:
                return seat
        return None

    def player(self) -> int | None:
        """The seat that has to play a card: the next live one clockwise that hasn't yet played to the trick."""
        deal = self.deal
        assert deal is not None
        trick = deal["tricks"][-1]
        order = [trick["leader"], *self.clockwise_after(trick["leader"])[:-1]]
        played = [seat for seat, _ in trick["played"]]
        for seat in order:
            if seat in deal["live"] and seat not in played:
                return int(seat)
        return None

    def short(self, seat: int) -> bool:
        deal = self.deal
        assert deal is not None
        if deal["paid"][seat] < deal["ante"]:
            return True
        if deal["bids"][seat] < deal["high"]:
            return True
        return self.chips[seat] == 0 and deal["bids"][seat] < self.params["min_bid"]

    def go_on(self) -> None:
        """After whatever has happened: end what has come to its end, begin what comes next."""
        deal = self.deal
        assert deal is not None
        if len(deal["live"]) == 1:
            self.pay(deal["live"][0], "uncontested")
            return
        if self.phase() == "discard":
            return
        if deal["leader"] is None:
            if self.bidder() is not None:
                return
            deal["leader"] = self.find_leader()
            deal["tricks"].append({"leader": deal["leader"], "played": [], "winner": None})
            return
        trick = deal["tricks"][-1]
        if not trick["played"]:
            while trick["leader"] not in deal["live"]:
                trick["leader"] = (trick["leader"] + 1) % self.seats
            return
        if self.player() is not None:
            return
        trick["winner"] = self.best(trick["played"])
        for seat in range(self.seats):
            if [done["winner"] for done in deal["tricks"]].count(seat) == 2:
                self.pay(seat, "won")
                return
        if len(deal["tricks"]) == 3:
            self.end_in_azi()
            return
        deal["tricks"].append({"leader": trick["winner"], "played": [], "winner": None})
        self.go_on()

    def find_leader(self) -> int:
        deal = self.deal
        assert deal is not None
        if deal["high_seat"] is not None:
            return int(deal["high_seat"])
        from_opener: list[int] = [deal["opener"], *self.clockwise_after(deal["opener"])]
        order = [seat for seat in from_opener if seat in deal["live"]]
        for seat in order:
            if not self.short(seat):
                return seat
        return order[0]

    def beats(self, card: str, other: str) -> bool:
        """Whether a card played later takes a trick from the best card so far."""
        deal = self.deal
        assert deal is not None
        trump: str = deal["upcard"][1]
        if card[1] == other[1]:
            if self.six() and card[1] == trump and "6" in (card[0], other[0]):
                return card[0] == "6"
            return RANKS.index(card[0]) > RANKS.index(other[0])
        return card[1] == trump

    def best(self, played: list[tuple[int, str]]) -> int:
        seat, best = played[0]
        for later, card in played[1:]:
            if self.beats(card, best):
                seat, best = later, card
        return seat

    def six(self) -> bool:
        assert self.deal is not None
        return bool(self.params["promoted_six"]) and self.deal["upcard"] is not None and self.deal["upcard"][0] == "A"

    def end_in_azi(self) -> None:
        deal = self.deal
        assert deal is not None
        took = [trick["winner"] for trick in deal["tricks"]]
        self.azi = {
            "live": list(deal["live"]),
            "took": took,
            "bought": [],
            "price": sum(self.stakes) // 2 + sum(self.stakes) % 2,
            "queue": [seat for seat in self.clockwise_after(took[2]) if seat not in took],
        }
        deal["result"] = "azi"
        deal["stakes"] = list(self.stakes)
        self.asking = self.params["azi_replay"] == "buy_in"
        if self.asked() is None:
            self.asking = False

    def pay(self, winner: int, result: str, *, whole: bool = False) -> None:
        deal = self.deal
        assert deal is not None
        pot = sum(self.stakes)
        out = [0] * self.seats
        if whole or not self.short(winner):
            out[winner] = pot
        elif self.params["short_payout"] == "matched":
            for seat in range(self.seats):
                taken = min(self.stakes[seat], self.stakes[winner])
                out[winner] += taken
                out[seat] += self.stakes[seat] - taken
        else:
            out[winner] = int(Fraction(pot * self.stakes[winner], max(self.stakes)))
            rest = pot - out[winner]
            others = [seat for seat in self.clockwise_after(winner) if seat != winner]
            total = sum(self.stakes[seat] for seat in others)
            exact = {seat: Fraction(rest * self.stakes[seat], total) if total else Fraction(0) for seat in others}
            for seat in others:
                out[seat] = int(exact[seat])
            while sum(out) < pot:
                lucky = others[0]
                for seat in others:
                    if exact[seat] - out[seat] > exact[lucky] - out[lucky]:
                        lucky = seat
                out[lucky] += 1
        deal["result"], deal["winner"], deal["payouts"], deal["stakes"] = result, winner, out, list(self.stakes)
        self.chips = [self.chips[seat] + out[seat] for seat in range(self.seats)]
        self.stakes = [0] * self.seats
        self.last_winner, self.breakers, self.azi = winner, [], None

    # Actions

    def legal(self) -> list[dict[str, Any]]:
        """What may be done now, in the form of the answer of the arbiter."""
        choices = []
        cards: list[str] = sorted({card for hand in self.deal["hands"].values() for card in hand} if self.deal else [])
        for seat in self.owing():
            for what in ("call", "check", "fold", "buy_in", "decline"):
                if self.wrong(seat, what, None) is None:
                    choices.append({"seat": seat, "do": what})
            for what in ("discard", "play"):
                for card in cards:
                    if self.wrong(seat, what, card) is None:
                        choices.append({"seat": seat, "do": what, "card": card})
            if self.phase() == "bidding" and self.deal is not None:
                least = self.deal["high"] + self.params["min_bid"]
                if self.wrong(seat, "bid", least) is None:
                    most = self.deal["bids"][seat] + self.chips[seat]
                    choices.append({"seat": seat, "do": "bid", "min": least, "max": most})
        return choices

    def wrong(self, seat: int, what: str, arg: Any) -> str | None:
        """The code of the first rule that an action breaks, or None."""
        phase = self.phase()
        belongs = {
            "buy_in": ("buy_in", "decline", "absent", "leave"),
            "discard": ("discard", "absent", "leave"),
            "bidding": ("bid", "call", "check", "fold", "absent", "leave"),
            "playing": ("play", "absent", "leave"),
            "between": (),
        }
        if what not in belongs[phase]:
            return "wrong_phase"
        if seat not in self.owing():
            return "not_your_turn"
        if what in ("play", "discard"):
            return self.wrong_card(seat, what, arg)
        if phase == "bidding" and what not in ("absent", "leave"):
            return self.wrong_bid(seat, what, arg)
        return None

    def wrong_card(self, seat: int, what: str, card: str) -> str | None:
        deal = self.deal
        assert deal is not None
        hand = deal["hands"][seat]
        if card not in hand:
            return "card_not_held"
        if what == "discard" or not deal["tricks"][-1]["played"]:
            return None
        led = deal["tricks"][-1]["played"][0][1][1]
        trump = deal["upcard"][1]
        if any(other[1] == led for other in hand) and card[1] != led:
            return "must_follow_suit"
        if not any(other[1] == led for other in hand) and any(other[1] == trump for other in hand) and card[1] != trump:
            return "must_trump"
        return None

    def wrong_bid(self, seat: int, what: str, to: Any) -> str | None:
        deal = self.deal
        assert deal is not None
        opening = deal["high"] == 0
        rule = self.params["opener_rule"]
        poor = self.chips[seat] < self.params["min_bid"]
        if what == "fold":
            return "must_bid" if opening and rule == "must_bid" else None
        if what == "check":
            if not opening:
                return "not_allowed"
            return {"must_bid": "must_bid", "may_fold": "not_allowed", "may_check": None}[rule]
        if what == "call":
            if not opening or poor:
                return None
            return "must_bid" if rule == "must_bid" else "not_allowed"
        if to < deal["high"] + self.params["min_bid"]:
            return "bid_too_low"
        if to - deal["bids"][seat] > self.chips[seat]:
            return "bid_over_stack"
        if deal["times"][seat] >= self.params["max_bids"]:
            return "no_bids_left"
        return None

    def do(self, seat: int, what: str, arg: Any = None) -> str | None:
        """Make an action. Gives None, or the code of the rule that it breaks; then nothing has changed."""
        code = self.wrong(seat, what, arg)
        if code is not None:
            return code
        deal = self.deal
        if self.asking and self.azi is not None:
            self.answer(seat, what)
            return None
        assert deal is not None
        bidding = self.phase() == "bidding"
        if what == "discard":
            deal["hands"][seat].remove(arg)
            deal["discarded"].append(seat)
        elif what == "play":
            deal["hands"][seat].remove(arg)
            deal["tricks"][-1]["played"].append((seat, arg))
        elif what in ("fold", "absent", "leave"):
            deal["live"].remove(seat)
            if what == "leave":
                self.state[seat] = "left"
        elif what in ("bid", "call"):
            target = arg if what == "bid" else deal["high"] or self.chips[seat]
            paid = min(target - deal["bids"][seat], self.chips[seat])
            self.chips[seat] -= paid
            self.stakes[seat] += paid
            deal["bids"][seat] += paid
            if what == "bid":
                deal["high"], deal["high_seat"] = arg, seat
                deal["times"][seat] += 1
        if bidding:
            deal["spoke"].append(seat)
        self.go_on()
        return None

    def answer(self, seat: int, what: str) -> None:
        """The answer of a seat that was asked to buy in."""
        assert self.azi is not None
        if what == "buy_in":
            self.chips[seat] -= self.azi["price"]
            self.stakes[seat] += self.azi["price"]
            self.azi["bought"].append(seat)
        if what == "leave":
            self.state[seat] = "left"
        queue = self.azi["queue"]
        self.azi["queue"] = queue[queue.index(seat) + 1 :]
        if self.asked() is None:
            self.asking = False

    # The answer

    def deal_answer(self) -> dict[str, Any]:
        """The last deal in the form of the answer of the arbiter."""
        deal = self.deal
        assert deal is not None
        tricks = []
        for trick in deal["tricks"]:
            if trick["played"]:
                cards = [dict(trick["played"]).get(seat) for seat in range(self.seats)]
                tricks.append({"leader": trick["leader"], "cards": cards, "winner": trick["winner"]})
        return {
            "opener": deal["opener"],
            "trump": deal["upcard"][1] if deal["upcard"] else None,
            "promoted_six": self.six(),
            "highest_bid": deal["high"],
            "leader": deal["leader"],
            "tricks": tricks,
            "result": deal["result"],
            "winner": deal["winner"],
            "stakes": list(self.stakes if deal["result"] is None else deal["stakes"]),
            "payouts": list(deal["payouts"]),
        }
