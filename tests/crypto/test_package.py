"""What holds for the package as a whole: work, secrets, errors, purity."""

from __future__ import annotations

import ast
import pickle
from pathlib import Path

import pytest

import azi_p2p.crypto
from azi_p2p.crypto import group, keys, masking, shuffle, tokens, void
from azi_p2p.crypto.errors import CryptoError, DecodingError, ProofError
from azi_p2p.crypto.opcount import bare_operations, count_operations
from tests.crypto.kit import World, context, seeded, world

SOURCES = sorted(Path(azi_p2p.crypto.__file__).parent.glob("*.py"))


class TestWork:
    """How many group operations each proof makes: written down, so that none creeps in unseen."""

    @pytest.mark.parametrize("n", [5, 27])
    def test_shuffle(self, n: int) -> None:
        table = world(n)
        deck, _ = shuffle.shuffle(table.start, table.joint, seeded(1))
        with count_operations() as counts:
            shuffled, witness = shuffle.shuffle(deck, table.joint, seeded(2))
        assert counts == {"mul": n, "mul_base": n, "add": 2 * n}
        proof = shuffle.prove_shuffle(deck, shuffled, witness, table.joint, context(), seeded(3))
        with count_operations() as counts:
            shuffle.prove_shuffle(deck, shuffled, witness, table.joint, context(), seeded(3))
        assert counts == {"mul": 4 * n + 2, "mul_base": 2 * n + 5, "add": 5 * n + 1}
        shuffle.verify_shuffle(deck, shuffled, proof, table.joint, context())  # the sum of the generators is kept
        with count_operations() as counts:
            shuffle.verify_shuffle(deck, shuffled, proof, table.joint, context())
        assert counts == {"mul": 7 * n + 5, "mul_base": 5, "add": 8 * n + 3, "sub": 1}

    def test_first_shuffle_of_a_start_deck_is_cheaper(self) -> None:
        n = 27
        table = world(n)
        shuffled, witness = shuffle.shuffle(table.start, table.joint, seeded(2))
        with count_operations() as counts:
            proof = shuffle.prove_shuffle(table.start, shuffled, witness, table.joint, context(), seeded(3))
        assert counts["mul"] == 3 * n + 2
        with count_operations() as counts:
            shuffle.verify_shuffle(table.start, shuffled, proof, table.joint, context())
        assert counts["mul"] == 6 * n + 5

    @pytest.mark.parametrize("n", [1, 2, 10])
    def test_tokens(self, n: int) -> None:
        x, X = keys.new_deal_key(seeded(1))
        bases = [group.hash_to_group(bytes([index])) for index in range(n)]
        images = [tokens.reveal_token(x, base) for base in bases]
        with count_operations() as counts:
            proof = tokens.prove_tokens(x, X, bases, images, context())
        assert counts["mul"] == n
        with count_operations() as counts:
            tokens.verify_tokens(X, bases, images, proof, context())
        assert counts["mul"] == 2 * (n - 1) + 3

    @pytest.mark.parametrize("k", [1, 9, 18])
    def test_void(self, k: int) -> None:
        table = world(k)
        masked = table.start[0]
        d = masking.unmask(masked, table.others_tokens(0, masked))
        x, X = table.secrets[0], table.publics[0]
        deck = [*table.cards]
        # The start deck's first parts are G, whose multiplication is quicker; a shuffled one shows the true count.
        c1 = group.mul_base(group.scalar_from_int(7))
        d = group.add(deck[0], group.mul(x, c1))
        with count_operations() as counts:
            proof = void.prove_void(x, X, c1, d, deck, context())
        assert counts["mul"] == 2 * k
        with count_operations() as counts:
            void.verify_void(X, c1, d, deck, proof, context())
        assert counts["mul"] == 3 * k

    def test_counting_ends_with_the_block(self) -> None:
        before = bare_operations().keys()
        with count_operations() as counts, pytest.raises(DecodingError):
            group.decode_element(b"\xff" * 32)
        assert counts == {"is_valid": 1}
        group.mul_base(group.ONE)
        assert counts == {"is_valid": 1}
        for operation in bare_operations().values():
            operation()
        assert bare_operations().keys() == before


class TestSecrets:
    def test_a_witness_is_not_shown(self) -> None:
        table: World = world(3)
        _, witness = shuffle.shuffle(table.start, table.joint, seeded(1))
        text = repr(witness) + str(witness)
        assert text == "ShuffleWitness()" * 2
        assert not any(repr(mask) in text for mask in witness.masks)

    def test_errors_of_our_own_making_show_no_secret(self) -> None:
        x, X = keys.new_deal_key(seeded(1))
        with pytest.raises(CryptoError) as caught:
            keys.prove_ownership(x, group.add(X, group.G), context())
        assert repr(x) not in repr(caught.value)
        assert x.hex() not in repr(caught.value)


class TestErrors:
    def test_they_survive_pickling(self) -> None:
        error = pickle.loads(pickle.dumps(ProofError("proof_fails", "it does not hold")))
        assert isinstance(error, ProofError)
        assert (error.code, error.reason, str(error)) == ("proof_fails", "it does not hold", "it does not hold")
        assert str(pickle.loads(pickle.dumps(DecodingError("too short")))) == "too short"

    def test_codes_are_known(self) -> None:
        with pytest.raises(AssertionError):
            ProofError("no_such_code", "…")

    def test_proofs_survive_pickling(self) -> None:
        x, X = keys.new_deal_key(seeded(1))
        proof = keys.prove_ownership(x, X, context())
        assert pickle.loads(pickle.dumps(proof)) == proof


class TestPurity:
    @pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
    def test_imports(self, source: Path) -> None:
        names: set[str] = set()
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
        assert not names & {"random", "secrets", "time", "socket", "asyncio", "datetime"}
        assert source.name == "group.py" or "rbcl" not in names
        ours = {name for name in names if name.startswith("azi_p2p")}
        assert all(name.startswith("azi_p2p.crypto") for name in ours)
