"""The command line from its first word to its exit code: the language, the command, one line for what went wrong.

Data goes to stdout, messages to stderr. What doesn't belong here: the options of a command (`options`), and what it
does (`commands`).
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence

from azi_p2p.cli.options import WrongUsage, parse
from azi_p2p.cli.running import FAILED, INTERRUPTED, WRONG_USAGE, CommandFailed, Stopped, stop_on_signals, tell
from azi_p2p.ui.failed import what_failed
from azi_p2p.ui.i18n import Catalogue, catalogue, environment_language, match_language


def asked_language(arguments: Sequence[str]) -> str | None:
    """The language that the command line asks for, None if it names none; needed before the help texts are made."""
    for position, argument in enumerate(arguments):
        name, sign, value = argument.partition("=")
        if name == "--lang":
            wanted = value if sign else "".join(arguments[position + 1 : position + 2])
            return match_language(wanted)
    return None


def exit_code(arguments: Sequence[str] | None = None) -> int:
    """Run the command line (None: that of this process) and give its exit code; messages have been written."""
    arguments = sys.argv[1:] if arguments is None else arguments
    asked = asked_language(arguments)
    texts = catalogue(asked or environment_language())
    stop_on_signals()
    try:
        return _run(arguments, texts, own_language=asked is not None)
    except SystemExit as answered:
        return int(answered.code or 0)
    except CommandFailed as failure:
        tell(texts.text("cli.error.failed", message=failure.message))
        return failure.code
    except KeyboardInterrupt:
        return INTERRUPTED
    except Stopped as stopped:
        return stopped.code
    except WrongUsage as wrong:
        tell(texts.text("cli.error.usage", command=wrong.command, message=" ".join(wrong.message.split())))
        return WRONG_USAGE
    except OSError as error:
        # Without this, the interpreter would complain once more at its end about what couldn't be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # then whoever read our output just went away
            tell(texts.text("cli.error.failed", message=what_failed(error, texts)))
        return FAILED


def _run(arguments: Sequence[str], texts: Catalogue, *, own_language: bool) -> int:
    options = parse(arguments, texts)
    from azi_p2p.cli import commands  # noqa: PLC0415 - not needed for help

    return commands.run(options, texts, own_language=own_language)


def rule_out_core_dumps() -> None:
    """Have no memory of this process and of its children written to disk when one crashes: keys are in it.

    Not on Windows, which has no such limit.
    """
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return
    with contextlib.suppress(OSError, ValueError):  # as it was, where the system doesn't allow it
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def main() -> None:
    """Entry point of the console script `azi`."""
    rule_out_core_dumps()
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            # A terminal that can't write a letter of somebody's name must not end the game.
            reconfigure(errors="replace")
    sys.exit(exit_code())
