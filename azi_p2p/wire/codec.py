"""MessagePack with tight limits, one encoding per value.

Decoding happens in three steps, each of which can refuse: MessagePack without extension types, floats,
duplicate keys or trailing bytes; strict conversion to a typed struct (unknown fields forbidden, lengths and
integers bounded, a bool is no int); then the value is encoded again and must give the same bytes. So one value
has one encoding, and a signature over bytes is a signature over the value.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgpack
import msgspec

from azi_p2p.wire.errors import WireError

T = TypeVar("T")

MAX_DEPTH = 8
"""Deepest nesting of maps and arrays in any message; the deepest honest one has four levels."""

PACK_BUFFER = 8192
"""Bytes set aside for an encoding; it grows where more are needed. A quarter of a megabyte each time, as the library
would have it, tears the memory of a long evening into pieces."""

MAX_REASON = 160
"""Characters quoted of what a library says about bytes that it refuses."""


def encode(value: Any) -> bytes:
    """Encode a struct (or plain maps, arrays, bytes, strings, integers, booleans, None) as MessagePack bytes."""
    plain = msgspec.to_builtins(value, builtin_types=(bytes,))
    packed: bytes = msgpack.packb(plain, use_bin_type=True, buf_size=PACK_BUFFER)
    return packed


def decode(data: bytes, kind: type[T], *, limit: int) -> T:
    """Decode `data` (at most `limit` bytes) strictly as a value of the struct type `kind`.

    Raises WireError with the reason when the bytes are not the one encoding of such a value.
    """
    value = convert(decode_plain(data, limit=limit), kind)
    if encode(value) != data:
        raise WireError("not the shortest MessagePack encoding, or fields out of order")
    return value


def convert(plain: object, kind: type[T]) -> T:
    """Convert decoded MessagePack (`decode_plain`) to the struct type `kind`; raises WireError."""
    try:
        # Without `builtin_types` a text would pass for bytes, read as Base64.
        return msgspec.convert(plain, kind, strict=True, builtin_types=(bytes,))
    except (msgspec.ValidationError, OverflowError, UnicodeError) as error:
        raise WireError(_one_line(error)) from error


def decode_plain(data: bytes, *, limit: int) -> object:
    """Decode MessagePack to plain maps, arrays, bytes, strings and integers; raises WireError.

    Refuses more than `limit` bytes, extension types (timestamps too), floats, duplicate or non-string keys, nesting
    deeper than MAX_DEPTH, invalid UTF-8, and trailing bytes.
    """
    if len(data) > limit:
        raise WireError(f"{len(data)} bytes where at most {limit} are allowed")
    try:
        plain: object = msgpack.unpackb(
            data,
            raw=False,
            use_list=True,
            strict_map_key=True,
            object_pairs_hook=_unique_pairs,
            ext_hook=_no_extension,
            timestamp=0,
            max_str_len=limit,
            max_bin_len=limit,
            max_array_len=512,
            max_map_len=64,
            max_ext_len=16,
        )
    except WireError:
        raise
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        # UnicodeDecodeError, ExtraData, FormatError and StackError are ValueErrors.
        raise WireError(f"not MessagePack that this protocol uses: {_one_line(error)}") from error
    _check_plain(plain, 0)
    return plain


def _one_line(error: Exception) -> str:
    """What a library says about the bytes; it may quote them, so what can't be printed is taken out."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(error)[:MAX_REASON])


def _unique_pairs(pairs: list[tuple[object, object]]) -> dict[object, object]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise WireError("a map has the same key twice")
    return result


def _no_extension(code: int, _data: bytes) -> object:
    raise WireError(f"extension type {code} is not used in this protocol")


def _check_plain(value: object, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise WireError(f"nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str):
                raise WireError("a map key is not a string")
            _check_plain(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_plain(inner, depth + 1)
    elif value is not None and not isinstance(value, (bool, int, str, bytes)):
        raise WireError(f"values of type {type(value).__name__} are not used in this protocol")
