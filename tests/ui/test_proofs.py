"""The list of proofs: one line for each, whose it is, how long it took."""

from __future__ import annotations

import dataclasses

import pytest

from azi_p2p.rules import Bid, Call, Card, Params, Play
from azi_p2p.session import events as happened
from azi_p2p.session.context import Context
from azi_p2p.session.jobs import CheckPlay, CheckShuffle, CheckTokens, MakeShuffle, MaskedCard
from azi_p2p.session.view import Phase, ProofTally, TableView
from azi_p2p.ui.i18n import LANGUAGES, catalogue
from azi_p2p.ui.proofs import Proofs
from azi_p2p.ui.words import Words
from azi_p2p.wire import messages
from tests.ui.tables import after, dealt, gathering, shown

ELEMENT = bytes(32)


def context(deal: int, seat: int, lane: str) -> Context:
    return Context(bytes(32), bytes(32), ((seat, bytes(32)),), lane, deal, 0, 1, bytes(32), seat)


def check_shuffle(deal: int, seat: int) -> CheckShuffle:
    return CheckShuffle((), ELEMENT, messages.Shuffle(deck=b"", proof=b""), context(deal, seat, "deck"))  # type: ignore[arg-type]  # nothing is decoded


def view_before_the_cards(done: int, expected: int) -> TableView:
    return dataclasses.replace(
        gathering(Params(), 3),
        phase=Phase.PREPARING,
        proofs=ProofTally(done, expected, own_shuffle=done > 0, tokens=0, voids=0),
    )


def listed(proofs: Proofs, view: TableView, *kinds: str) -> list[str]:
    return [text for place, text in proofs.lines(view) if place in kinds]


def test_each_shuffle_has_a_line_with_its_time() -> None:
    proofs = Proofs(Words(catalogue("en")))
    view = view_before_the_cards(2, 3)
    proofs.timed(MakeShuffle((), ELEMENT, context(1, 0, "deck"), bytes), 0.0121)  # type: ignore[arg-type]  # nothing is run
    proofs.timed(check_shuffle(1, 1), 0.0079)
    for seat in (0, 1):
        proofs.add([happened.ShuffleProven(1, seat, seat + 1, 3)], view)
    assert listed(proofs, view, "proof", "note") == [
        "You: made by your program in 12 ms",
        "Ben: checked in 8 ms",
        "1 shuffle is still to come",
    ]


def test_a_deck_that_was_given_up_begins_its_list_again() -> None:
    proofs = Proofs(Words(catalogue("en")))
    view = view_before_the_cards(1, 3)
    for seat, done in ((0, 1), (1, 2), (1, 1)):
        proofs.add([happened.ShuffleProven(1, seat, done, 3)], view)
    assert listed(proofs, view, "proof") == ["Ben: holds"]


def test_tokens_and_cards_follow_with_the_suits_that_are_proven_missing() -> None:
    proofs = Proofs(Words(catalogue("en")))
    state = after(dealt(["AS KS 9H", "6H 7D QH"], "TD", draw=1), Bid(1, 20), Call(0))
    view = shown(state)
    proofs.add([happened.CardsDealt(1)], view)
    proofs.timed(CheckTokens(ELEMENT, (), messages.Tokens(tokens=[], proof=b""), context(1, 1, "play")), 0.0031)  # type: ignore[arg-type]  # nothing is decoded
    played = messages.Play(position=1, card="7D", token=b"", proof=b"", void=[])
    masked = MaskedCard(ELEMENT, ELEMENT)  # type: ignore[arg-type]  # nothing is decoded
    job = CheckPlay(ELEMENT, masked, ELEMENT, {}, (), played, context(1, 1, "play"))  # type: ignore[arg-type]  # the same
    proofs.timed(job, 0.0004)
    proofs.add([happened.ActionTaken(1, Play(1, Card("7D"), 1), ("S", "H"))], view)
    assert listed(proofs, view, "proof") == [
        "You: holds",
        "Ben: checked in 3 ms",
        "Ben, seven of diamonds (7D), without spades, without hearts: checked in 1 ms",
    ]
    assert len(listed(proofs, view, "meaning")) == 4


def test_only_this_deal_and_the_next_are_kept() -> None:
    proofs = Proofs(Words(catalogue("en")))
    view = view_before_the_cards(1, 1)
    for deal in range(1, 200):
        proofs.timed(check_shuffle(deal, 1), 0.01)
        proofs.add([happened.ShuffleProven(deal, 1, 1, 1)], dataclasses.replace(view, deal=deal))
    assert listed(proofs, dataclasses.replace(view, deal=199), "proof") == ["Ben: checked in 10 ms"]
    assert listed(proofs, view, "proof") == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_is_a_sentence_of_the_language(language: str) -> None:
    proofs = Proofs(Words(catalogue(language)))
    view = view_before_the_cards(1, 4)
    proofs.timed(check_shuffle(1, 1), 0.01)
    proofs.add([happened.ShuffleProven(1, 1, 1, 4)], view)
    lines = [text for _, text in proofs.lines(view)]
    assert all(line.strip() and "{" not in line for line in lines)
    assert any("10" in line for line in lines)
