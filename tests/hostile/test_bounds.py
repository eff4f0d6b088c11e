"""What one author or one link can make a session keep, do and say. No sockets here; those are in `test_floods`.

In each test a third peer with a seat, or a stranger without one, sends far more than an honest peer would. The honest
ones keep little of it, and play to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count

import pytest

from azi_p2p.crypto.identity import IdentityKey
from azi_p2p.rules import Params
from azi_p2p.session.effects import DropLink, Notify, Send
from azi_p2p.session.events import FaultSeen, Said, WishHeard
from azi_p2p.session.filing import BUFFER_OF_STRANGERS, BUFFER_PER_AUTHOR
from azi_p2p.session.lanes import Lanes
from azi_p2p.session.table import Table
from azi_p2p.session.votes import OLDER_KEPT, Poll, Question
from azi_p2p.session.wishes import MAX_APPLICATIONS
from azi_p2p.wire import messages
from azi_p2p.wire.envelope import NOWHERE, SIGNATURE_DOMAIN, Place, encode_payload, seal
from azi_p2p.wire.frame import EnvelopeFrame, StatusFrame
from tests.session.harness import Network, Peer, all_ended, make_me, table_of

SEED = 5


def playing() -> tuple[Network, Peer, Peer]:
    """A table of three with cards out: the network, an honest peer, and the dishonest one."""
    network = table_of(3, Params(seats=3, deal_limit=1), SEED)
    network.run(lambda: any(option.do == "bid" for peer in network.peers for option in peer.table.view().legal))
    return network, network.peers[0], network.peers[2]


def lanes_of(peer: Peer) -> Lanes:
    assert peer.table.lanes is not None
    return peer.table.lanes


def sign(identity: IdentityKey, network: Network, place: Place, body: messages.Body) -> bytes:
    table = network.peers[0].table.table_id
    assert table is not None
    payload = encode_payload(table, identity.public, place, body)
    return seal(payload, identity.sign(SIGNATURE_DOMAIN, payload))


def by(peer: Peer) -> IdentityKey:
    return make_me(peer.name, SEED).identity


def stranger(number: int) -> IdentityKey:
    return IdentityKey.from_seed(number.to_bytes(32, "big"))


def flood(network: Network, victim: Peer, sender: Peer, raws: Iterable[bytes]) -> list[object]:
    """Hand all of these to the victim over the sender's link, at one moment; gives the effects."""
    effects: list[object] = []
    for raw in raws:
        done = victim.table.receive(EnvelopeFrame(raw), sender.key, network.now)
        network._perform(victim, done)
        effects += done
    return effects


def goes_on(network: Network, bent: Peer) -> None:
    """The others end their table, whatever the dishonest one has sent; nobody honest is blamed."""
    network.kill(bent)
    network.run(lambda: all_ended(network))
    for peer in network.peers[:2]:
        blamed = {event.seat for event in peer.events if isinstance(event, FaultSeen)}
        assert blamed <= {lanes_of(peer).play.seat_of(bent.key)}


def vote(place: Place, number: int = 0, evidence: tuple[bytes, ...] = ()) -> tuple[Place, messages.Vote]:
    body = messages.Vote(lane="play", seat=1, round=number, verdict="claim", move=b"", evidence=list(evidence))
    return Place("vote", place.deal, place.attempt, place.step, place.prev), body


def test_votes_about_deals_that_never_come() -> None:
    network, honest, bent = playing()
    before = len(lanes_of(honest).ballots.polls)
    places = (Place("play", deal, 0, 1, bytes([deal % 256]) * 32) for deal in range(3, 403))
    flood(network, honest, bent, (sign(by(bent), network, *vote(place)) for place in places))
    assert len(lanes_of(honest).ballots.polls) == before
    goes_on(network, bent)


def test_votes_about_more_places_than_there_are() -> None:
    network, honest, bent = playing()
    here = lanes_of(honest).play.place
    before = len(lanes_of(honest).ballots.polls)
    places = (Place("play", here.deal, 0, step, here.prev) for step in range(400))
    flood(network, honest, bent, (sign(by(bent), network, *vote(place)) for place in places))
    assert len(lanes_of(honest).ballots.polls) == before + 1, "this head has one place"
    goes_on(network, bent)


def test_votes_in_one_round_after_another_with_large_evidence() -> None:
    network, honest, bent = playing()
    here = lanes_of(honest).play.place
    large = sign(by(bent), network, here, messages.Shuffle(deck=bytes(4000), proof=bytes(8000)))

    def votes() -> Iterable[bytes]:
        for number in range(0, 1000, 2):
            network.now += 0.13
            yield sign(by(bent), network, *vote(here, number, (large, large)))

    flood(network, honest, bent, votes())
    poll = lanes_of(honest).ballots.polls[Question(here, 1)]
    assert sum(len(votes) for votes in poll.votes.values()) <= 2 * 3 + OLDER_KEPT
    assert len(lanes_of(honest).faults.book._signed) < 50
    assert len(lanes_of(honest)._filing._filed) < 100
    assert sum(len(e.raw) for e in lanes_of(honest).faults.book._signed.values()) < 1_000_000
    goes_on(network, bent)


def test_a_round_beyond_all_others_takes_nobody_there() -> None:
    """One of three that claims to be in the last round there is can't keep the others from meeting in the first."""
    poll = Poll(Question(Place("play", 1, 0, 1, bytes(32)), 2))
    poll.reached = {0: 10**6, 1: 4}
    assert poll.agreed_round([0, 1, 2]) == 4
    poll.reached = {0: 10**6}
    assert poll.agreed_round([0, 1, 2]) == 0
    poll.reached = {0: 10**6, 1: 10**6 - 1, 2: 3, 3: 2}
    assert poll.agreed_round([0, 1, 2, 3, 4]) == 3


def test_a_table_ends_though_one_votes_in_the_last_round_of_all() -> None:
    network, honest, bent = playing()
    silent = network.peers[1]
    silent.chooser = None
    network.unlink(silent, honest)
    network.unlink(silent, bent)
    here = lanes_of(honest).play.place
    body = messages.Vote(lane="play", seat=1, round=10**6, verdict="claim", move=b"", evidence=[])
    place = Place("vote", here.deal, here.attempt, here.step, here.prev)
    flood(network, honest, bent, [sign(by(bent), network, place, body)])
    network.run(lambda: network.now > 1300)
    assert honest.alive
    network.link(silent, honest)
    silent.chooser = honest.chooser
    goes_on(network, bent)


def test_messages_of_strangers_are_hardly_kept() -> None:
    network, honest, bent = playing()
    here = lanes_of(honest).play.place
    filed = len(lanes_of(honest)._filing._filed)
    now = [sign(stranger(n), network, here, messages.Fold()) for n in range(300)]
    later = [
        sign(stranger(n), network, Place("play", here.deal, 0, here.step + 1, n.to_bytes(32, "big")), messages.Fold())
        for n in range(300)
    ]
    effects = flood(network, honest, bent, now + later)
    assert lanes_of(honest).buffered <= BUFFER_OF_STRANGERS
    assert len(lanes_of(honest)._filing._filed) == filed
    assert sum(isinstance(effect, Send) for effect in effects) <= BUFFER_OF_STRANGERS
    goes_on(network, bent)


def test_messages_for_steps_to_come_are_kept_up_to_a_bound() -> None:
    network, honest, bent = playing()
    here = lanes_of(honest).play.place
    raws = [
        sign(by(bent), network, Place("play", here.deal + n % 9, 0, here.step, n.to_bytes(32, "big")), messages.Fold())
        for n in range(1, 1000)
    ]
    flood(network, honest, bent, raws)
    assert lanes_of(honest).buffered <= BUFFER_PER_AUTHOR
    goes_on(network, bent)


def test_one_head_named_with_many_deals() -> None:
    """A seat that moved at a step names its head again and again, each time with another deal."""
    network, honest, bent = playing()
    lanes = lanes_of(honest)
    seat = lanes.play.seat_of(bent.key)
    past = next(step for step in lanes.past.values() if seat in step.owed and step.state is not None)
    kept = (len(lanes._filing._filed), len(lanes.faults.book._signed), lanes.buffered)
    raws = (
        sign(by(bent), network, Place("play", deal, 0, past.place.step, past.place.prev), messages.Fold())
        for deal in range(2, 600)
    )
    flood(network, honest, bent, raws)
    assert (len(lanes._filing._filed), len(lanes.faults.book._signed), lanes.buffered) == kept
    goes_on(network, bent)


def test_one_breach_after_another() -> None:
    """Once a seat's fault is proven, more of them are neither told, kept nor passed on."""
    network, honest, bent = playing()
    here = lanes_of(honest).play.place
    raws = (sign(by(bent), network, here, messages.Bid(to=10**9 + n)) for n in range(500))
    effects = flood(network, honest, bent, raws)
    assert sum(isinstance(effect, Notify) and isinstance(effect.event, FaultSeen) for effect in effects) <= 2
    assert sum(isinstance(effect, Send) and isinstance(effect.frame, EnvelopeFrame) for effect in effects) < 10
    goes_on(network, bent)


@pytest.mark.parametrize(
    ("make", "event", "most"),
    [
        (lambda n: messages.Chat(number=n, text="Hello!"), Said, 10),
        (lambda n: messages.Request(number=n, wish=("sit_out", "return", "pause", "resume")[n % 4]), WishHeard, 12),
    ],
)
def test_talk_is_cheap_but_not_free(make: Callable[[int], messages.Body], event: type, most: int) -> None:
    network, honest, bent = playing()
    numbers = count(1)
    raws = [sign(by(bent), network, NOWHERE, make(next(numbers))) for _ in range(500)]
    effects = flood(network, honest, bent, raws)
    assert sum(isinstance(effect, Notify) and isinstance(effect.event, event) for effect in effects) == most
    network.now += 3
    effects = flood(network, honest, bent, [sign(by(bent), network, NOWHERE, make(next(numbers))) for _ in range(50)])
    assert sum(isinstance(effect, Notify) and isinstance(effect.event, event) for effect in effects) == 3
    goes_on(network, bent)


def test_who_does_nothing_but_flood_is_hung_up_on() -> None:
    network, honest, bent = playing()
    raws = [sign(stranger(n), network, NOWHERE, messages.Chat(number=1, text="x")) for n in range(1500)]
    drops = [effect for effect in flood(network, honest, bent, raws) if isinstance(effect, DropLink)]
    assert drops
    assert {drop.peer for drop in drops} == {bent.key}
    assert "flood" in drops[0].reason


def test_a_flood_of_questions_gets_few_answers() -> None:
    network, honest, bent = playing()
    table = honest.table.table_id
    assert table is not None
    effects = []
    for number in range(2000):
        status = StatusFrame(
            table=table,
            deal=0,
            step=number,
            head=bytes(32),
            held=0,
            deck_deal=0,
            deck_attempt=0,
            deck_step=0,
            deck_held=0,
            wants_answer=True,
        )
        effects += honest.table.receive(status, bent.key, network.now)
    answers = [effect for effect in effects if isinstance(effect, Send) and isinstance(effect.frame, StatusFrame)]
    assert len(answers) <= 40
    assert any(isinstance(effect, DropLink) for effect in effects)


def seat_request(network: Network, identity: IdentityKey, nonce: int = 1) -> bytes:
    params = network.peers[0].table.gathering.params
    assert params is not None
    body = messages.SeatRequest(nickname="Nobody", nonce=nonce.to_bytes(32, "big"), params=params)
    return sign(identity, network, NOWHERE, body)


def test_thousands_of_seat_requests_before_the_founding() -> None:
    """Invented keys fill the list; a peer that really is there gets its seat all the same."""
    params = Params(seats=3, deal_limit=1)
    network = Network(SEED)
    host = make_me("Anna", SEED)
    founder = network.add(Table.host(host, params, "Kitchen"), "Anna", host.identity.public)
    bent = network.add(Table.watch(), "Bent", stranger(10**6).public)
    network.link(founder, bent)
    network.run(lambda: bent.table.table_id is not None)
    flood(network, founder, bent, (seat_request(network, stranger(n)) for n in range(3000)))
    assert len(founder.table.gathering.seats) <= 32
    for name in ("Ben", "Katya"):
        me = make_me(name, SEED)
        peer = network.add(Table.join(me), name, me.identity.public)
        network.link(founder, peer)
    network.unlink(founder, bent)
    network.peers.remove(bent)
    network.run(lambda: all_ended(network))
    assert {member.name for member in lanes_of(founder).play.members if member is not None} == {"Anna", "Ben", "Katya"}


def test_thousands_of_seat_requests_at_a_running_table() -> None:
    network = table_of(3, Params(seats=4, deal_limit=3), SEED)
    network.peers[0].table._started = True
    network.run(lambda: all(peer.table.lanes is not None for peer in network.peers))
    honest, bent = network.peers[0], network.peers[2]
    flood(network, honest, bent, (seat_request(network, stranger(n)) for n in range(3000)))
    assert len(honest.table._wishes.applications) <= MAX_APPLICATIONS
    me = make_me("Pieter", SEED)
    late = network.add(Table.join(me), "Pieter", me.identity.public)
    for peer in network.peers[:3]:
        network.link(peer, late)
    network.kill(bent)
    network.run(lambda: lanes_of(honest).play.seat_of(late.key) is not None or honest.table.ended)
    assert lanes_of(honest).play.seat_of(late.key) is not None


def test_evidence_from_another_table_fills_no_buffer() -> None:
    """A vote encloses what an honest peer has signed elsewhere: it is nothing to this table."""
    network, honest, bent = playing()
    other = network.peers[1]
    here = lanes_of(honest).play.place
    buffered = lanes_of(honest).buffered

    def elsewhere(number: int) -> bytes:
        place = Place("play", here.deal, 0, here.step, number.to_bytes(32, "big"))
        payload = encode_payload(b"t" * 32, other.key, place, messages.Fold())
        return seal(payload, by(other).sign(SIGNATURE_DOMAIN, payload))

    flood(network, honest, bent, (sign(by(bent), network, *vote(here, n, (elsewhere(n),))) for n in range(60)))
    assert lanes_of(honest).buffered == buffered
    goes_on(network, bent)
