"""The commands of the command line with their options and help texts, and what a command line says.

The standard library's parser does it: a parser with more to it would take longer to load than everything that most
commands do. What doesn't belong here: what a command does (`commands`), and how it ends (`running`).
"""

from __future__ import annotations

import argparse
import math
import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from azi_p2p import __version__
from azi_p2p.ui.i18n import LANGUAGES, Catalogue

LEVELS = ("easy", "normal", "hard")
WIDEST = 100
"""Columns of a help text at most."""
FRESH = ""
"""What stands for a code that is to be drawn."""
MOST_CHIPS = 1_000_000_000
MOST_AMOUNT = 1_000_000

COMMANDS = ("play", "host", "join", "tables", "demo", "verify", "arbiter", "bench", "id", "config", "doctor")
"""In the order in which the help names them."""


class WrongUsage(Exception):
    """A command line that can't be carried out. `command`: whose help says more; `message`: what is wrong with it."""

    def __init__(self, command: str, message: str) -> None:
        super().__init__(message)
        self.command = command
        self.message = message


class Parser(argparse.ArgumentParser):
    """A parser that speaks the player's language, raises WrongUsage, and knows no abbreviations."""

    def __init__(self, *, texts: Catalogue, prog: str, arguments: str, about: str, after: str = "") -> None:
        """`prog`: the command; `arguments`: what follows it besides options, as the usage line shows it."""
        width = min(WIDEST, shutil.get_terminal_size().columns) - 2
        super().__init__(
            prog=prog,
            usage=" ".join(part for part in (prog, texts.text("cli.usage_options"), arguments) if part),
            description=textwrap.fill(about, width),
            epilog=after,
            formatter_class=_formatter(texts.text("cli.usage")),
            add_help=False,
            allow_abbrev=False,
            exit_on_error=False,
        )
        self.texts = texts
        self.positional = self.add_argument_group(texts.text("cli.arguments"))
        self.options = self.add_argument_group(texts.text("cli.options"))

    def error(self, message: str) -> NoReturn:
        """Raise WrongUsage: the parser's own words, without the kind of error."""
        raise WrongUsage(self.prog, message)

    def option(self, *names: str, about: str, bounds: str = "", shown: object = None, **more: Any) -> None:
        """Add an option, with its bounds and what holds without it (`shown`) at the end of its help."""
        texts = self.texts
        extra = [texts.text("cli.default", value=shown)] if shown is not None else []
        extra += [bounds] if bounds else []
        text = about if about == argparse.SUPPRESS else self._help(about) + (f" [{'; '.join(extra)}]" if extra else "")
        self.options.add_argument(*names, help=text, **more)

    def argument(self, name: str, about: str, **more: Any) -> None:
        """Add an argument that isn't an option."""
        self.positional.add_argument(name, help=self._help(about), **more)

    def number(self, name: str, about: str, low: float, high: float, default: float, *, whole: bool = True) -> None:
        """An option that takes a number within bounds."""
        texts = self.texts

        def number_in_bounds(typed: str) -> float:
            try:
                value = int(typed) if whole else float(typed)
            except ValueError:
                value = math.nan
            if not low <= value <= high:
                key = "cli.error.whole_number" if whole else "cli.error.number"
                raise argparse.ArgumentTypeError(texts.text(key, typed=repr(typed), low=low, high=high))
            return value

        bounds = texts.text("cli.bounds", low=low, high=high)
        self.option(
            name, about=about, bounds=bounds, shown=default, metavar="N", type=number_in_bounds, default=default
        )

    def choice(
        self, name: str, about: str, values: Sequence[str], default: str | None = None, missing: object = None
    ) -> None:
        """An option that takes one of a few values; `missing` stands for one that isn't given and has no default."""
        texts = self.texts

        def one_of_them(typed: str) -> str:
            if typed not in values:
                raise argparse.ArgumentTypeError(
                    texts.text("cli.error.choice", typed=repr(typed), choices=", ".join(values))
                )
            return typed

        metavar = f"<{'|'.join(values)}>"
        without = missing if default is None else default
        self.option(name, about=about, shown=default, metavar=metavar, type=one_of_them, default=without)

    def folder(self, name: str, about: str, metavar: str = "DIR", **more: Any) -> None:
        """An option that takes a path."""
        self.option(name, about=about, metavar=metavar, type=Path, **more)

    def switch(self, name: str, about: str, *, to: str = "", **more: Any) -> None:
        """An option that is there or not. `to`: where it is kept, if not under its own name."""
        self.option(name, about=about, action="store_true", **({"dest": to} if to else {}), **more)

    def either(self, name: str, about: str, *, default: bool) -> None:
        """A pair of options, one for yes and one for no."""
        shown = f"--{name}" if default else f"--no-{name}"
        self.option(f"--{name}", about=about, shown=shown, action=argparse.BooleanOptionalAction, default=default)

    def _help(self, about: str) -> str:
        return self.texts.text(about).replace("%", "%%")


class _Answer(argparse.Action):
    """An option that is answered at once with a text, whatever else stands on the line."""

    def __init__(self, answer: Callable[[argparse.ArgumentParser], str], **more: Any) -> None:
        super().__init__(nargs=0, default=argparse.SUPPRESS, **more)
        self._answer = answer

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print the text and end."""
        print(self._answer(parser), flush=True)
        raise SystemExit(0)


def _formatter(usage: str) -> type[argparse.HelpFormatter]:
    class Formatter(argparse.RawDescriptionHelpFormatter):
        """Help with the heading of the usage line in the player's language."""

        def __init__(self, prog: str) -> None:
            super().__init__(prog, max_help_position=32, width=min(WIDEST, shutil.get_terminal_size().columns) - 2)

        def add_usage(
            self, text: str | None, actions: Iterable[argparse.Action], groups: Any, prefix: str | None = None
        ) -> None:
            super().add_usage(text, actions, groups, usage if prefix is None else prefix)

    return Formatter


def parse(arguments: Sequence[str], texts: Catalogue) -> argparse.Namespace:
    """What a command line says; `command` in it is None when no command is given.

    Raises WrongUsage, and SystemExit when the line asked for help or the version, which has been printed then.
    """
    parser = _root(texts)
    try:
        options, unknown = parser.parse_known_args(list(arguments))
    except argparse.ArgumentError as error:
        known = error.argument_name != "command"
        named = next((word for word in arguments if known and word in COMMANDS), "")
        raise WrongUsage(f"azi {named}".rstrip(), _said(error, texts)) from error
    if unknown:
        command = "azi" if options.command is None else f"azi {options.command}"
        raise WrongUsage(command, texts.text("cli.error.unknown", words=" ".join(unknown)))
    return options


def _said(error: argparse.ArgumentError, texts: Catalogue) -> str:
    """What is wrong with an argument, in the player's language."""
    if error.argument_name == "command":
        return texts.text("cli.error.command", commands=", ".join(COMMANDS))
    if error.message.startswith("expected"):
        return texts.text("cli.error.value_missing", option=error.argument_name)
    if error.message.startswith("ignored explicit argument"):
        return texts.text("cli.error.no_value", option=error.argument_name)
    return f"{error.argument_name}: {error.message}"


def _root(texts: Catalogue) -> Parser:
    parser = Parser(
        texts=texts,
        prog="azi",
        arguments=texts.text("cli.usage_command"),
        about=texts.text("cli.help.azi"),
        after=_list_of_commands(texts),
    )
    _for_everyone(parser, None)
    parser.options.add_argument(
        "--version",
        action=_Answer,
        answer=lambda _: f"azi {__version__}",
        help=texts.text("cli.option.version"),
    )
    _drawing(parser, False)
    commands = parser.add_subparsers(dest="command", prog="azi", parser_class=Parser, help=argparse.SUPPRESS)
    for name in COMMANDS:
        command = commands.add_parser(
            name, texts=texts, arguments=ARGUMENTS.get(name, ""), about=texts.text(f"cli.help.{name}")
        )
        MAKERS[name](command)
        _for_everyone(command, argparse.SUPPRESS)
    return parser


def _list_of_commands(texts: Catalogue) -> str:
    """The commands, each with the first sentence of its help."""
    lines = [f"{texts.text('cli.commands')}:"]
    width = max(map(len, COMMANDS))
    for name in COMMANDS:
        first, _, _ = texts.text(f"cli.help.{name}").partition(". ")
        lines.append(f"  {name:{width}}  {first.removesuffix('.')}.")
    return "\n".join(lines)


def _for_everyone(parser: Parser, missing: object) -> None:
    """Options of every command; `missing` stands for one that isn't given, so that it may stand before the command."""
    parser.folder("--profile", "cli.option.profile", default=missing)
    parser.choice("--lang", "cli.option.lang", LANGUAGES, missing=missing)
    parser.options.add_argument(
        "-h",
        "--help",
        action=_Answer,
        answer=lambda asked: asked.format_help().rstrip(),
        help=parser.texts.text("cli.option.help"),
    )


def _drawing(parser: Parser, missing: object = argparse.SUPPRESS) -> None:
    parser.switch("--plain", "cli.option.plain", default=missing)
    parser.switch("--ascii", "cli.option.ascii", default=missing)


def _table_rules(parser: Parser, turn_seconds: int) -> None:
    """The parameters of a new table, but for the number of seats."""
    parser.choice("--hand-size", "cli.option.hand_size", ("3", "4"), "3")
    parser.choice("--out-suit", "cli.option.out_suit", ("C", "D", "H", "S"), "C")
    parser.number("--ante", "cli.option.ante", 1, MOST_AMOUNT, 10)
    parser.number("--min-bid", "cli.option.min_bid", 1, MOST_AMOUNT, 10)
    parser.number("--start-chips", "cli.option.start_chips", 1, MOST_CHIPS, 1000)
    parser.number("--max-bids", "cli.option.max_bids", 1, 9, 3)
    parser.choice("--opener-rule", "cli.option.opener_rule", ("must_bid", "may_fold", "may_check"), "must_bid")
    parser.choice("--short-payout", "cli.option.short_payout", ("matched", "proportional"), "matched")
    parser.choice("--azi-replay", "cli.option.azi_replay", ("all", "contenders", "buy_in"), "all")
    parser.either("promoted-six", "cli.option.promoted_six", default=True)
    parser.either("rebuy", "cli.option.rebuy", default=False)
    parser.number("--deals", "cli.option.deals", 0, 100_000, 0)
    parser.number("--turn-seconds", "cli.option.turn_seconds", 5, 600, turn_seconds)


def _seat(parser: Parser) -> None:
    """Options of whoever sits down at a table of the network."""
    parser.choice("--bot", "cli.option.bot", LEVELS)
    parser.option("--nick", about="cli.option.nick", metavar="NAME")
    parser.number("--port", "cli.option.port", 0, 65535, 0)
    parser.switch("--loopback", "cli.option.loopback")
    parser.folder("--out", "cli.option.out")
    _drawing(parser)
    _json(parser)
    # For programs that start peers of their own: stop with them, and keep to one's own.
    parser.switch("--until-eof", argparse.SUPPRESS)
    parser.switch("--private", argparse.SUPPRESS)
    parser.switch("--new", "cli.option.new", to="anew")


def _json(parser: Parser) -> None:
    parser.switch("--json", "cli.option.json", to="json_out")


def _play(parser: Parser) -> None:
    parser.number("--bots", "cli.option.bots", 1, 5, 3)
    parser.choice("--level", "cli.option.level", LEVELS, "normal")
    parser.switch("--fast", "cli.option.fast")
    _drawing(parser)
    parser.option("--nick", about="cli.option.nick", metavar="NAME")
    _table_rules(parser, 600)
    parser.folder("--out", "cli.option.out")


def _host(parser: Parser) -> None:
    parser.option("--name", about="cli.option.name", metavar="NAME")
    parser.option("--code", about="cli.option.host_code", metavar="CODE", nargs="?", const=FRESH)
    parser.number("--seats", "cli.option.seats", 2, 6, 4)
    _table_rules(parser, 60)
    _seat(parser)


def _join(parser: Parser) -> None:
    parser.argument("table", "cli.option.table", metavar="TABLE|HOST:PORT", nargs="?")
    parser.option("--code", about="cli.option.join_code", metavar="CODE")
    parser.switch("--watch", "cli.option.watch")
    parser.number("--wait", "cli.option.join_wait", 0.1, 3600, 10, whole=False)
    _seat(parser)


def _tables(parser: Parser) -> None:
    parser.number("--wait", "cli.option.tables_wait", 0.1, 60, 2, whole=False)
    parser.switch("--loopback", "cli.option.loopback")
    _json(parser)


def _demo(parser: Parser) -> None:
    parser.number("--peers", "cli.option.peers", 2, 6, 4)
    parser.number("--deals", "cli.option.demo_deals", 1, 100_000, 10)
    parser.choice("--hand-size", "cli.option.hand_size", ("3", "4"), "3")
    parser.folder("--out", "cli.option.demo_out")
    _json(parser)


def _verify(parser: Parser) -> None:
    parser.argument("ledgers", "cli.option.ledgers", metavar="LEDGER", nargs="*", type=Path)
    _json(parser)


def _arbiter(parser: Parser) -> None:
    parser.argument("scenario", "cli.option.scenario", metavar="SCENARIO", nargs="?")
    parser.option("--batch", about="cli.option.batch", metavar="FILE")
    _json(parser)


def _id(parser: Parser) -> None:
    parser.folder("--export", "cli.option.export", "FILE", dest="export_file")
    parser.folder("--import", "cli.option.import", "FILE", dest="import_file")
    parser.switch("--passphrase", "cli.option.passphrase")
    _json(parser)


def _config(parser: Parser) -> None:
    parser.argument("key", "cli.option.key", metavar="KEY", nargs="?")
    parser.argument("value", "cli.option.value", metavar="VALUE", nargs="?")
    _json(parser)


def _doctor(parser: Parser) -> None:
    parser.switch("--loopback", "cli.option.loopback")
    _json(parser)


MAKERS: dict[str, Callable[[Parser], None]] = {
    "play": _play,
    "host": _host,
    "join": _join,
    "tables": _tables,
    "demo": _demo,
    "verify": _verify,
    "arbiter": _arbiter,
    "bench": _json,
    "id": _id,
    "config": _config,
    "doctor": _doctor,
}
"""What gives each command its options."""

ARGUMENTS = {"join": "[TABLE|HOST:PORT]", "verify": "LEDGER…", "arbiter": "[SCENARIO]", "config": "[KEY [VALUE]]"}
"""What follows a command besides options, as its usage line shows it."""
