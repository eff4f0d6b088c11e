"""`azi host`, `azi join`: sit at a table, as a person or as a bot.

What doesn't belong here: which tables there are (`tables`), how a peer is put together (`peer`), and how people are
asked (`azi_p2p.ui`).
"""

from __future__ import annotations

import dataclasses
import json
import secrets
import tempfile
from collections.abc import Callable, Mapping

from azi_p2p.bots import LEVELS
from azi_p2p.cli.botplayer import BotPlayer
from azi_p2p.cli.finding import find_typed_table, typed_address
from azi_p2p.cli.front import Front, checked_code, checked_name, login_name
from azi_p2p.cli.linefront import LineFront
from azi_p2p.cli.peer import PeerOptions, PeerResult, Player, RunningPeer, run_peer
from azi_p2p.cli.rematch import Way
from azi_p2p.cli.running import FAILED, FINE, WRONG_USAGE, CommandFailed, run, tell
from azi_p2p.cli.sitting import Sitting, opened_profile
from azi_p2p.cli.terminal import input_is_terminal
from azi_p2p.net.addresses import Address
from azi_p2p.net.driver import Timekeeper
from azi_p2p.net.errors import LinkEnd, LinkError, NetError
from azi_p2p.net.records import Sighting
from azi_p2p.net.tablecode import TableCode
from azi_p2p.rules import Params, ParamsError
from azi_p2p.session.commands import CommandRefused
from azi_p2p.session.heads import table_id
from azi_p2p.session.own import Me
from azi_p2p.session.table import Table
from azi_p2p.store.errors import StoreError, StoreTrouble
from azi_p2p.store.heldseat import HeldSeat
from azi_p2p.store.profile import MAX_NICKNAME, Profile
from azi_p2p.ui.failed import system_reason, what_failed
from azi_p2p.ui.i18n import Catalogue
from azi_p2p.ui.names import clean_name
from azi_p2p.ui.refusal import why_not
from azi_p2p.ui.rulesaid import params_text
from azi_p2p.ui.typed import TypedLines, typed_lines
from azi_p2p.ui.words import Words

NEXT_TABLE_WAIT = 10.0
"""Seconds for which a table is looked for that was seen a moment ago."""


def run_host(texts: Catalogue, values: Mapping[str, object], name: str | None, sitting: Sitting) -> int:
    """`azi host`: open a table with these parameters and see it through; gives the exit code."""
    params = checked_params(texts, values)
    return run(lambda: host(texts, params, name, sitting))


def run_join(texts: Catalogue, typed: str | None, wait: float, sitting: Sitting) -> int:
    """`azi join`: find the table that was typed and see it through; gives the exit code."""
    return run(lambda: join(texts, typed, wait, sitting))


def checked_params(texts: Catalogue, values: Mapping[str, object]) -> Params:
    """Table parameters from option values; raises CommandFailed naming the one that can't be."""
    try:
        return Params.from_mapping(values)
    except ParamsError as error:
        raise CommandFailed(params_text(error, texts), WRONG_USAGE) from error


async def host(texts: Catalogue, params: Params, name: str | None, sitting: Sitting, front: Front | None = None) -> int:
    """Open a table; gives the exit code once it has ended, and those that the same people open after it.

    `front`: None for plain lines.
    """
    front = front or line_front(texts, sitting)
    code = await open_table(texts, params, name, sitting, front)
    return await play_on(texts, code, sitting, front)


async def open_table(texts: Catalogue, params: Params, name: str | None, sitting: Sitting, front: Front) -> int:
    """Open a table; gives the exit code once it has ended."""
    check_out(texts, sitting)
    with opened_profile(texts, sitting, front.profile) as profile:
        held = held_seat(texts, profile, sitting)
        if held is not None:
            return await come_back(texts, profile, held, sitting, front)
        nickname = await chosen_nickname(texts, profile, sitting, front)
        table_name = checked_name(
            texts, texts.text("table.default_name", name=nickname)[:MAX_NICKNAME] if name is None else name
        )
        nonce = secrets.token_bytes(32)
        code = await asked_code(texts, "", front) if sitting.ask_code else sitting.code
        options = PeerOptions(
            port=sitting.port,
            any_port=sitting.any_port,
            discover=not sitting.private,
            out=sitting.out,
            nickname=nickname,
            loopback=sitting.stays_here,
            code=code,
        )

        def opened(peer: RunningPeer) -> None:
            addresses = peer.addresses()
            profile.seat.write(
                HeldSeat(
                    table=table_id(profile.identity.public, nonce).hex(),
                    name=table_name,
                    ledger="",
                    nickname=nickname,
                    port=addresses[0][1],
                    nonce=nonce.hex(),
                    params=plain_params(params),
                    code="" if code is None else code.shown,
                )
            )
            listed = ", ".join(f"{host}:{port}" for host, port in addresses)
            front.say(texts.text("find.opened", name=table_name, addresses=listed))
            if code is not None:
                front.say(texts.text("code.shown", code=code.shown))

        def make_table(me: Me) -> Table:
            return Table.host(me, params, table_name, nonce)

        return await sit(texts, profile, make_table, options, sitting, front, opened)


async def join(texts: Catalogue, typed: str | None, wait: float, sitting: Sitting, front: Front | None = None) -> int:
    """Join a table; gives the exit code once it has ended, and those that the same people open after it.

    `front`: None for plain lines.
    """
    front = front or line_front(texts, sitting)
    code = await sit_down(texts, typed, wait, sitting, front)
    return await play_on(texts, code, sitting, front)


async def play_on(texts: Catalogue, code: int, sitting: Sitting, front: Front) -> int:
    """Go on from table to table for as long as the person wants to; `code` is that of the last one."""
    while front.again is not None:
        again, front.again = front.again, None
        sitting = dataclasses.replace(sitting, code=again.code, ask_code=False)
        if again.table is None:
            same = dataclasses.replace(sitting, port=again.port or sitting.port, any_port=not sitting.port)
            code = await open_table(texts, again.params, again.name, same, front)
        else:
            typed = again.address or again.table.hex()
            code = await sit_down(texts, typed, NEXT_TABLE_WAIT, sitting, front, again.table)
    return code


async def sit_down(
    texts: Catalogue, typed: str | None, wait: float, sitting: Sitting, front: Front, table: bytes | None = None
) -> int:
    """Find a table and sit down at it; gives the exit code once it has ended.

    `table`: its id (32 bytes), where it is known beforehand which table is meant by an address.
    """
    loopback = sitting.stays_here
    address = typed_address(texts, typed, loopback=loopback)
    check_out(texts, sitting)
    with opened_profile(texts, sitting, front.profile) as profile:
        held = held_seat(texts, profile, sitting)
        if held is not None and sitting.watch:
            # With the key of a seat nobody only watches: the others would take the seat to be there.
            raise CommandFailed(texts.text("watch.held", name=clean_name(held.name, 24)))
        if held is not None and is_meant(held, typed):
            return await come_back(texts, profile, held, sitting, front)
        nickname = None if sitting.watch else await chosen_nickname(texts, profile, sitting, front)
        code = await asked_code(texts, "", front) if sitting.ask_code else sitting.code
        name, private = "", False
        sighted: tuple[Sighting, ...] = ()
        if address is None:
            front.say(texts.text("find.looking"))
            seen = await find_typed_table(texts, typed, wait, loopback=loopback, full_too=sitting.watch)
            table, name, private, sighted = seen.table, clean_name(seen.name, 24), seen.private, seen.peers
            front.say(texts.text("watch.found" if sitting.watch else "find.found", name=name))
        if private and code is None:
            code = await needed_code(texts, name, sitting, front)
        while True:
            options = PeerOptions(
                dial=address,
                port=sitting.port,
                out=sitting.out,
                nickname=nickname,
                discover=not sitting.private,
                loopback=loopback,
                code=code,
                joining=True,
                announce=not sitting.watch,
                hold_seat=not sitting.watch,
                sighted=sighted,
            )

            def make_table(me: Me) -> Table:
                return Table.watch(table) if sitting.watch else Table.join(me, table)

            try:
                return await sit(texts, profile, make_table, options, sitting, front, lambda _: None)
            except CodeNeeded:
                # Nobody has announced that this table asks for a code.
                code = await needed_code(texts, name, sitting, front)


class CodeNeeded(CommandFailed):
    """The table that was to be joined asks for a code, and none was given."""


async def asked_code(texts: Catalogue, name: str, front: Front) -> TableCode:
    """Ask for the code of a table of this name (empty if it isn't known); raises CommandFailed."""
    return checked_code(texts, await front.ask_code(name))


async def needed_code(texts: Catalogue, name: str, sitting: Sitting, front: Front) -> TableCode:
    """The code of a private table, asked for where there is a person; raises CommandFailed where nobody is."""
    if sitting.bot is not None or not input_is_terminal():
        raise CommandFailed(texts.text("code.needed"))
    return await asked_code(texts, name, front)


def line_front(texts: Catalogue, sitting: Sitting) -> LineFront:
    """Plain lines for whoever sits like this: a bot's data has stdout for itself."""
    return LineFront(texts, quiet=sitting.bot is not None or sitting.json_out, ledger=not sitting.json_out)


def held_seat(texts: Catalogue, profile: Profile, sitting: Sitting) -> HeldSeat | None:
    """The seat that the profile holds at a table that hasn't ended, unless it is to be given up.

    Raises CommandFailed when the note on it can't be read.
    """
    try:
        if sitting.anew:
            profile.seat.clear()
        return profile.seat.read()
    except StoreError as error:
        raise CommandFailed(what_failed(error, texts)) from error


def plain_params(params: Params) -> dict[str, int | str | bool]:
    """Table parameters as they stand in a note."""
    return {name: value for name, value in params.to_mapping().items() if isinstance(value, int | str)}


def is_meant(held: HeldSeat, typed: str | None) -> bool:
    """Whether what was typed means the table at which a seat is held: nothing, its name, or the beginning of its id."""
    if typed is None:
        return True
    wanted = typed.strip().casefold()
    return wanted == held.name.casefold() or (len(wanted) >= 4 and held.table.startswith(wanted))


async def come_back(texts: Catalogue, profile: Profile, held: HeldSeat, sitting: Sitting, front: Front) -> int:
    """Go back to the table at which the profile holds a seat; gives the exit code once it has ended."""
    try:
        code = checked_code(texts, held.code) if held.code else None
        params = checked_params(texts, held.params)
    except CommandFailed as failed:
        # It wasn't typed just now, so it must be said where it stands.
        damaged = StoreError(StoreTrouble.DAMAGED_NOTE, path=profile.seat.path, problem=failed.message)
        raise CommandFailed(what_failed(damaged, texts)) from failed
    front.say(texts.text("find.coming_back", name=clean_name(held.name, 24)))
    options = PeerOptions(
        port=sitting.port,
        out=sitting.out,
        nickname=held.nickname,
        loopback=sitting.stays_here,
        seat=held,
        code=code,
    )

    def make_table(me: Me) -> Table:
        if held.nonce:  # we have opened it, and it wasn't founded when this program ended
            return Table.host(me, params, held.name, bytes.fromhex(held.nonce))
        return Table.join(me, held.table_id)

    return await sit(texts, profile, make_table, options, sitting, front, lambda _: None)


async def sit(
    texts: Catalogue,
    profile: Profile,
    make_table: Callable[[Me], Table],
    options: PeerOptions,
    sitting: Sitting,
    front: Front,
    opened: Callable[[RunningPeer], None],
    *,
    practice: bool = False,
) -> int:
    """Hold the seat to the end; gives the exit code. `opened` is called once the peer listens."""
    front.begin_log()
    player: Player
    timekeeper: Timekeeper | None = None
    if sitting.bot is not None:
        assert sitting.bot in LEVELS, "the command line knows the levels"
        player = BotPlayer(texts, sitting.bot, tell)
    else:
        code = "" if options.code is None else options.code.shown
        player = person = front.player(profile.identity.public, practice=practice, code=code, watching=sitting.watch)
        timekeeper = person.timed
    watched = Beginning(player, opened, typed_lines() if sitting.until_eof else None)
    result: PeerResult | None = None
    try:
        result = await run_peer(profile, make_table, watched, options, timekeeper)
    except NetError as error:
        where = "" if options.dial is None else str(Address(*options.dial))
        if isinstance(error, LinkError) and error.code is LinkEnd.CODE_NEEDED:
            raise CodeNeeded(texts.text("code.needed")) from error
        raise CommandFailed(what_failed(error, texts, where=where)) from error
    except (StoreError, OSError) as error:
        raise CommandFailed(what_failed(error, texts)) from error
    except CommandRefused as refused:
        raise CommandFailed(why_not(refused, None, Words(texts))) from refused
    finally:
        if result is None:
            front.close()
    await front.part(result, practice=practice, way=Way(profile.identity, options.code, options.loopback))
    if front.again is not None:
        front.again = dataclasses.replace(front.again, code=options.code)
    if sitting.json_out:
        print(json.dumps(result_json(result)), flush=True)
    if isinstance(player, BotPlayer) and player.refused is not None:
        return FAILED
    return FINE if result.ended or sitting.bot is None or watched.input_ended else FAILED


class Beginning:
    """A player, and what is to be done besides when its peer begins: say where it listens, end with the input."""

    def __init__(self, player: Player, opened: Callable[[RunningPeer], None], until_eof: TypedLines | None) -> None:
        """`until_eof`: stop the peer when these lines end (whoever started it has gone)."""
        self.see = player.see
        self.input_ended = False
        self._player = player
        self._opened = opened
        self._until_eof = until_eof

    def begin(self, peer: RunningPeer) -> None:
        """See Player."""
        self._opened(peer)
        self._player.begin(peer)
        if self._until_eof is not None:
            self._until_eof.listen(lambda line: self._end(peer) if line is None else None)

    def _end(self, peer: RunningPeer) -> None:
        self.input_ended = True
        peer.stop()


def result_json(result: PeerResult) -> dict[str, object]:
    """A peer's result as `--json` writes it."""
    return {
        "table": result.table.hex(),
        "ledger": None if result.ledger is None else str(result.ledger),
        "ended": result.ended,
        "deals": result.deals,
        "head": result.head.hex(),
        "chips": list(result.chips),
        "standings": [{"place": place, "seat": seat, "chips": chips} for place, seat, chips in result.standings],
    }


def check_out(texts: Catalogue, sitting: Sitting) -> None:
    """Make the folder for the ledger if one was named, and see that it can be written.

    Raises CommandFailed, before anybody sits down, if it can't be.
    """
    if sitting.out is None:
        return
    try:
        sitting.out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=sitting.out):
            pass
    except OSError as error:
        raise CommandFailed(texts.text("find.bad_out", path=sitting.out, reason=system_reason(error, texts))) from error


async def chosen_nickname(texts: Catalogue, profile: Profile, sitting: Sitting, front: Front) -> str:
    """The name to play under: as typed, as set, or asked for once at a terminal and kept."""
    if sitting.nick is not None:
        return checked_name(texts, sitting.nick)
    try:
        known = profile.nickname
    except StoreError as error:
        raise CommandFailed(what_failed(error, texts)) from error
    if known is not None:
        return known
    suggested = login_name() or texts.text("table.guest")
    if sitting.bot is not None or not input_is_terminal():
        return suggested
    profile.nickname = name = await front.ask_name(suggested)
    return name
