"""What must hold after every event of a simulated evening, looked at again only where something has changed.

Chips are conserved; closed steps are the same at all honest peers; no honest peer is blamed or accused; nobody honest
signs two messages for one slot; no card is known to anybody but its owner before the owner plays it.
"""

from __future__ import annotations

from collections.abc import Collection

from azi_p2p import rules
from azi_p2p.crypto.cards import card_elements
from azi_p2p.crypto.group import sub
from azi_p2p.session.archive import RecordedStep
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.own import SecretRecord
from azi_p2p.session.playstate import PlayState
from azi_p2p.session.slots import slot_of
from azi_p2p.wire.codec import decode
from azi_p2p.wire.envelope import Envelope
from azi_p2p.wire.messages import Play, Tokens


class Seen:
    """What of one peer was looked at last; a program that is started again begins anew, but for its signatures."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.signed: dict[object, bytes] = {}
        self.secrets: dict[bytes, int] = {}
        self.again()

    def unsign(self, envelopes: Collection[bytes]) -> None:
        """These envelopes (ids) had reached nobody, and their author has lost them: their slots are free again."""
        self.signed = {slot: first for slot, first in self.signed.items() if first not in envelopes}

    def again(self) -> None:
        """The peer's program was started again."""
        self.play: PlayState | None = None
        self.last: RecordedStep | None = None


class Invariants:
    """Everything that was seen at this table so far."""

    def __init__(self, *, conserving: bool) -> None:
        """`conserving`: whether the chips on the table never become more (no rebuys)."""
        self._conserving = conserving
        self._closed: dict[tuple[int, int], tuple[bytes, bytes]] = {}
        self._published: dict[int, set[bytes]] = {}
        self._tokens_of_cards: dict[tuple[bytes, int], frozenset[bytes]] = {}
        self._shown: set[tuple[int, bytes, int]] = set()

    def check(self, name: str, seen: Seen, lanes: Lanes, honest: frozenset[bytes]) -> None:
        """Look at an honest peer after an event. `honest`: the keys of all honest peers."""
        play = lanes.play
        if play is not seen.play:
            before, seen.play = seen.play, play
            if before is None or before.game is not play.game:
                self._check_chips(play)
                self._check_known(name, play)
            self._check_hidden(play, honest)
        self._check_closed(name, seen, lanes)

    def _check_chips(self, play: PlayState) -> None:
        if self._conserving:
            seated = sum(member is not None for member in play.members)
            assert rules.conserved(play.game) == seated * play.params.start_chips, "chips were made or lost"

    def _check_closed(self, name: str, seen: Seen, lanes: Lanes) -> None:
        archive = lanes.archive
        last = archive.steps[archive.written - 1] if archive.written else None
        if last is seen.last:
            return
        for step in reversed(archive.steps[: archive.written]):
            if step is seen.last:
                break
            place = (step.deal, step.step)
            known = self._closed.setdefault(place, (lanes.play.table, step.head))
            assert known == (lanes.play.table, step.head), f"{name} closed another step at {place}"
        seen.last = last

    # Signatures

    def signs(self, name: str, seen: Seen, envelope: Envelope) -> None:
        """An honest peer is about to send an envelope of its own."""
        slot = slot_of(envelope)
        if slot is not None:
            assert seen.signed.setdefault(slot, envelope.id) == envelope.id, f"{name} signs twice for {slot}"

    # Cards

    def keeps_secret(self, seen: Seen, record: bytes) -> None:
        """An honest peer has written a deal secret into its journal."""
        secret = decode(record, SecretRecord, limit=4096)
        seen.secrets[secret.secret] = secret.deal

    def sends(self, name: str, seen: Seen, data: bytes) -> None:
        """An honest peer sends these bytes: no secret of its own is in them, of whatever deal."""
        for secret in seen.secrets:
            assert secret not in data, f"{name} sends its deal secret"

    def publishes(self, envelope: Envelope) -> None:
        """An envelope, whoever's, is signed or on its way: what it opens, everybody may know from now on."""
        body = envelope.body
        if isinstance(body, Tokens):
            self._published.setdefault(envelope.deal, set()).update(body.tokens)
        elif isinstance(body, Play):
            self._published.setdefault(envelope.deal, set()).add(body.token)
            self._shown.add((envelope.deal, envelope.author, body.position))

    def _check_known(self, name: str, play: PlayState) -> None:
        """The shared game has no card that its owner hasn't played; also none that it laid aside."""
        if play.hands:
            self._check_hands(name, play, play.game, None)

    def sees(self, name: str, lanes: Lanes, seat: int, game: rules.State) -> None:
        """A person at an honest peer, who holds `seat`, is shown this game."""
        if lanes.play.hands:
            self._check_hands(name, lanes.play, game, seat)

    def _check_hands(self, name: str, play: PlayState, game: rules.State, own: int | None) -> None:
        assert game.deal is not None
        for seat, hand in enumerate(game.deal.hands):
            member = play.members[seat]
            for position, card in enumerate(hand or ()):
                if card is not None and member is not None and seat != own:
                    shown = (play.deal, member.key, position) in self._shown
                    assert shown, f"{name} knows a card of {member.name} that was not played"

    def _check_hidden(self, play: PlayState, honest: frozenset[bytes]) -> None:
        """No token that anybody has sent opens a card that its honest owner has not played.

        All the others' tokens are taken off a dealt card already. It is open to whoever has the one token that leaves
        a card of the deck; these can be reckoned for each card there is.
        """
        published = self._published.get(play.deal)
        if not published or not play.hands or play.deck is None:
            return
        names = rules.deck_of(play.params)
        cards = card_elements(names)
        for seat, hand in play.hands.items():
            member = play.members[seat]
            if member is None or member.key not in honest:
                continue
            for position, masked in enumerate(hand):
                if (play.deal, member.key, position) in self._shown:
                    continue
                tokens = self._tokens_of_cards.get((masked.d, position))
                if tokens is None:
                    tokens = frozenset(bytes(sub(masked.d, card)) for card in cards)
                    self._tokens_of_cards[(masked.d, position)] = tokens
                assert tokens.isdisjoint(published), f"a card of {member.name} is open to the others"
