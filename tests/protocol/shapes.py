"""The shapes of messages as the code has them, in the words of JSON Schema; and values of messages as plain JSON.

Bytes are lower-case hexadecimal in JSON. What a schema says in words (titles, descriptions) is not derived here.
"""

from __future__ import annotations

from typing import Any

import msgspec.inspect as looked
from msgspec import UNSET

Schema = dict[str, Any]


def schema_of(kind: object) -> Schema:
    """Give the schema of a msgspec type with the constraints that the decoder enforces; raises TypeError for others."""
    return _schema(looked.type_info(kind))


def _schema(info: looked.Type) -> Schema:
    match info:
        case looked.StructType(fields=fields, forbid_unknown_fields=True, array_like=False):
            return {
                "type": "object",
                "properties": {field.encode_name: _schema(field.type) for field in fields},
                "required": [field.encode_name for field in fields if field.required and field.default is not UNSET],
                "additionalProperties": False,
            }
        case looked.DictType(key_type=looked.StrType()):
            return {"type": "object"}
        case looked.BytesType(min_length=low, max_length=high) if high is not None:
            return {"type": "string", "pattern": bytes_pattern(low or 0, high)}
        case looked.StrType(min_length=low, max_length=high) if high is not None:
            return {"type": "string", "minLength": low or 0, "maxLength": high}
        case looked.IntType(ge=low, le=high) if low is not None and high is not None:
            return {"type": "integer", "minimum": low, "maximum": high}
        case looked.BoolType():
            return {"type": "boolean"}
        case looked.LiteralType(values=values):
            return {"enum": list(values)}
        case looked.ListType(item_type=item, min_length=low, max_length=high) if high is not None:
            return {"type": "array", "items": _schema(item), "minItems": low or 0, "maxItems": high}
        case _:
            raise TypeError(f"no field of a message is unbounded or of this kind: {info}")


def bytes_pattern(low: int, high: int) -> str:
    """Give the pattern of `low` to `high` bytes in hexadecimal."""
    if low == high:
        return f"^[0-9a-f]{{{2 * low}}}$"
    return f"^(?:[0-9a-f]{{2}}){{{low},{high}}}$"


def jsonable(value: object) -> Any:
    """Give a decoded MessagePack value as JSON has it: the same, with bytes as hexadecimal."""
    match value:
        case bytes():
            return value.hex()
        case dict():
            return {key: jsonable(inner) for key, inner in value.items()}
        case list():
            return [jsonable(inner) for inner in value]
        case _:
            return value
