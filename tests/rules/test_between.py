"""Between deals: joining, leaving, the end of a table, standings, closing."""

from __future__ import annotations

import pytest

from azi_p2p.rules import (
    Absent,
    Action,
    Bid,
    BuyIn,
    Call,
    Card,
    CloseTable,
    Deal,
    Decline,
    Fold,
    IllegalAction,
    Join,
    Leave,
    Params,
    Phase,
    Play,
    Rebuy,
    Return,
    SeatStatus,
    SitOut,
    State,
    TakePot,
    Void,
    apply,
    can_take_pot,
    conserved,
    deal_seats,
    digest,
    is_over,
    needs_draw,
    new_table,
    opener_place,
    owed,
    replay,
    standings,
)
from azi_p2p.rules.state import IN_DEAL
from tests.rules.kit import code_of, hands, play_all, table

AZI_HANDS = hands("AS 6D 6H", "6S AD 7H", "7S 7D KH")
AZI_CARDS = ((0, "AS"), (1, "6S"), (2, "7S"), (0, "6D"), (1, "AD"), (2, "7D"), (1, "7H"), (2, "KH"), (0, "6H"))


def after_azi(*chips: int, **params: object) -> State:
    """Three seats with one trick each; others at the table have folded after a bid to 20."""
    dealt = (*AZI_HANDS, *hands("9S 9D 9H", "TS TD QH")[: len(chips) - 3])
    state = apply(table(list(chips), **params), Deal(dealt, Card("JH"), 0))
    state = play_all(state, Bid(0, 20), Call(1), Call(2), *[Fold(seat) for seat in range(3, len(chips))])
    return play_all(state, *[Play(seat, Card(card)) for seat, card in AZI_CARDS])


def test_new_table() -> None:
    state = table([100, None, 0])
    assert state.status == (SeatStatus.IN, SeatStatus.EMPTY, SeatStatus.IN)
    assert state.chips == (100, 0, 0)
    assert deal_seats(state) == (0,)
    assert needs_draw(state)
    assert opener_place(state) is None
    assert owed(state) == ()
    assert state.pot == 0
    assert state.deal is None


@pytest.mark.parametrize("chips", [[1], [1, 2, 3], [1, True], [1, "2"], [1, -1], [1, 10**9 + 1], [1, 1.0]])
def test_new_table_refuses(chips: list[int | None]) -> None:
    with pytest.raises(IllegalAction):
        new_table(Params(seats=2), chips)


@pytest.mark.parametrize("winner", [-1, 2, True, "0"])
def test_new_table_refuses_a_winner(winner: int) -> None:
    with pytest.raises(IllegalAction):
        new_table(Params(seats=2), [1, 1], winner)


def test_join_takes_an_empty_place_or_one_that_was_left() -> None:
    state = table([100, None, 100], start_chips=77)
    assert code_of(state, Join(0)) == "not_allowed"
    joined = apply(state, Join(1))
    assert joined.chips == (100, 77, 100)
    assert deal_seats(joined) == (0, 1, 2)
    left = apply(joined, Leave(0))
    assert left.chips == (100, 77, 100), "chips of a seat that left stay its own"
    assert deal_seats(left) == (1, 2)
    assert code_of(left, Return(0)) == "not_allowed"
    assert code_of(left, Leave(0)) == "not_allowed"
    assert code_of(left, SitOut(0)) == "not_allowed"
    assert apply(left, Join(0)).chips == (77, 77, 100)


def test_nobody_joins_while_a_pot_is_carried() -> None:
    state = after_azi(100, 100, 100, 100)
    assert state.pot == 100
    left = apply(state, Leave(3))
    assert code_of(left, Join(3)) == "not_allowed"


def test_wishes_wait_for_the_end_of_the_deal() -> None:
    state = apply(table([100, 100, 100], rebuy=True), Deal(AZI_HANDS, Card("JH"), 0))
    assert state.phase in IN_DEAL
    for action in (SitOut(1), Return(1), Rebuy(1), Join(1), Void((1,)), TakePot(), BuyIn(1), Decline(1)):
        assert code_of(state, action) == "wrong_phase", action
    assert code_of(state, Leave(1)) == "not_your_turn"
    assert code_of(state, Deal(AZI_HANDS, Card("JH"), 0)) == "wrong_phase"


def test_opener_place_skips() -> None:
    state = new_table(Params(), [100, 100, 100, 100], 1)
    assert opener_place(state) == 2
    assert opener_place(apply(state, SitOut(2))) == 3
    assert opener_place(play_all(state, *[SitOut(seat) for seat in range(4)])) is None


def test_absent_between_deals() -> None:
    assert code_of(table([100, 100]), Absent(0)) == "wrong_phase"


def test_buy_in_asks_one_after_the_other() -> None:
    state = after_azi(100, 100, 100, 100, 100, azi_replay="buy_in")
    assert state.phase is Phase.BUY_IN
    assert state.replay is not None
    assert state.replay.price == 55
    assert owed(state) == (3,)
    assert code_of(state, BuyIn(4)) == "not_your_turn"
    assert code_of(state, Absent(4)) == "not_your_turn"
    assert code_of(state, Leave(4)) == "not_your_turn"
    assert code_of(state, Deal(AZI_HANDS, Card("JH"), 0)) == "wrong_phase"
    assert code_of(state, TakePot()) == "wrong_phase"
    assert not can_take_pot(state)
    assert is_over(state) is None
    bought = apply(state, BuyIn(3))
    assert owed(bought) == (4,)
    done = apply(bought, Absent(4))
    assert done.phase is Phase.BETWEEN
    assert deal_seats(done) == (0, 1, 2, 3)


def test_sitting_out_passes_the_question_on() -> None:
    state = after_azi(100, 100, 100, 100, 100, azi_replay="buy_in")
    assert owed(apply(state, SitOut(3))) == (4,)
    assert owed(play_all(state, SitOut(3), Return(3))) == (3,)
    assert play_all(state, SitOut(3), SitOut(4)).phase is Phase.BETWEEN


def test_buy_in_with_nobody_left_is_like_all() -> None:
    state = after_azi(100, 100, 100, 100, 100, azi_replay="buy_in")
    state = play_all(state, Decline(3), Decline(4), SitOut(0), SitOut(1), SitOut(2))
    assert deal_seats(state) == (3, 4)
    dealt = apply(state, Deal(hands(None, None, None, "9S 9D 9H", "TS TD QH"), Card("JH"), 3))
    assert dealt.deal is not None
    assert dealt.deal.antes == (0, 0, 0, 10, 10), "antes are owed as with the option all"


def test_the_one_seat_left_takes_the_pot() -> None:
    state = play_all(after_azi(100, 100, 100), SitOut(0), Leave(1))
    assert can_take_pot(state)
    taken = apply(state, TakePot())
    assert taken.chips == (70, 70, 160)
    assert taken.last_winner == 2
    assert taken.deal_number == state.deal_number, "no deal is used up"
    assert taken.deal is not None
    assert taken.deal.result == "uncontested"
    assert code_of(taken, TakePot()) == "not_allowed"
    assert code_of(table([100, 0]), TakePot()) == "not_allowed", "there must be a pot"


def test_breakers() -> None:
    state = table([100, 100, 5])
    for breakers, code in (
        ((), "bad_scenario"),
        ((3,), "bad_scenario"),
        ((True,), "bad_scenario"),
        ((0, 0), "not_your_turn"),
    ):
        assert code_of(state, Void(breakers)) == code
    assert code_of(apply(state, SitOut(1)), Void((1,))) == "not_your_turn"
    broken = apply(state, Void((0, 2)))
    assert broken.stakes == (20, 0, 5)
    assert broken.deal_number == 1
    assert broken.barred == (0, 2)
    assert can_take_pot(broken)
    taken = apply(broken, TakePot())
    assert taken.chips == (80, 125, 0)
    assert deal_seats(taken) == (0, 1)


def test_all_break_the_deal() -> None:
    broken = apply(table([100, 100]), Void((0, 1)))
    assert deal_seats(broken) == ()
    assert not can_take_pot(broken)
    assert is_over(broken) is None, "the pot is still there: the table can only be closed"
    assert apply(broken, CloseTable()).chips == (100, 100)


def test_one_left() -> None:
    assert is_over(table([100, 0])) == "one_left"
    assert is_over(table([100, 0], rebuy=True)) is None
    assert is_over(apply(table([100, 0], rebuy=True), Leave(1))) == "one_left"
    assert is_over(apply(table([100, 100]), SitOut(1))) is None, "somebody who sits out may return"
    assert is_over(apply(table([100, 100]), Leave(1))) == "one_left"
    assert is_over(play_all(after_azi(30, 30, 30), Leave(0), Leave(1))) is None, "a pot is carried"


def test_deal_limit() -> None:
    state = table([100, 100], deal_limit=1)
    assert is_over(state) is None
    dealt = Deal(hands("AS KS QS", "6S 7S 8S"), Card("TH"), 0)
    over = play_all(state, dealt, Bid(0, 10), Fold(1))
    assert is_over(over) == "deal_limit"
    assert code_of(over, dealt) == "not_allowed"
    assert code_of(over, Void((0,))) == "not_allowed"


def test_standings() -> None:
    state = apply(table([50, 70, None, 70, 0, 0]), Leave(1))
    assert standings(state) == ((1, 1, 70), (1, 3, 70), (3, 0, 50), (4, 4, 0), (4, 5, 0))


def test_rebuy() -> None:
    state = table([0, 10, 100], rebuy=True, start_chips=60)
    assert apply(state, Rebuy(0)).chips == (60, 10, 100)
    assert code_of(state, Rebuy(1)) == "not_allowed"
    assert code_of(apply(state, Leave(0)), Rebuy(0)) == "not_allowed"
    assert apply(apply(state, SitOut(0)), Rebuy(0)).chips == (60, 10, 100)


def test_close_returns_every_stake() -> None:
    before = table([100, 100, 100])
    azi = after_azi(100, 100, 100)
    closed = apply(azi, CloseTable())
    assert closed.chips == before.chips
    assert closed.pot == 0
    assert closed.replay is None
    assert closed.deal is not None
    assert closed.deal.result == "azi", "the deal that ended before is what it was"


def test_close_ends_an_open_deal_void() -> None:
    state = play_all(table([100, 100, 100]), Deal(AZI_HANDS, Card("JH"), 0), Bid(0, 20))
    closed = apply(state, CloseTable())
    assert closed.phase is Phase.BETWEEN
    assert closed.chips == (100, 100, 100)
    assert closed.deal is not None
    assert closed.deal.result == "void"
    assert closed.deal.payouts == (30, 10, 10)
    assert owed(closed) == ()
    assert conserved(closed) == 300


def test_replay_of_a_table() -> None:
    dealt = Deal(hands("AS KS QS", "6S 7S 8S"), Card("TH"), 0)
    actions: list[Action] = [dealt, Bid(0, 10), Fold(1), SitOut(0), Return(0)]
    params = Params(seats=2)
    assert digest(replay(params, [50, 50], actions)) == digest(play_all(new_table(params, [50, 50]), *actions))
    with pytest.raises(IllegalAction):
        replay(params, [50, 50], [Bid(0, 10)])
