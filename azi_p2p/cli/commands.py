"""What each command of the command line does with its options: load the module that does the work, and call it.

Nothing is imported before it is needed, so that help and a mistyped option are answered at once. What doesn't belong
here: options and their help (`options`), and the work itself.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Any

from azi_p2p.cli.options import FRESH, WrongUsage
from azi_p2p.cli.running import WRONG_USAGE, CommandFailed, tell
from azi_p2p.cli.terminal import has_screen, input_is_terminal, output_is_terminal
from azi_p2p.ui.i18n import Catalogue

if TYPE_CHECKING:
    from azi_p2p.cli.client import Begin
    from azi_p2p.cli.front import Front
    from azi_p2p.cli.sitting import Sitting

ASK = "-"
"""What stands for a code that is to be asked for, so that it isn't among the arguments of the process."""

PARAMETERS = (
    "seats",
    "out_suit",
    "ante",
    "min_bid",
    "start_chips",
    "max_bids",
    "opener_rule",
    "short_payout",
    "azi_replay",
    "promoted_six",
    "rebuy",
    "turn_seconds",
)
"""Parameters of a table that are options of the same name."""


def run(options: argparse.Namespace, texts: Catalogue, *, own_language: bool) -> int:
    """Do what a command line says; gives the exit code. `own_language`: it says which language to speak.

    Raises CommandFailed when it can't be done, WrongUsage when options contradict each other.
    """
    if not own_language and options.command not in UNSPOKEN and not _for_machines(options):
        texts = _spoken(options, texts)
    if options.command is None:
        return _lobby(options, texts, own_language)
    if options.command in AT_A_TABLE:
        return AT_A_TABLE[options.command](options, texts, own_language)
    return OTHERS[options.command](options, texts)


UNSPOKEN = ("demo", "verify", "arbiter", "bench")
"""Commands that have no use for a profile."""
MENDING = ("config", "doctor")
"""Commands that must work when there is something wrong with the profile."""


def _spoken(options: argparse.Namespace, texts: Catalogue) -> Catalogue:
    """The language that the profile has set, if it has; raises CommandFailed when that can't be read."""
    from azi_p2p.cli.config import spoken_language  # noqa: PLC0415

    try:
        return spoken_language(texts, options.profile)
    except CommandFailed:
        if options.command in MENDING:
            return texts  # they say themselves what is wrong
        raise


def _for_machines(options: argparse.Namespace) -> bool:
    """Whether nobody reads what the command says."""
    return getattr(options, "json_out", False) or getattr(options, "bot", None) is not None


def _lobby(options: argparse.Namespace, texts: Catalogue, own_language: bool) -> int:
    if has_screen() and not options.plain:
        from azi_p2p.cli.sitting import Sitting  # noqa: PLC0415 - see the module's docstring

        return _at_the_screen(options, texts, Sitting(profile=options.profile), None, own_language)
    if not (input_is_terminal() and output_is_terminal()):
        tell(texts.text("cli.no_terminal"))
        return WRONG_USAGE
    from azi_p2p.cli import lobby  # noqa: PLC0415

    return lobby.run_lobby(texts, options.profile, own_language=own_language)


def _at_the_screen(
    options: argparse.Namespace,
    texts: Catalogue,
    sitting: Sitting,
    begin: Begin | None,
    own_language: bool,
    *,
    fast: bool = False,
) -> int:
    """Open the client, at the table of `begin` or (None) in the lobby; gives the exit code."""
    from azi_p2p.cli import client  # noqa: PLC0415

    return client.run_client(texts, sitting, begin, own_language=own_language, plain=options.ascii, fast=fast)


def _parameters(options: argparse.Namespace, seats: int) -> dict[str, object]:
    """Table parameters in the words of the rules, from option values."""
    given = {name: value for name, value in vars(options).items() if name in PARAMETERS}
    return {**given, "seats": seats, "hand_size": int(options.hand_size), "deal_limit": options.deals}


def _play(options: argparse.Namespace, texts: Catalogue, own_language: bool) -> int:
    from azi_p2p.cli import play, table  # noqa: PLC0415
    from azi_p2p.cli.sitting import Sitting  # noqa: PLC0415

    params = _parameters(options, options.bots + 1)
    sitting = Sitting(nick=options.nick, out=options.out, profile=options.profile, private=True)
    if not has_screen() or options.plain:
        return play.run_practice(texts, params, options.level, sitting)
    checked = table.checked_params(texts, params)

    def begin(texts: Catalogue, front: Front) -> Coroutine[Any, Any, int]:
        return play.practise(texts, checked, options.level, sitting, front)

    return _at_the_screen(options, texts, sitting, begin, own_language, fast=options.fast)


def _sitting(options: argparse.Namespace, texts: Catalogue) -> Sitting:
    from azi_p2p.cli.front import checked_code  # noqa: PLC0415
    from azi_p2p.cli.sitting import Sitting  # noqa: PLC0415
    from azi_p2p.net.tablecode import fresh_code  # noqa: PLC0415

    typed: str | None = options.code
    code = None
    if typed == FRESH and options.command == "host":
        code = fresh_code()
    elif typed not in {None, ASK}:
        code = checked_code(texts, typed or "")
    return Sitting(
        bot=options.bot,
        nick=options.nick,
        port=options.port,
        loopback=options.loopback,
        out=options.out,
        json_out=options.json_out,
        until_eof=options.until_eof,
        profile=options.profile,
        private=options.private,
        anew=options.anew,
        code=code,
        ask_code=typed == ASK,
        watch=getattr(options, "watch", False),
    )


def _in_lines(options: argparse.Namespace) -> bool:
    """Whether a seat is held without the full screen."""
    return not has_screen() or options.plain or options.bot is not None or options.json_out or options.until_eof


def _host(options: argparse.Namespace, texts: Catalogue, own_language: bool) -> int:
    from azi_p2p.cli import table  # noqa: PLC0415

    params, sitting = _parameters(options, options.seats), _sitting(options, texts)
    if _in_lines(options):
        return table.run_host(texts, params, options.name, sitting)
    checked = table.checked_params(texts, params)

    def begin(texts: Catalogue, front: Front) -> Coroutine[Any, Any, int]:
        return table.host(texts, checked, options.name, sitting, front)

    return _at_the_screen(options, texts, sitting, begin, own_language)


def _join(options: argparse.Namespace, texts: Catalogue, own_language: bool) -> int:
    from azi_p2p.cli import table  # noqa: PLC0415

    if options.watch and options.bot is not None:
        raise WrongUsage("azi join", texts.text("watch.no_bot"))
    sitting = _sitting(options, texts)
    if _in_lines(options):
        return table.run_join(texts, options.table, options.wait, sitting)

    def begin(texts: Catalogue, front: Front) -> Coroutine[Any, Any, int]:
        return table.join(texts, options.table, options.wait, sitting, front)

    return _at_the_screen(options, texts, sitting, begin, own_language)


def _tables(options: argparse.Namespace, texts: Catalogue) -> int:
    from azi_p2p.cli import tables  # noqa: PLC0415

    return tables.run_tables(texts, options.wait, loopback=options.loopback, json_out=options.json_out)


def _demo(options: argparse.Namespace, texts: Catalogue) -> int:
    from azi_p2p.cli import demo  # noqa: PLC0415

    return demo.run_demo(
        texts, options.peers, options.deals, int(options.hand_size), options.out, json_out=options.json_out
    )


def _verify(options: argparse.Namespace, texts: Catalogue) -> int:
    if not options.ledgers:
        raise WrongUsage("azi verify", texts.text("cli.error.ledger"))
    from azi_p2p.cli import verify  # noqa: PLC0415

    return verify.run(texts, options.ledgers, json_out=options.json_out)


def _arbiter(options: argparse.Namespace, texts: Catalogue) -> int:
    if (options.scenario is None) == (options.batch is None):
        raise WrongUsage("azi arbiter", texts.text("cli.error.scenario_or_batch"))
    from azi_p2p.cli import arbiter  # noqa: PLC0415

    source = options.scenario or options.batch or ""
    return arbiter.run(source, json_out=options.json_out, batch=options.batch is not None, texts=texts)


def _bench(options: argparse.Namespace, texts: Catalogue) -> int:
    from azi_p2p.cli import bench  # noqa: PLC0415

    return bench.run(texts, json_out=options.json_out)


def _id(options: argparse.Namespace, texts: Catalogue) -> int:
    if options.export_file is not None and options.import_file is not None:
        raise WrongUsage("azi id", texts.text("cli.error.export_or_import"))
    from azi_p2p.cli import identity  # noqa: PLC0415

    return identity.run(
        texts,
        options.profile,
        options.export_file,
        options.import_file,
        new_passphrase=options.passphrase,
        json_out=options.json_out,
    )


def _config(options: argparse.Namespace, texts: Catalogue) -> int:
    from azi_p2p.cli import config  # noqa: PLC0415

    return config.run(texts, options.profile, options.key, options.value, json_out=options.json_out)


def _doctor(options: argparse.Namespace, texts: Catalogue) -> int:
    from azi_p2p.cli import doctor  # noqa: PLC0415

    loopback = options.loopback or os.environ.get("AZI_LOOPBACK") == "1"
    return doctor.run(texts, options.profile, loopback=loopback, json_out=options.json_out)


AT_A_TABLE: Mapping[str, Callable[[argparse.Namespace, Catalogue, bool], int]] = {
    "play": _play,
    "host": _host,
    "join": _join,
}
"""Commands that open the client where there is a terminal."""

OTHERS: Mapping[str, Callable[[argparse.Namespace, Catalogue], int]] = {
    "tables": _tables,
    "demo": _demo,
    "verify": _verify,
    "arbiter": _arbiter,
    "bench": _bench,
    "id": _id,
    "config": _config,
    "doctor": _doctor,
}
"""Commands that write lines and end."""
