"""What this package raises when the network or a peer doesn't do what it should: one line for people each."""

from __future__ import annotations

from azi_p2p.reasons import Reason, ReasonError


class NetTrouble(Reason, kind="net"):
    """Why the network can't be used as asked."""

    NO_MULTICAST = (
        "no_multicast",
        "tables can't be found by themselves here ({reason}): give the address, as in azi join HOST:PORT",
    )
    CANT_ANNOUNCE = (
        "cant_announce",
        "this computer's new addresses can't be announced ({reason}): others can still join by address",
    )
    PORT_IN_USE = "port_in_use", "port {port} can't be used ({reason}): choose another one, or 0 for any free port"
    NO_ADDRESS = "no_address", "{typed} is no address: write HOST:PORT, as in 192.168.1.20:4000"
    IPV6_WITHOUT_BRACKETS = (
        "ipv6_without_brackets",
        "{typed} is no address: write an IPv6 address in brackets, as in [fe80::1%eth0]:4000",
    )
    NO_SUCH_PORT = "no_such_port", "port {port} doesn't exist: ports go from 1 to 65535"


class LinkEnd(Reason, kind="link"):
    """Why a link can't be made, or has ended. The words are stable across versions, and some go over the network."""

    UNREACHABLE = "unreachable", "nobody answers there"
    UNKNOWN_NAME = "unknown_name", "no computer is known by the name {host}"
    TIMEOUT = "timeout", "there was no answer in time"
    NOT_AZI = "not_azi", "what answers there isn't Azi"
    CLOSED = "closed", "the peer has closed the link"
    OWN_KEY = "own_key", "this is our own key: the address leads back to this peer (or to its copy)"
    BAD_KEY = "bad_key", "the peer's key can't be used"
    NEWER_VERSION = (
        "newer_version",
        "the peer speaks protocol {theirs}, newer than ours ({ours}): update this program",
    )
    OLDER_VERSION = "older_version", "the peer speaks protocol {theirs}, older than ours ({ours}): it should update"
    BAD_HELLO = "bad_hello", "the peer's hello can't be used"
    BAD_SIGNATURE = (
        "bad_signature",
        "the peer can't prove its key on this very connection (somebody may stand between)",
    )
    WRONG_PEER = "wrong_peer", "another peer than the expected one answers at this address"
    BAD_FRAME = "bad_frame", "the peer sent something that can't be read"
    SILENT = "silent", "nothing was heard from the peer for too long"
    NOT_READING = "not_reading", "the peer doesn't read what we send"
    DROPPED = "dropped", "the table wants no link to this peer"
    REPLACED = "replaced", "another link to the same peer stands"
    ADDRESS_GONE = "address_gone", "this computer has lost the address that the link used"
    CODE_NEEDED = "code_needed", "the table there is private: only who knows its code may join"
    NO_CODE = "no_code", "there is no private table: nobody asks for a code there"
    WRONG_CODE = "wrong_code", "the code of the table is another one"
    TOO_MANY_TRIES = "too_many_tries", "too many wrong codes have been tried there: wait a few minutes"
    OTHER_TABLE = "other_table", "the peer there sits at another table, or at none yet"


class NetError(ReasonError):
    """The network can't be used as asked; the reason says what is wrong and how to mend it."""

    def __init__(self, code: NetTrouble | LinkEnd, /, **details: object) -> None:
        super().__init__(code, **details)


class LinkError(NetError):
    """A link can't be made, or has ended.

    `told`: what exactly, in English, for the log and for `str()`, where it is more than the reason's own sentence.
    """

    code: LinkEnd

    def __init__(self, code: LinkEnd, told: str = "", /, **details: object) -> None:
        super().__init__(code, **details)
        self.told = told or code.told(details)

    def __str__(self) -> str:
        return self.told

    def __reduce__(self) -> tuple[object, ...]:
        return (_link_error, (self.code, self.told, dict(self.details)))


def _link_error(code: LinkEnd, told: str, details: dict[str, object]) -> LinkError:
    return LinkError(code, told, **details)
