"""Codes of private tables: who gets in, what a proof belongs to, and how often somebody may guess. Onlookers, too."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

PROOF = "azi_p2p/net/codeproof.py"
GATE = "azi_p2p/net/gate.py"
TRIES = "azi_p2p/net/tries.py"
HELLO = "azi_p2p/net/hello.py"
LINK = "azi_p2p/net/link.py"
MESH = "azi_p2p/net/mesh.py"
CODE = "azi_p2p/net/tablecode.py"
ATTACKS = "tests/attacks/test_table_codes.py"
UNITS = "tests/net/test_tablecode.py"


def _binding(field: str, old: str, new: str) -> Mutant:
    return Mutant(
        f"proof of a code without its {field}",
        GATE,
        old,
        new,
        "a proof of a code belongs to one meeting and can't be passed on",
        (f"{ATTACKS}::test_a_proof_is_of_no_use_with_another",),
    )


MUTANTS = (
    Mutant(
        "links without the proof of the code",
        LINK,
        "        if gate is not None:\n            await gate.prove(",
        "        if False:\n            await gate.prove(",
        "a link at a private table stands only when both have proven the code",
        (f"{ATTACKS}::test_no_link_stands_with",),
    ),
    Mutant(
        "any code will do",
        PROOF,
        "raise LinkError(LinkEnd.WRONG_CODE)\n        self.proven = True",
        "pass\n        self.proven = True",
        "who has another code gets no link",
        (f"{ATTACKS}::test_no_link_stands_with", f"{UNITS}::test_with_another_code_neither_does"),
    ),
    Mutant(
        "the dialer believes any listener",
        GATE,
        "        proof.check(await receive())\n        self.called.proved(host, peer, time.monotonic())",
        "        await receive()\n        self.called.proved(host, peer, time.monotonic())",
        "both directions are confirmed",
        (f"{ATTACKS}::test_who_only_says_that_it_sits_at_the_table_gets_few_confirmations_to_try_codes_on",),
    ),
    Mutant(
        "confirmations without a role",
        PROOF,
        'CONFIRM_DOMAIN + role.encode("ascii")',
        "CONFIRM_DOMAIN",
        "nobody's own confirmation can be sent back",
        (f"{UNITS}::test_own_confirmation_sent_back_proves_nothing",),
    ),
    Mutant(
        "the listener confirms first",
        GATE,
        "        send(proof.share())\n        try:\n            proof.check(",
        "        send(proof.share())\n        send(proof.confirm())\n        try:\n            proof.check(",
        "a caller is told nothing before it has shown that it knows the code",
        (f"{ATTACKS}::test_a_caller_without_the_code_is_told_nothing_to_try_codes_on",),
    ),
    _binding("table", "            table=table,\n", "            table=bytes(32),\n"),
    _binding("certificate", "certificate=meeting.certificate,", "certificate=bytes(32),"),
    _binding("dialer's key", "dialer_key=meeting.dialer_key,", "dialer_key=bytes(32),"),
    _binding("listener's key", "listener_key=meeting.listener_key,", "listener_key=bytes(32),"),
    _binding("dialer's nonce", "dialer_nonce=meeting.dialer_nonce,", "dialer_nonce=bytes(32),"),
    _binding("listener's nonce", "listener_nonce=meeting.listener_nonce,", "listener_nonce=bytes(32),"),
    Mutant(
        "proofs that are bound to nothing",
        PROOF,
        "idSymmetric=BINDING_DOMAIN + encode(binding)",
        "idSymmetric=BINDING_DOMAIN",
        "somebody between two who know the code can't pass their proofs on",
        (f"{ATTACKS}::test_somebody_between_two_who_know_the_code_passes_their_proofs_on",),
    ),
    Mutant(
        "shares in any encoding",
        PROOF,
        'if not 1 < int.from_bytes(share, "little") & (2**255 - 1) < FIELD:',
        "if False:",
        "the identity is no share, however it is written",
        (f"{UNITS}::test_shares_that_are_none",),
    ),
    Mutant(
        "private and public peers linked",
        HELLO,
        "raise LinkError(LinkEnd.NO_CODE)",
        "return",
        "who has a code links to nobody without one",
        (f"{ATTACKS}::test_no_link_stands_with",),
    ),
    Mutant(
        "a private table's openings without its id compared",
        HELLO,
        "if not (ours or theirs) or (ours and theirs and ours != theirs):",
        "if not (ours or theirs):",
        "a link is made at one table",
        (f"{ATTACKS}::test_no_link_stands_with",),
    ),
    Mutant(
        "callers may guess for ever",
        GATE,
        "if not self.callers.take(host, peer, time.monotonic()):",
        "if False:",
        "a short code can't be guessed by trying",
        (f"{ATTACKS}::test_who_tries_one_code_after_another_is_soon_not_heard_and_others_still_get_in",),
    ),
    Mutant(
        "those who are called may guess for ever",
        GATE,
        "if not self.called.take(host, peer, time.monotonic()):",
        "if False:",
        "whoever announces himself as a peer gets few confirmations to try codes on",
        (f"{ATTACKS}::test_who_only_says_that_it_sits_at_the_table_gets_few_confirmations_to_try_codes_on",),
    ),
    Mutant(
        "one address may use up all tries",
        TRIES,
        "if own.fill(self._per_address, now) < 1 or self._all.fill(self._in_all, now) < 1:",
        "if self._all.fill(self._in_all, now) < 1:",
        "others still get in while one tries codes",
        (f"{UNITS}::test_one_address_has_few_tries_and_gets_another_one_after_a_minute",),
    ),
    Mutant(
        "many addresses may guess for ever",
        TRIES,
        "if own.fill(self._per_address, now) < 1 or self._all.fill(self._in_all, now) < 1:",
        "if own.fill(self._per_address, now) < 1:",
        "a code can't be guessed from many addresses either",
        (f"{UNITS}::test_many_addresses_together_have_few_tries_too",),
    ),
    Mutant(
        "seats that wait behind guessers",
        TRIES,
        "        if known is not None:\n            return _take(",
        "        if False:\n            return _take(",
        "a seat comes back while somebody tries codes",
        (f"{UNITS}::test_who_has_proven_the_code_comes_back_while_somebody_tries_codes",),
    ),
    Mutant(
        "wrong codes that cost nothing",
        GATE,
        "if error.code is LinkEnd.WRONG_CODE:\n                log.info(",
        "if error.code is LinkEnd.WRONG_CODE:\n                self.callers.proved(host, peer, time.monotonic())\n"
        "                log.info(",
        "every wrong try is counted",
        (f"{ATTACKS}::test_who_tries_one_code_after_another_is_soon_not_heard_and_others_still_get_in",),
    ),
    Mutant(
        "dialled again and again with a wrong code",
        MESH,
        "contact.not_before = time.monotonic() + REFUSED_DELAY",
        "contact.not_before = 0.0",
        "nobody uses up tries, or gives them away, by dialling by itself",
        (f"{ATTACKS}::test_all_who_know_the_code_find_each_other_and_a_stranger_finds_nobody",),
    ),
    Mutant(
        "calls without a gate",
        MESH,
        "self._certificate, gate=self._gate, timing",
        "self._certificate, timing",
        "callers of a private table prove the code",
        (f"{ATTACKS}::test_all_who_know_the_code_find_each_other_and_a_stranger_finds_nobody",),
    ),
    Mutant(
        "codes that show themselves",
        CODE,
        'return "TableCode(…)"',
        'return f"TableCode({self.shown})"',
        "a code is in no log and no traceback",
        (f"{UNITS}::test_a_code_is_in_no_repr_and_no_traceback",),
    ),
    Mutant(
        "codes of any length",
        CODE,
        "if not LEAST <= len(signs) <= MOST or not signs.isprintable():",
        "if not signs.isprintable():",
        "nobody chooses a code of one digit",
        (f"{UNITS}::test_codes_that_are_none",),
    ),
    Mutant(
        "held seats that show their code",
        "azi_p2p/store/heldseat.py",
        'return f"HeldSeat({self.table[:8]}, {self.name!r})"',
        'return f"HeldSeat({self.table[:8]}, {self.code!r})"',
        "a code is in no log and no traceback",
        ("tests/store/test_profile.py::test_a_held_seat_does_not_show_the_code_of_its_table",),
    ),
    Mutant(
        "onlookers told of all the time",
        "azi_p2p/session/table.py",
        "if number != self._onlookers and now >= self._onlookers_again:",
        "if number != self._onlookers:",
        "strangers who come and go fill nobody's screen",
        ("tests/session/test_onlookers.py::test_strangers_who_come_and_go_all_the_time_are_not_told_all_the_time",),
    ),
    Mutant(
        "onlookers with the key of a seat",
        "azi_p2p/cli/table.py",
        "if held is not None and sitting.watch:",
        "if False:",
        "nobody's seat is taken to be there while its owner only watches",
        ("tests/cli/test_main.py::test_who_holds_a_seat_does_not_watch_with_its_key",),
    ),
)
"""Mutants of what keeps strangers out of private tables."""
