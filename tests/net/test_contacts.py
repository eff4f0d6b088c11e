"""The address book: bounded, patient with peers that were there, forgetful of those that never were."""

from __future__ import annotations

import pytest

from azi_p2p.net.addresses import Address, claimed_address, own_hosts, parse_address
from azi_p2p.net.contacts import (
    COURTESY,
    FIRST_DELAY,
    LAST_DELAY,
    MAX_ADDRESSES,
    MAX_CONTACTS,
    PATIENCE,
    Contacts,
)
from azi_p2p.net.errors import NetError

LOW, OWN, HIGH = b"\x01" * 32, b"\x50" * 32, b"\xf0" * 32
HERE, THERE = Address("10.0.0.1", 4000), Address("10.0.0.2", 4000)


def stranger(number: int) -> bytes:
    return b"\xff" + number.to_bytes(31, "big")


def test_who_has_the_higher_key_waits_a_moment() -> None:
    book = Contacts(OWN)
    assert book.suggest(HIGH, [HERE], 10.0)
    assert book.suggest(LOW, [THERE], 10.0)
    assert [contact.peer for contact in book.due(10.0, ())] == [HIGH]
    assert book.next_due(()) == 10.0 + COURTESY
    assert [contact.peer for contact in book.due(10.0 + COURTESY, ())] == [LOW]


def test_own_key_and_empty_hints_are_no_news() -> None:
    book = Contacts(OWN)
    assert not book.suggest(OWN, [HERE], 0.0)
    assert not book.suggest(HIGH, [], 0.0)
    assert book.suggest(HIGH, [HERE], 0.0)
    assert not book.suggest(HIGH, [HERE], 0.0)
    assert book.suggest(HIGH, [HERE, THERE], 0.0)


def test_linked_peers_arent_dialled_and_lost_ones_soon_are() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    assert book.due(1.0, {HIGH}) == []
    [contact] = book.due(1.0, ())
    assert book.due(1.0, ()) == [], "it is being dialled already"
    book.reached(HIGH, HERE)
    book.lost(HIGH, 20.0, lasted=19.0)
    assert book.next_due(()) == 20.0 + FIRST_DELAY
    assert book.due(20.0 + FIRST_DELAY, ()) == [contact]


def test_peer_that_hangs_up_at_once_is_dialled_ever_more_rarely() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    now, delays = 0.0, []
    for _ in range(6):
        [_contact] = book.due(now, ())
        book.reached(HIGH, HERE)
        book.lost(HIGH, now, lasted=0.01)
        due = book.next_due(())
        assert due is not None
        delays.append(due - now)
        now = due
    assert delays == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0]
    book.due(now, ())
    book.reached(HIGH, HERE)
    book.lost(HIGH, now + 60.0, lasted=60.0)
    assert book.next_due(()) == now + 60.0 + FIRST_DELAY


def test_when_a_link_comes_up_the_others_are_dialled_at_once_unless_they_are_barred() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    book.suggest(stranger(1), [THERE], 0.0)
    book.lost(stranger(1), 0.0, lasted=60.0, not_before=110.0)
    for now in (1.0, 20.0, 40.0, 60.0, 100.0):
        for contact in book.due(now, {stranger(1)}):
            book.failed(contact, now)
    assert book.next_due({stranger(1)}) == 100.0 + LAST_DELAY
    book.hurry(101.0)
    assert book.next_due({stranger(1)}) == 101.0
    assert [contact.peer for contact in book.due(101.0, ())] == [HIGH]
    assert book.next_due({HIGH}) == 110.0


def test_delays_double_up_to_the_last() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    book.reached(HIGH, HERE)
    now, delays = 0.0, []
    for _ in range(10):
        [contact] = book.due(now, ())
        book.failed(contact, now)
        due = book.next_due(())
        assert due is not None
        delays.append(due - now)
        now = due
    assert delays == [0.5, 1.0, 2.0] + [LAST_DELAY] * 7


def test_peer_that_never_answers_is_forgotten_and_one_that_did_is_not() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    book.suggest(LOW, [THERE], 0.0)
    book.reached(LOW, THERE)
    now = 1.0
    for _ in range(PATIENCE):
        for contact in book.due(now, ()):
            book.failed(contact, now)
        now += LAST_DELAY
    assert book.get(HIGH) is None
    assert book.get(LOW) is not None
    assert book.suggest(HIGH, [HERE], now), "it may come back"


def test_news_of_an_address_ends_the_wait() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    for now in (0.0, 100.0, 200.0, 300.0, 1000.0):
        [contact] = book.due(now, ())
        book.failed(contact, now)
    assert book.due(1001.0, ()) == []
    book.suggest(HIGH, [THERE], 1001.0)
    [contact] = book.due(1001.0, ())
    assert contact.addresses == [THERE, HERE]


def test_what_has_worked_comes_first_and_stays_whatever_is_claimed() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    book.reached(HIGH, HERE)
    for number in range(50):
        book.suggest(HIGH, [Address("10.9.9.9", 1000 + number)], 0.0)
    contact = book.get(HIGH)
    assert contact is not None
    assert contact.addresses[0] == HERE
    assert len(contact.addresses) == MAX_ADDRESSES + 1
    book.forget(contact, HERE)
    assert HERE not in contact.addresses


def test_flood_of_strangers_stays_bounded_and_keeps_those_that_were_linked() -> None:
    book = Contacts(OWN)
    book.suggest(HIGH, [HERE], 0.0)
    book.reached(HIGH, HERE)
    for number in range(1000):
        book.suggest(stranger(number), [THERE], 0.0)
    assert len(book) == MAX_CONTACTS
    for contact in book.due(1.0, ()):
        if contact.peer != HIGH:
            book.failed(contact, 1.0)
    assert book.suggest(LOW, [THERE], 1.0), "those that failed make room"
    assert len(book) == MAX_CONTACTS
    assert book.get(HIGH) is not None


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("192.168.1.20:4000", Address("192.168.1.20", 4000)),
        (" laptop.local:1 ", Address("laptop.local", 1)),
        ("[fe80::1%eth0]:65535", Address("fe80::1%eth0", 65535)),
    ],
)
def test_typed_addresses(typed: str, address: Address) -> None:
    assert parse_address(typed) == address
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "typed",
    [
        "",
        ":",
        ":4000",
        "host",
        "host:",
        "host:port",
        "host:0",
        "host:65536",
        "host:-1",
        "host:٤",
        "fe80::1:4000",
        "[]:1",
    ],
)
def test_typed_addresses_that_cant_be_and_the_mend(typed: str) -> None:
    with pytest.raises(NetError) as caught:
        parse_address(typed)
    assert "\n" not in str(caught.value)
    assert "65535" in str(caught.value) or ":4000" in str(caught.value)


def test_claimed_addresses() -> None:
    assert claimed_address("::ffff:10.0.0.1", 1, loopback=False) == Address("10.0.0.1", 1)
    assert claimed_address("fe80::1%2", 1, loopback=False) == Address("fe80::1%2", 1)
    assert claimed_address("127.0.0.1", 1, loopback=True) == Address("127.0.0.1", 1)
    for host in (
        "127.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "239.1.1.1",
        "host",
        "10.0.0.1 ",
    ):
        assert claimed_address(host, 1, loopback=False) is None
    for port in (0, -1, 65536):
        assert claimed_address("10.0.0.1", port, loopback=False) is None


def test_own_hosts_are_never_empty() -> None:
    assert own_hosts(loopback=True) == ["127.0.0.1"]
    assert own_hosts()
