"""The command line: names, options and help of every command. The work is done in modules loaded on demand.

Only what parsing needs is imported here, so that `azi --help` and a mistyped option answer at once. Data goes to
stdout, messages to stderr; every failure is one line (see `running`).
"""

from __future__ import annotations

import enum
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from azi_p2p import __version__
from azi_p2p.cli.running import FAILED, INTERRUPTED, WRONG_USAGE, CommandFailed, Stopped, stop_on_signals, tell
from azi_p2p.cli.terminal import has_screen
from azi_p2p.ui.i18n import catalogue, environment_language, match_language


def asked_language(arguments: list[str]) -> str:
    """The language that the command line or the environment asks for; needed before the help texts are made."""
    for position, argument in enumerate(arguments):
        name, sign, value = argument.partition("=")
        if name == "--lang":
            wanted = value if sign else "".join(arguments[position + 1 : position + 2])
            return match_language(wanted) or environment_language()
    return environment_language()


WORDS = catalogue(asked_language(sys.argv[1:]))
LANG_ASKED = any(argument.partition("=")[0] == "--lang" for argument in sys.argv[1:])
"""Whether the command line itself names a language, so that no setting changes it."""
_ = WORDS.text

USAGE_ERROR: type[Exception] = typer.BadParameter.__bases__[0]
"""What the parser raises for every kind of wrong usage (typer gives its base class no public name)."""


class Level(enum.StrEnum):
    """How well a bot plays."""

    easy = "easy"
    normal = "normal"
    hard = "hard"


class HandSize(enum.StrEnum):
    """Cards in a hand."""

    three = "3"
    four = "4"


class OutSuit(enum.StrEnum):
    """The suit that is left out of the deck."""

    C = "C"
    D = "D"
    H = "H"
    S = "S"


class OpenerRule(enum.StrEnum):
    """What the opener may do."""

    must_bid = "must_bid"
    may_fold = "may_fold"
    may_check = "may_check"


class ShortPayout(enum.StrEnum):
    """What a short winner gets."""

    matched = "matched"
    proportional = "proportional"


class AziReplay(enum.StrEnum):
    """Who plays on after an Azi."""

    all = "all"
    contenders = "contenders"
    buy_in = "buy_in"


class Language(enum.StrEnum):
    """Languages of the texts."""

    af = "af"
    en = "en"
    ru = "ru"


ProfileOption = Annotated[Path | None, typer.Option("--profile", metavar="DIR", help=_("cli.option.profile"))]
LangOption = Annotated[Language | None, typer.Option("--lang", help=_("cli.option.lang"))]
JsonOption = Annotated[bool, typer.Option("--json", help=_("cli.option.json"))]
OutOption = Annotated[Path | None, typer.Option("--out", metavar="DIR", help=_("cli.option.out"))]
NickOption = Annotated[str | None, typer.Option("--nick", metavar="NAME", help=_("cli.option.nick"))]
BotOption = Annotated[Level | None, typer.Option("--bot", help=_("cli.option.bot"))]
PlainOption = Annotated[bool, typer.Option("--plain", help=_("cli.option.plain"))]
AsciiOption = Annotated[bool, typer.Option("--ascii", help=_("cli.option.ascii"))]
PortOption = Annotated[int, typer.Option("--port", metavar="N", min=0, max=65535, help=_("cli.option.port"))]
LoopbackOption = Annotated[bool, typer.Option("--loopback", help=_("cli.option.loopback"))]
UntilEofOption = Annotated[bool, typer.Option("--until-eof", hidden=True, help=_("cli.option.until_eof"))]
AnewOption = Annotated[bool, typer.Option("--new", help=_("cli.option.new"))]
HandSizeOption = Annotated[HandSize, typer.Option("--hand-size", help=_("cli.option.hand_size"))]
DealsOption = Annotated[int, typer.Option("--deals", metavar="N", min=0, max=100_000, help=_("cli.option.deals"))]
OutSuitOption = Annotated[OutSuit, typer.Option("--out-suit", help=_("cli.option.out_suit"))]
AnteOption = Annotated[int, typer.Option("--ante", metavar="N", min=1, max=1_000_000, help=_("cli.option.ante"))]
MinBidOption = Annotated[
    int, typer.Option("--min-bid", metavar="N", min=1, max=1_000_000, help=_("cli.option.min_bid"))
]
StartChipsOption = Annotated[
    int, typer.Option("--start-chips", metavar="N", min=1, max=1_000_000_000, help=_("cli.option.start_chips"))
]
MaxBidsOption = Annotated[int, typer.Option("--max-bids", metavar="N", min=1, max=9, help=_("cli.option.max_bids"))]
OpenerRuleOption = Annotated[OpenerRule, typer.Option("--opener-rule", help=_("cli.option.opener_rule"))]
ShortPayoutOption = Annotated[ShortPayout, typer.Option("--short-payout", help=_("cli.option.short_payout"))]
AziReplayOption = Annotated[AziReplay, typer.Option("--azi-replay", help=_("cli.option.azi_replay"))]
PromotedSixOption = Annotated[bool, typer.Option("--promoted-six/--no-promoted-six", help=_("cli.option.promoted_six"))]
RebuyOption = Annotated[bool, typer.Option("--rebuy/--no-rebuy", help=_("cli.option.rebuy"))]
TurnSecondsOption = Annotated[
    int, typer.Option("--turn-seconds", metavar="N", min=5, max=600, help=_("cli.option.turn_seconds"))
]
JoinWaitOption = Annotated[
    float, typer.Option("--wait", metavar="S", min=0.1, max=3600, help=_("cli.option.join_wait"))
]
LookWaitOption = Annotated[
    float, typer.Option("--wait", metavar="S", min=0.1, max=60, help=_("cli.option.tables_wait"))
]
DemoDealsOption = Annotated[
    int, typer.Option("--deals", metavar="N", min=1, max=100_000, help=_("cli.option.demo_deals"))
]

app = typer.Typer(
    name="azi",
    help=_("cli.help.azi"),
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def show_version(wanted: bool) -> None:
    """Print the version and end, if that was asked."""
    if wanted:
        print(f"azi {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def azi(
    context: typer.Context,
    profile: ProfileOption = None,
    lang: LangOption = None,  # noqa: ARG001 - read by asked_language, before the help texts are made
    version: Annotated[  # noqa: ARG001 - acts in its callback
        bool, typer.Option("--version", callback=show_version, is_eager=True, help=_("cli.option.version"))
    ] = False,
    plain: PlainOption = False,
    ascii_only: AsciiOption = False,
) -> None:
    """Open the lobby when no command is given."""
    context.obj = profile
    if context.invoked_subcommand is not None:
        return
    if has_screen() and not plain:
        from azi_p2p.cli import client  # noqa: PLC0415
        from azi_p2p.cli.table import Sitting  # noqa: PLC0415

        raise typer.Exit(
            client.run_client(WORDS, Sitting(profile=profile), None, own_language=LANG_ASKED, plain=ascii_only)
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        tell(_("cli.no_terminal"))
        raise typer.Exit(WRONG_USAGE)
    from azi_p2p.cli import lobby  # noqa: PLC0415

    raise typer.Exit(lobby.run_lobby(WORDS, profile))


def table_params(**values: object) -> dict[str, object]:
    """Table parameters in the words of the rules, from option values."""
    return {
        name: int(value) if isinstance(value, HandSize) else str(value) if isinstance(value, str) else value
        for name, value in values.items()
    }


@app.command(help=_("cli.help.play"))
def play(
    context: typer.Context,
    bots: Annotated[int, typer.Option("--bots", metavar="N", min=1, max=5, help=_("cli.option.bots"))] = 3,
    level: Annotated[Level, typer.Option("--level", help=_("cli.option.level"))] = Level.normal,
    plain: PlainOption = False,
    ascii_only: AsciiOption = False,
    nick: NickOption = None,
    hand_size: HandSizeOption = HandSize.three,
    out_suit: OutSuitOption = OutSuit.C,
    ante: AnteOption = 10,
    min_bid: MinBidOption = 10,
    start_chips: StartChipsOption = 1000,
    max_bids: MaxBidsOption = 3,
    opener_rule: OpenerRuleOption = OpenerRule.must_bid,
    short_payout: ShortPayoutOption = ShortPayout.matched,
    azi_replay: AziReplayOption = AziReplay.all,
    promoted_six: PromotedSixOption = True,
    rebuy: RebuyOption = False,
    deals: DealsOption = 0,
    turn_seconds: TurnSecondsOption = 600,
    out: OutOption = None,
    profile: ProfileOption = None,
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Practise against bots on this machine."""
    from azi_p2p.cli import play as command  # noqa: PLC0415
    from azi_p2p.cli import table  # noqa: PLC0415

    params = table_params(
        seats=bots + 1,
        hand_size=hand_size,
        out_suit=out_suit,
        ante=ante,
        min_bid=min_bid,
        start_chips=start_chips,
        max_bids=max_bids,
        opener_rule=opener_rule,
        short_payout=short_payout,
        azi_replay=azi_replay,
        promoted_six=promoted_six,
        rebuy=rebuy,
        deal_limit=deals,
        turn_seconds=turn_seconds,
    )
    sitting = table.Sitting(nick=nick, out=out, profile=profile or context.obj, private=True)
    if not has_screen() or plain:
        raise typer.Exit(command.run_practice(WORDS, params, level.value, sitting))
    from azi_p2p.cli import client  # noqa: PLC0415

    checked = table.checked_params(params)
    raise typer.Exit(
        client.run_client(
            WORDS,
            sitting,
            lambda texts, front: command.practise(texts, checked, level.value, sitting, front),
            own_language=LANG_ASKED,
            plain=ascii_only,
        )
    )


@app.command(help=_("cli.help.host"))
def host(
    context: typer.Context,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help=_("cli.option.name"))] = None,
    seats: Annotated[int, typer.Option("--seats", metavar="N", min=2, max=6, help=_("cli.option.seats"))] = 4,
    hand_size: HandSizeOption = HandSize.three,
    out_suit: OutSuitOption = OutSuit.C,
    ante: AnteOption = 10,
    min_bid: MinBidOption = 10,
    start_chips: StartChipsOption = 1000,
    max_bids: MaxBidsOption = 3,
    opener_rule: OpenerRuleOption = OpenerRule.must_bid,
    short_payout: ShortPayoutOption = ShortPayout.matched,
    azi_replay: AziReplayOption = AziReplay.all,
    promoted_six: PromotedSixOption = True,
    rebuy: RebuyOption = False,
    deals: DealsOption = 0,
    turn_seconds: TurnSecondsOption = 60,
    bot: BotOption = None,
    nick: NickOption = None,
    port: PortOption = 0,
    loopback: LoopbackOption = False,
    out: OutOption = None,
    plain: PlainOption = False,
    ascii_only: AsciiOption = False,
    json_out: JsonOption = False,
    until_eof: UntilEofOption = False,
    anew: AnewOption = False,
    profile: ProfileOption = None,
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Open a table and announce it."""
    from azi_p2p.cli import table as command  # noqa: PLC0415

    params = table_params(
        seats=seats,
        hand_size=hand_size,
        out_suit=out_suit,
        ante=ante,
        min_bid=min_bid,
        start_chips=start_chips,
        max_bids=max_bids,
        opener_rule=opener_rule,
        short_payout=short_payout,
        azi_replay=azi_replay,
        promoted_six=promoted_six,
        rebuy=rebuy,
        deal_limit=deals,
        turn_seconds=turn_seconds,
    )
    sitting = command.Sitting(
        bot=bot.value if bot else None,
        nick=nick,
        port=port,
        loopback=loopback,
        out=out,
        json_out=json_out,
        until_eof=until_eof,
        profile=profile or context.obj,
        anew=anew,
    )
    if not has_screen() or plain or bot is not None or json_out or until_eof:
        raise typer.Exit(command.run_host(WORDS, params, name, sitting))
    from azi_p2p.cli import client  # noqa: PLC0415

    checked = command.checked_params(params)
    raise typer.Exit(
        client.run_client(
            WORDS,
            sitting,
            lambda texts, front: command.host(texts, checked, name, sitting, front),
            own_language=LANG_ASKED,
            plain=ascii_only,
        )
    )


@app.command(help=_("cli.help.join"))
def join(
    context: typer.Context,
    table: Annotated[str | None, typer.Argument(metavar="[TABLE|HOST:PORT]", help=_("cli.option.table"))] = None,
    wait: JoinWaitOption = 10.0,
    bot: BotOption = None,
    nick: NickOption = None,
    port: PortOption = 0,
    loopback: LoopbackOption = False,
    out: OutOption = None,
    plain: PlainOption = False,
    ascii_only: AsciiOption = False,
    json_out: JsonOption = False,
    until_eof: UntilEofOption = False,
    anew: AnewOption = False,
    profile: ProfileOption = None,
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Join a table by its name or address."""
    from azi_p2p.cli import table as command  # noqa: PLC0415

    sitting = command.Sitting(
        bot=bot.value if bot else None,
        nick=nick,
        port=port,
        loopback=loopback,
        out=out,
        json_out=json_out,
        until_eof=until_eof,
        profile=profile or context.obj,
        anew=anew,
    )
    if not has_screen() or plain or bot is not None or json_out or until_eof:
        raise typer.Exit(command.run_join(WORDS, table, wait, sitting))
    from azi_p2p.cli import client  # noqa: PLC0415

    raise typer.Exit(
        client.run_client(
            WORDS,
            sitting,
            lambda texts, front: command.join(texts, table, wait, sitting, front),
            own_language=LANG_ASKED,
            plain=ascii_only,
        )
    )


@app.command(help=_("cli.help.tables"))
def tables(
    context: typer.Context,
    wait: LookWaitOption = 2.0,
    loopback: LoopbackOption = False,
    json_out: JsonOption = False,
    profile: ProfileOption = None,  # noqa: ARG001 - every command takes it; looking round needs none
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """List the tables on this network."""
    del context
    from azi_p2p.cli import table as command  # noqa: PLC0415

    raise typer.Exit(command.run_tables(WORDS, wait, loopback=loopback, json_out=json_out))


@app.command(help=_("cli.help.demo"))
def demo(
    peers: Annotated[int, typer.Option("--peers", metavar="N", min=2, max=6, help=_("cli.option.peers"))] = 4,
    deals: DemoDealsOption = 10,
    hand_size: HandSizeOption = HandSize.three,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help=_("cli.option.demo_out"))] = None,
    json_out: JsonOption = False,
    profile: ProfileOption = None,  # noqa: ARG001 - every command takes it; the demo's peers have their own
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Let bots play on this machine and verify every ledger."""
    from azi_p2p.cli import demo as command  # noqa: PLC0415

    raise typer.Exit(command.run_demo(WORDS, peers, deals, int(hand_size.value), out, json_out=json_out))


@app.command(help=_("cli.help.verify"))
def verify(
    ledgers: Annotated[list[Path], typer.Argument(metavar="LEDGER…", help=_("cli.option.ledgers"))],
    json_out: JsonOption = False,
    profile: ProfileOption = None,  # noqa: ARG001 - every command takes it; a ledger is judged without any key
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Check game files from first principles."""
    from azi_p2p.cli import verify as command  # noqa: PLC0415

    raise typer.Exit(command.run(WORDS, ledgers, json_out=json_out))


@app.command(help=_("cli.help.arbiter"))
def arbiter(
    scenario: Annotated[str | None, typer.Argument(metavar="SCENARIO", help=_("cli.option.scenario"))] = None,
    batch: Annotated[str | None, typer.Option("--batch", metavar="FILE", help=_("cli.option.batch"))] = None,
    json_out: JsonOption = False,
    profile: ProfileOption = None,  # noqa: ARG001 - every command takes it
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Play a written-down deal through the rules."""
    if (scenario is None) == (batch is None):
        raise typer.BadParameter(_("cli.error.scenario_or_batch"))
    from azi_p2p.cli import arbiter as command  # noqa: PLC0415

    raise typer.Exit(command.run(scenario or batch or "", json_out=json_out, batch=batch is not None, texts=WORDS))


@app.command(help=_("cli.help.bench"))
def bench(
    json_out: JsonOption = False,
    profile: ProfileOption = None,  # noqa: ARG001 - every command takes it
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Measure this machine."""
    from azi_p2p.cli import bench as command  # noqa: PLC0415

    raise typer.Exit(command.run(json_out))


@app.command("id", help=_("cli.help.id"))
def identity(
    context: typer.Context,
    export_file: Annotated[Path | None, typer.Option("--export", metavar="FILE", help=_("cli.option.export"))] = None,
    import_file: Annotated[Path | None, typer.Option("--import", metavar="FILE", help=_("cli.option.import"))] = None,
    passphrase: Annotated[bool, typer.Option("--passphrase", help=_("cli.option.passphrase"))] = False,
    json_out: JsonOption = False,
    profile: ProfileOption = None,
    lang: LangOption = None,  # noqa: ARG001
) -> None:
    """Show, export or import the own key."""
    if export_file is not None and import_file is not None:
        raise typer.BadParameter(_("cli.error.export_or_import"))
    from azi_p2p.cli import identity as command  # noqa: PLC0415

    folder = profile or context.obj
    raise typer.Exit(command.run(WORDS, folder, export_file, import_file, new_passphrase=passphrase, json_out=json_out))


def one_line(error: Exception) -> str:
    """What was wrong with the usage, as one line that names the command and the place."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "azi"
    message = " ".join(getattr(error, "format_message", lambda: str(error))().split())
    # The parser shows through here: its kind of error, and a full stop that the brackets behind it make wrong.
    message = message.replace("Value error, ", "").removesuffix(".")
    return _("cli.error.usage", command=command, message=message)


def exit_code(arguments: list[str] | None = None) -> int:
    """Run the command line (None: that of this process) and give its exit code; messages have been written."""
    stop_on_signals()
    try:
        code = app(args=arguments, prog_name="azi", standalone_mode=False)
    except CommandFailed as failure:
        tell(_("cli.error.failed", message=failure.message))
        return failure.code
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except Stopped as stopped:
        return stopped.code
    except USAGE_ERROR as error:
        tell(one_line(error))
        return WRONG_USAGE
    except OSError as error:
        # Without this, the interpreter would complain once more at its end about what couldn't be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # then whoever read our output just went away
            tell(_("cli.error.failed", message=error.strerror or str(error)))
        return FAILED
    return code if isinstance(code, int) else 0


def main() -> None:
    """Entry point of the console script `azi`."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that can't write a letter of somebody's name must not end the game.
            reconfigure(errors="replace")
    sys.exit(exit_code())
