"""What this package raises when bytes are not what they should be."""


class WireError(ValueError):
    """Bytes that no honest peer sends: the message says what is wrong with them."""
