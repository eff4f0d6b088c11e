"""Writes ledgers that no honest table ever played: any legal step at any time, absences and attempts in all places.

The second verifier reads a file that is only written when it asks for the next record: it says whom it waits for, and
the forge, which holds all keys and secrets, writes what that seat might do, or certificates that it is absent. What
comes out is right by the second verifier's reading of the specification; our own must find it so, too.
"""

from __future__ import annotations

import contextlib
import copy
import hashlib
import random
import struct
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.second_verifier import provers
from tests.second_verifier.theirs import load

theirs = load()
ZERO = bytes(32)


class Person:
    """Somebody with an identity key."""

    def __init__(self, name: str, seed: int) -> None:
        self.name = name
        self.secret = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(f"{name} {seed}".encode()).digest())
        self.key = self.secret.public_key().public_bytes_raw()

    def sign(self, table: bytes, place: Any, kind: str, body: dict[str, Any]) -> bytes:
        """An envelope."""
        payload = theirs.pack(
            {
                "version": 1,
                "table": table,
                "lane": place.lane,
                "author": self.key,
                "deal": place.deal,
                "attempt": place.attempt,
                "step": place.step,
                "prev": place.head,
                "type": kind,
                "body": body,
            }
        )
        signature = self.secret.sign(theirs.signed_bytes(b"azi/1 envelope", payload))
        raw: bytes = theirs.pack([payload, signature])
        return raw


NOWHERE = theirs.Place("none", 0, 0, 0, ZERO)


class Secrets:
    """What the seats of a deck hide: deal keys, and the deck as it is shuffled."""

    def __init__(self, base: bytes, seats: list[int]) -> None:
        self.chance = random.Random(base)
        self.x = {seat: provers.scalar(self.chance) for seat in seats}
        self.reveals: dict[int, dict[str, Any]] = {}
        self.deck: list[Any] = []
        self.started = False
        self.joint_key = theirs.add_up(theirs.combine((x, theirs.G)) for x in self.x.values())


class Forge(theirs.Records):  # type: ignore[misc, name-defined]  # loaded by its path: mypy doesn't know it
    """Records that are written as they are read."""

    def __init__(self, seed: int, params: dict[str, Any], *, absence: float, records: int) -> None:
        self.chance = random.Random(seed)
        self.absence, self.most = absence, records
        names = ("Anna", "Ben", "Katya", "Pieter", "Anele", "Thabo", "Ivan", "Zola", "Marie")
        self.people = {person.key: person for person in (Person(name, seed) for name in names)}
        self.params = params
        packed = theirs.pack(params)
        header = theirs.MAGIC + struct.pack(">I", len(packed)) + packed
        super().__init__(header, len(header))
        self.written = 0
        self.authors: list[bytes] = []  # of the records, in their order
        self.decks: dict[bytes, Secrets] = {}
        self.numbers: dict[bytes, int] = {}
        self.table: Any = None
        self.header = header

    # --- Writing -----------------------------------------------------------------------------------------------------

    def append(self, raw: bytes) -> None:
        self.data += struct.pack(">I", len(raw)) + raw
        self.written += 1

    def peek(self) -> Any:
        if self._next is None and self._end == len(self.data):
            if self.written == 0:
                self.write_founding()
            elif self.table.awaited is not None and self.written < self.most:
                seat, place, types = self.table.awaited
                if types == ("vote", "commit"):  # Between attempts: no further certificate.
                    return theirs.Envelope(ZERO, self.table.id, ZERO, NOWHERE, "none", {})
                if types == ("roster",) and self.table.phase == "open":  # Too few are left.
                    later = [one for one in self.table.may_open() if one > max(self.table.dropped)]
                    if not later or self.chance.random() < 0.5:
                        return theirs.Envelope(ZERO, self.table.id, ZERO, NOWHERE, "none", {})
                    self.write_late(later)
                    return super().peek()
                self.write_next(seat, place, types)
        return super().peek()

    def seat_message(self, person: Person, table: bytes) -> bytes:
        body = {"nickname": person.name, "nonce": self.chance.randbytes(32), "params": self.params}
        if table == ZERO:
            table = theirs.tagged("table", person.key, body["nonce"])
        return person.sign(table, NOWHERE, "seat", body)

    def write_founding(self) -> None:
        count = self.chance.randint(2, self.params["seats"])
        founders = self.chance.sample(list(self.people.values()), count)
        messages = [self.seat_message(founders[0], ZERO)]
        table = theirs.read_envelope(messages[0]).table
        messages += [self.seat_message(person, table) for person in founders[1:]]
        ids = [theirs.read_envelope(raw).id for raw in messages]
        for raw in (*messages, founders[0].sign(table, NOWHERE, "founding", {"seats": ids})):
            self.append(raw)

    def write_next(self, seat: int, place: Any, types: tuple[str, ...]) -> None:
        """What a seat might do here, or that it is absent."""
        if place.lane == "deck" or types == ("open",):
            if self.at_votes(seat, place, types) and self.chance.random() < self.absence:
                self.write_dropping(place)
                return
        elif self.chance.random() < self.absence:
            self.write_certificate(place, seat)
            return
        kind, body = self.move(seat, place, types)
        if kind:
            self.append(self.person(seat).sign(self.table.id, place, kind, body))

    def at_votes(self, seat: int, place: Any, types: tuple[str, ...]) -> bool:
        """Whether a step of the deck lane begins here."""
        return types != ("open",) and seat == self.dealt_in()[max(0, place.step - 2)]

    def person(self, seat: int) -> Person:
        return self.people[self.table.keys[seat]]

    def dealt_in(self) -> list[int]:
        """The deck roster of the attempt that is being prepared."""
        return [seat for seat in self.table.game.next_dealt_in() if seat not in self.table.dropped]

    # --- Certificates ------------------------------------------------------------------------------------------------

    def write_certificate(self, place: Any, seat: int) -> None:
        roster, round_ = self.table.roster(), self.chance.choice((0, 0, 1, 7))
        voters = sorted(self.chance.sample(roster, len(roster) // 2 + 1))
        for voter in voters:
            evidence = [self.chance.randbytes(40)] if self.chance.random() < 0.1 else []
            body = {"lane": place.lane, "seat": seat, "round": round_, "verdict": "claim", "move": b""}
            vote_place = place._replace(lane="vote")
            self.append(self.person(voter).sign(self.table.id, vote_place, "vote", {**body, "evidence": evidence}))

    def write_dropping(self, place: Any) -> None:
        """Certificates that end an attempt before a step of its deck lane, or one that comes late."""
        if self.table.dropped and place.lane == "deck" and place.step == 0 and self.chance.random() < 0.4:
            self.write_late(self.table.may_open())
            return
        given = sorted(self.chance.sample(self.table.may_open(), 1 + (self.chance.random() < 0.3)))
        in_lane = place.lane == "deck"
        sure = self.chance.choice(given)
        before = [one for one in self.table.lane.places if one.step < place.step]
        for seat in given:
            known = [place] if place.step and in_lane else [place, self.table.place(), *before]
            others = [place, self.table.place(), *before, *([self.unseen(place)] if in_lane else [])]
            self.write_certificate(self.chance.choice(known if seat == sure else others), seat)

    def write_late(self, seats: list[int]) -> None:
        """A certificate about one of these seats at an attempt that was given up."""
        late = self.table.attempt - self.chance.randint(1, len(self.table.dropped))
        at_open = self.table.place()._replace(attempt=late)
        where = self.chance.choice([at_open, self.unseen(at_open._replace(lane="deck"))])
        self.write_certificate(where, self.chance.choice(seats))

    def unseen(self, place: Any) -> Any:
        """A place in the deck lane of the same attempt that stands nowhere in the file."""
        return place._replace(step=self.chance.randint(0, 9), head=self.chance.randbytes(32))

    # --- What a seat might do ----------------------------------------------------------------------------------------

    def move(self, seat: int, place: Any, types: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
        table, kind = self.table, types[0]
        if place.lane == "deck":
            return kind, self.deck_body(seat, place, kind)
        if kind == "roster":
            return kind, self.roster_body(place, seat)
        if kind == "open":
            return kind, table.opening()
        if kind == "tokens":
            return kind, self.tokens_body(seat, place)
        if kind == "discard":
            return self.chance.choice([("discard", {"position": self.chance.randint(0, 3)})] * 9 + [("leave", {})])
        if kind == "close":
            return kind, table.receipt()
        if kind == "end":
            return kind, table.last_words()
        return self.act(seat, place)

    def secrets_for(self, base: bytes) -> Secrets:
        if base not in self.decks:
            self.decks[base] = Secrets(base, self.dealt_in())
        return self.decks[base]

    def deck_body(self, seat: int, place: Any, kind: str) -> dict[str, Any]:
        table, base = self.table, self.table.lane.base
        secrets, seats = self.secrets_for(base), table.lane.seats
        if seat not in secrets.reveals:
            context = table.context(theirs.Place("deck", place.deal, place.attempt, 1, base), seats, seat, b"ownership")
            x = secrets.x[seat]
            secrets.reveals[seat] = {
                "key": theirs.combine((x, theirs.G)).data,
                "proof": provers.prove_ownership(context, x, secrets.chance),
                "entropy": secrets.chance.randbytes(32),
            }
        if kind == "commit":
            if secrets.started and seat == seats[0].seat:
                raise theirs.CutOffError
            secrets.started = True
            parts = (base, theirs.u64(seat), theirs.pack(secrets.reveals[seat]))
            return {"digest": theirs.commitment(b"azi deal key", *parts)}
        if kind == "reveal":
            return secrets.reveals[seat]
        deck = secrets.deck if place.step > 2 else table.lane.deck
        context = table.context(place, seats, seat, b"shuffle")
        secrets.deck, proof = provers.shuffle(context, secrets.joint_key, deck, secrets.chance)
        return {"deck": theirs.deck_bytes(secrets.deck), "proof": proof}

    def tokens_body(self, seat: int, place: Any) -> dict[str, Any]:
        lane, bases = self.table.deck, self.table.bases(seat)
        secrets = self.decks[lane.base]
        x = secrets.x[seat]
        tokens = [theirs.combine((x, base)) for base in bases]
        context = self.table.context(place, lane.seats, seat, b"tokens")
        proof = provers.prove_tokens(context, x, bases, tokens, secrets.chance)
        return {"tokens": [token.data for token in tokens], "proof": proof}

    def act(self, seat: int, place: Any) -> tuple[str, dict[str, Any]]:
        """Any act that the rules allow."""
        game, table, chance = self.table.game, self.table, self.chance
        if game.phase == "playing" and chance.random() < 0.96:
            return "play", self.play_body(seat, place)
        low = game.deal.highest + game.params["min_bid"]
        high = game.chips[seat] + game.deal.bids[seat]
        bids = [{"to": to} for to in (low, chance.randint(low, max(low, high)), high) if to > 0]
        acts = [("bid", chance.choice(bids)), ("call", {}), ("check", {}), ("buy_in", {}), ("decline", {})]
        chance.shuffle(acts)
        rare: list[tuple[str, dict[str, Any]]] = [("fold", {}), ("leave", {})]
        for kind, body in [*rare, *acts, *rare] if chance.random() < 0.12 else [*acts, *rare]:
            trial = copy.deepcopy(table.game)
            try:
                trial.act(seat, kind, body.get("to", 0))
            except theirs.BadLedgerError:
                continue
            return kind, body
        raise AssertionError("the rules leave a seat nothing to do")

    def hand(self, seat: int) -> dict[int, str]:
        """The cards that a seat still holds, by position."""
        table, names = self.table, {theirs.card_element(card).data: card for card in self.cards()}
        x, held = self.decks[table.deck.base].x[seat], table.game.deal.held[seat]
        cards = {}
        for position in range(self.params["hand_size"]):
            if held >> position & 1:
                token = theirs.combine((x, table.masked(seat, position).c1))
                cards[position] = names[theirs.add_up([table.open_cards[seat, position]], [token]).data]
        return cards

    def legal_positions(self, hand: dict[int, str], lead: str | None, trump: str) -> tuple[list[int], set[str]]:
        """What may be played, and the suits that void proofs must then rule out."""
        if lead is None:
            return list(hand), set()
        following = [position for position, card in hand.items() if card[1] == lead[1]]
        trumps = [position for position, card in hand.items() if card[1] == trump]
        if following:
            return following, set()
        return (trumps, {lead[1]}) if trumps else (list(hand), {lead[1], trump})

    def cards(self) -> list[str]:
        names: list[str] = theirs.card_list(self.params["out_suit"])
        return names

    def play_body(self, seat: int, place: Any) -> dict[str, Any]:
        table, deal, hand = self.table, self.table.game.deal, self.hand(seat)
        lead = deal.trick.cards[deal.trick.leader]
        legal, ruled_out = self.legal_positions(hand, lead, deal.trump)
        position = self.chance.choice(legal)
        lane = table.deck
        x, chance = self.decks[lane.base].x[seat], self.decks[lane.base].chance
        base = table.masked(seat, position).c1
        token = theirs.combine((x, base))
        allowed = [card for card in self.cards() if card[1] not in ruled_out]
        void = []
        for one in sorted(set(hand) - {position}) if ruled_out else ():
            context = table.context(place, lane.seats, seat, b"void" + bytes([one]))
            parts = (table.masked(seat, one).c1, table.open_cards[seat, one], [theirs.card_element(c) for c in allowed])
            void.append(provers.prove_void(context, x, *parts, allowed.index(hand[one]), chance))
        proof = provers.prove_tokens(table.context(place, lane.seats, seat, b"play"), x, [base], [token], chance)
        return {"position": position, "card": hand[position], "token": token.data, "proof": proof, "void": void}

    # --- Rosters -----------------------------------------------------------------------------------------------------

    def roster_body(self, place: Any, seat: int) -> dict[str, Any]:
        """Wishes that the rules allow, as they come; as many as leave a deal or an end."""
        wishes = ("leave", "sit_out", "return", "return", "rebuy", "rebuy", "finish", "seat", "seat")
        honoured: list[bytes] = []
        if self.chance.random() < 0.06 + 0.1 * bool(self.table.game.pot()):
            honoured = [self.request(self.person(one), "finish") for one in self.table.present()]
        for _ in range(self.chance.choice((0, 0, 1, 2, 4))):
            wish = self.chance.choice(wishes)
            person = self.chance.choice(list(self.people.values()))
            raw = self.seat_message(person, self.table.id) if wish == "seat" else self.request(person, wish)
            if self.allowed(place, seat, [*honoured, raw]):
                honoured.append(raw)
        if not honoured and not self.allowed(place, seat, []):
            honoured = self.rescue(place, seat)
        return {"requests": honoured}

    def request(self, person: Person, wish: str) -> bytes:
        self.numbers[person.key] = self.numbers.get(person.key, 0) + self.chance.randint(1, 3)
        return person.sign(self.table.id, NOWHERE, "request", {"number": self.numbers[person.key], "wish": wish})

    def allowed(self, place: Any, seat: int, requests: list[bytes]) -> bool:
        raw = self.person(seat).sign(self.table.id, place, "roster", {"requests": requests})
        try:
            self.table.judge_roster(seat, theirs.read_envelope(raw))
        except theirs.BadLedgerError:
            return False
        return True

    def rescue(self, place: Any, seat: int) -> list[bytes]:
        """Returns of all who can, or nothing: then the table waits for ever."""
        raws = [self.request(self.people[key], "return") for key in self.table.keys if key is not None]
        for mask in range(1, 1 << len(raws)):
            chosen = [raw for i, raw in enumerate(raws) if mask >> i & 1]
            if self.allowed(place, seat, chosen):
                return chosen
        raise theirs.CutOffError


class ForgedTable(theirs.Table):  # type: ignore[misc, name-defined]  # as above
    """The second verifier's table, reading from a forge."""

    def __init__(self, forge: Forge) -> None:
        super().__init__(forge.data)
        self.records = forge
        forge.table = self


def random_params(chance: random.Random) -> dict[str, Any]:
    """Parameters under which much happens: few chips, all options."""
    return {
        "name": "Кухня",
        "seats": chance.choice((2, 3, 3, 4, 4, 5, 6)),
        "hand_size": chance.choice((3, 3, 4)),
        "out_suit": chance.choice("CDHS"),
        "ante": chance.choice((1, 5, 10)),
        "min_bid": chance.choice((1, 5, 10)),
        "start_chips": chance.choice((8, 20, 40, 200, 10**9)),
        "max_bids": chance.choice((1, 2, 3)),
        "opener_rule": chance.choice(("must_bid", "may_fold", "may_check")),
        "short_payout": chance.choice(("matched", "proportional")),
        "azi_replay": chance.choice(("all", "contenders", "buy_in")),
        "promoted_six": chance.random() < 0.5,
        "rebuy": chance.random() < 0.5,
        "deal_limit": chance.choice((0, 1, 2, 3)),
        "turn_seconds": chance.choice((5, 60, 600)),
    }


def forge_ledger(seed: int, *, absence: float | None = None, records: int = 150) -> tuple[bytes, bool, Any]:
    """A ledger that is valid by the second verifier's reading: its bytes, whether it is complete, the table."""
    chance = random.Random(seed)
    rate = chance.choice((0.0, 0.02, 0.1)) if absence is None else absence
    forge = Forge(seed, random_params(chance), absence=rate, records=records)
    table = ForgedTable(forge)
    with contextlib.suppress(theirs.CutOffError):
        table.run()
    return forge.data, table.complete, table
