"""A second opinion on Ed25519 signatures, straight from RFC 8032, in integers: slow, plain, and for tests only.

It checks `R = s B - k A` on encodings, without the cofactor, as the library that the program uses does.
"""

from __future__ import annotations

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)

Point = tuple[int, int]
"""Affine coordinates."""

Extended = tuple[int, int, int, int]
"""`X, Y, Z, T` with `x = X / Z`, `y = Y / Z`, `x y = T / Z`."""

BASE_Y = 4 * pow(5, -1, P) % P


def recover_x(y: int, sign: int) -> int | None:
    """Give the x of a point, or None (RFC 8032, section 5.1.3, steps 2 to 4)."""
    u, v = (y * y - 1) % P, (D * y * y + 1) % P
    x = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    if (v * x * x - u) % P:
        x = x * ROOT % P
    if (v * x * x - u) % P:
        return None
    return P - x if x % 2 != sign and x else x


def decode(data: bytes) -> Point | None:
    """Decode a point as lenient implementations do: y is reduced, and a sign at x = 0 is ignored."""
    encoded = int.from_bytes(data, "little")
    y = (encoded & (2**255 - 1)) % P
    x = recover_x(y, encoded >> 255)
    return None if x is None else (x, y)


def encode(point: Extended) -> bytes:
    """Encode a point (RFC 8032, section 5.1.2)."""
    x, y = (part * pow(point[2], -1, P) % P for part in point[:2])
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add(left: Extended, right: Extended) -> Extended:
    """Add points in extended coordinates (RFC 8032, section 5.1.4; complete, so also for doubling)."""
    x_1, y_1, z_1, t_1 = left
    x_2, y_2, z_2, t_2 = right
    a, b = (y_1 - x_1) * (y_2 - x_2) % P, (y_1 + x_1) * (y_2 + x_2) % P
    c, d = 2 * D * t_1 * t_2 % P, 2 * z_1 * z_2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def multiply(factor: int, point: Point) -> Extended:
    x, y = point
    result, doubled = (0, 1, 1, 0), (x, y, 1, x * y % P)
    while factor:
        if factor & 1:
            result = add(result, doubled)
        doubled = add(doubled, doubled)
        factor >>= 1
    return result


def is_small_order(data: bytes) -> bool:
    """Tell whether an encoding is a point whose order divides 8."""
    point = decode(data)
    return point is not None and encode(multiply(8, point)) == (1).to_bytes(32, "little")


def is_valid(public: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a signature holds, by the equation without the cofactor, comparing encodings."""
    A = decode(public)
    s = int.from_bytes(signature[32:], "little")
    if A is None or s >= ORDER:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + public + message).digest(), "little") % ORDER
    base_x = recover_x(BASE_Y, 0)
    assert base_x is not None
    negated = (-A[0] % P, A[1])
    return encode(add(multiply(s, (base_x, BASE_Y)), multiply(k, negated))) == signature[:32]
