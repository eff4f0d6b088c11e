"""Each allowance by itself: how much one author, or one link, makes a peer take in and pass on in one moment."""

from __future__ import annotations

from dataclasses import replace

from azi_p2p.rules import Params
from azi_p2p.session.allowance import seat_allowance, vote_allowance
from azi_p2p.session.effects import Effect, Send
from azi_p2p.session.running import MAX_POLLS
from azi_p2p.session.table import Table
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import NOWHERE, Place, decode_envelope
from azi_p2p.wire.frame import EnvelopeFrame
from tests.hostile.test_bounds import SEED, by, flood, lanes_of, playing, sign, stranger
from tests.session.harness import Network, make_me


def passed_on(effects: list[Effect] | list[object], kind: str) -> int:
    """How many messages of this type the effects pass on."""
    return sum(
        isinstance(effect, Send)
        and isinstance(effect.frame, EnvelopeFrame)
        and decode_envelope(effect.frame.envelope).type == kind
        for effect in effects
    )


def test_one_stranger_that_asks_for_a_seat_again_and_again() -> None:
    """Under one key, with another nonce each time: each would take the place of the last, and be passed on."""
    network = Network(SEED)
    host = make_me("Anna", SEED)
    founder = network.add(Table.host(host, Params(seats=3), "Kitchen"), "Anna", host.identity.public)
    bent = network.add(Table.watch(), "Bent", stranger(10**6).public)
    network.link(founder, bent)
    network.run(lambda: bent.table.table_id is not None)
    params = founder.table.gathering.params
    assert params is not None

    def request(number: int) -> bytes:
        body = messages.SeatRequest(nickname="Nobody", nonce=number.to_bytes(32, "big"), params=params)
        return sign(stranger(1), network, NOWHERE, body)

    effects = flood(network, founder, bent, (request(number) for number in range(400)))
    assert 0 < passed_on(effects, "seat") <= seat_allowance().burst


def test_one_voter_in_one_round_after_another() -> None:
    network, honest, bent = playing()
    place = replace(lanes_of(honest).play.place, lane="vote")

    def vote(number: int) -> bytes:
        body = messages.Vote(lane="play", seat=1, round=number, verdict="claim", move=b"", evidence=[])
        return sign(by(bent), network, place, body)

    effects = flood(network, honest, bent, (vote(number) for number in range(400)))
    assert 0 < passed_on(effects, "vote") <= vote_allowance().burst


def test_one_voter_that_asks_about_heads_that_nobody_knows() -> None:
    """Each could be the head of a step that hasn't come here yet, so some are kept; so many, and no more."""
    network, honest, bent = playing()
    here = lanes_of(honest).play.place
    before = len(lanes_of(honest).ballots.polls)

    def vote(number: int) -> bytes:
        place = Place("vote", here.deal, 0, here.step + 1, (number + 1).to_bytes(32, "big"))
        body = messages.Vote(lane="play", seat=1, round=0, verdict="claim", move=b"", evidence=[])
        return sign(by(bent), network, place, body)

    flood(network, honest, bent, (vote(number) for number in range(80)))
    assert len(lanes_of(honest).ballots.polls) == before + MAX_POLLS
