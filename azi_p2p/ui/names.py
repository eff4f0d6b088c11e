"""Nicknames, table names and chat are other people's bytes: make them harmless and fitting before they are shown.

Letters, marks, digits and punctuation of every script pass. What can move the cursor, turn the direction of writing,
or be there without being seen doesn't: control characters (C0, C1), format characters (bidi controls, zero-width
joiners, tags), line separators, private and unassigned code points, and the "letters" that are drawn as nothing.
All blanks become the ordinary space. Widths are counted in terminal cells, as Unicode Annex 11 gives them.

What doesn't belong here: whether two names look alike (the fingerprint beside each name settles that).
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

LINE_WIDTH = 79
"""Columns of plain lines: one less than a terminal has, so that nothing wraps by itself."""
NAME_CELLS = 16
"""Cells that a nickname may take on the screen."""
CHAT_CELLS = 300
"""Cells that one chat line may take, before it is wrapped."""
MARKS_IN_A_ROW = 2
"""Combining marks that may stand on one letter; more of them only climb into the lines above."""

PASSING = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"})
MARKS = frozenset({"Mn", "Mc"})
PLAIN_SYMBOLS = frozenset("$+<=>^`|~°€£¥₽№©±×÷")
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0")
"""Hangul fillers: letters by category, blanks to the eye."""
LONE_VOWELS = frozenset(map(chr, [*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC)]))
"""Hangul vowels and finals that belong to no syllable: letters by category, but drawn over what stands before them."""
COUNTING_RODS = frozenset(map(chr, range(0x1D360, 0x1D379)))
"""Numbers by category, pictures to the eye, of which some terminals draw two cells wide what others draw as one."""
IGNORABLE_MARKS = frozenset(
    [0x034F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)]
)
"""Marks by category that nobody sees: the grapheme joiner, inherent Khmer vowels, variation selectors."""


def clean_name(raw: str, cells: int = NAME_CELLS) -> str:
    """A nickname or table name as it may be shown: at most `cells` wide, `?` if nothing of it can be shown."""
    return cut(cleaned(raw, substitute=""), cells) or "?"


def clean_chat(raw: str, cells: int = CHAT_CELLS) -> str:
    """Words of another person as one harmless line; a symbol that can't be shown becomes `?`. May be empty."""
    return cut(cleaned(raw, substitute="?"), cells)


def cleaned(raw: str, substitute: str) -> str:
    """The text with everything unseen taken out and blanks made plain; `substitute` stands for visible symbols
    (pictures, emoji) that terminals draw in unpredictable widths."""
    out: list[str] = []
    marks = 0
    for char in unicodedata.normalize("NFC", raw):
        category = unicodedata.category(char)
        if category in MARKS:
            marks += 1
            if ord(char) in IGNORABLE_MARKS or marks > MARKS_IN_A_ROW or not out or out[-1] == " ":
                continue
            out.append(char)
            continue
        marks = 0
        if category == "Zs" or char in "\t\n\r":
            if out and out[-1] != " ":
                out.append(" ")
        elif char in BLANK_LETTERS or char in LONE_VOWELS:
            continue
        elif char in COUNTING_RODS:
            out.append(substitute)
        elif category in PASSING or char in PLAIN_SYMBOLS:
            out.append(char)
        elif category in {"So", "Sk", "Sm", "Sc"} and char != "\u2800":
            out.append(substitute)
    return "".join(out).strip()


@lru_cache(maxsize=4096)
def char_cells(char: str) -> int:
    """Cells that one character takes: 0 for marks that combine, 2 for wide ones, else 1.

    It must be what whoever draws on the terminal reckons (wcwidth): a row is moved by each difference.
    """
    if unicodedata.category(char) in {"Mn", "Mc", "Me"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1


def cells(text: str) -> int:
    """Cells that a cleaned text takes in a terminal."""
    return sum(map(char_cells, text))


def cut(text: str, limit: int) -> str:
    """The text cut to `limit` cells, the last of them an ellipsis if anything is missing."""
    if cells(text) <= limit:
        return text
    out: list[str] = []
    used = 0
    for char in text:
        used += char_cells(char)
        if used > limit - 1:
            break
        out.append(char)
    return "".join(out).rstrip() + "…"
