"""What the best entries of a search tell, read off the confidence's own figures."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import pytest

from pegboard.search import Candidates, LexicalRanker, lexical_scores
from pegboard.search.confidence import confidence_of
from pegboard.search.evidence import JUDGED, LEAST, NEXT, Evidence
from tests.search.things import Thing

FILES = [Thing(f"read_file_{number}", "Read a file") for number in range(JUDGED)]
MAILS = [Thing(f"send_mail_{number}", "Send a mail") for number in range(JUDGED)]
POEM = Thing("translate_poem", "Translate a poem")


def found_in(query: str, entries: Sequence[Thing]) -> Evidence:
    """The figures of one search."""
    seen: list[Evidence] = []

    def note(found: Evidence) -> float:
        seen.append(found)
        return 1.0

    with patch.object(lexical_scores, "certainty", note):
        assert confidence_of(LexicalRanker().rank(query, Candidates.of(entries))) == 1.0
    return seen[0]


def test_what_stands_out_is_told_from_many_that_are_as_good() -> None:
    assert found_in("translate a poem", [POEM, *FILES]).flat == LEAST
    among = found_in("send the mail by zeppelin", MAILS)
    assert among.flat == among.needs == 1.0
    assert found_in("send the mail by zeppelin", MAILS[: JUDGED - 1]).flat == LEAST
    assert found_in("send the mail by zeppelin", MAILS[: NEXT - 1]).needs == 0.0


def test_an_entry_that_fits_as_well_never_makes_surer() -> None:
    for size in range(1, 2 * JUDGED):
        fewer, more = (found_in("send the mail by zeppelin", MAILS[:JUDGED][:some]) for some in (size, size + 1))
        assert more.flat >= fewer.flat
        assert more.needs >= fewer.needs


def test_a_need_has_its_own_best_where_the_ask_has_two() -> None:
    met = found_in("translate the long poem, then send the mail", [POEM, *MAILS])
    unmet = found_in("translate the long poem, then send the mail", [*MAILS, Thing("read_poem", "Read a poem")])
    assert met.needs == unmet.needs == pytest.approx(0.5)
    assert found_in("send a big mail, then read the file", [*MAILS, *FILES]).needs == 1.0


def test_a_clause_of_one_word_is_no_need() -> None:
    assert found_in("send the mail through Oslo, poem", [POEM, *MAILS]).needs < 0.1  # as where it has one need
    assert found_in("send the mail through Oslo, translate poem", [POEM, *MAILS]).needs == pytest.approx(0.5)


def test_the_ask_is_covered_by_one_entry_and_not_by_two_together() -> None:
    both = [Thing("send", "Send it"), Thing("mail", "A mail"), *FILES]
    assert found_in("send mail", both).covered == pytest.approx(0.5)
    assert found_in("send mail", [*both, MAILS[0]]).covered == pytest.approx(1.0)


def test_the_first_entries_are_those_of_the_order_and_not_of_the_catalog() -> None:
    poems = [Thing(f"read_poem_{number}", "Read a poem") for number in range(JUDGED)]
    for entries in ([POEM, *poems], [*poems, POEM]):
        found = found_in("translate poem", entries)
        assert found.whole
        assert found.covered == pytest.approx(1.0)
        assert found.share**2 > found.covered / 2


def test_a_word_for_the_same_covers_it_but_is_not_the_word() -> None:
    movie = found_in("film", [Thing("movie", "Find a movie"), *MAILS])
    assert movie.covered == 1.0
    assert not movie.whole


def test_a_word_that_no_entry_has_is_the_rarest() -> None:
    unknown, known = (found_in(f"send {word}", [*MAILS, *FILES]) for word in ("zeppelin", "file"))
    assert unknown.covered < known.covered
