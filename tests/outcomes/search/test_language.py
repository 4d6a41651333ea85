"""The search language: parsed terms and syntax errors."""

import pytest

from outcomes.search.domain.language import Op, QueryError, parse, written


def terms(text):
    return [(term.name, term.op.value, term.value, term.negated) for term in parse(text).terms]


def test_words_and_quoted_phrases_match_any_field():
    assert terms('upstream "SMTP 451"') == [
        ("", "~", "upstream", False),
        ("", "~", "SMTP 451", False),
    ]


def test_a_field_has_an_operator_and_a_value():
    assert terms('tool:crm_lookup -agent:"my bot" output.status:>=500 error:timeout took:<20') == [
        ("tool", "=", "crm_lookup", False),
        ("agent", "=", "my bot", True),
        ("output.status", ">=", "500", False),
        ("error", "~", "timeout", False),
        ("took", "<", "20", False),
    ]


def test_ids_and_urls_with_a_colon_are_plain_words():
    assert terms("run:42 https://example.test toolbox:x") == [
        ("", "~", "run:42", False),
        ("", "~", "https://example.test", False),
        ("", "~", "toolbox:x", False),
    ]


def test_a_query_can_be_serialized_without_one_of_its_terms():
    query = parse('tool:a  upstream -"no retry" args.x:~"a b"')
    assert query.text == 'tool:a upstream -"no retry" args.x:~"a b"'
    assert query.words == 'upstream -"no retry"'
    assert query.without(query.terms[0]).text == 'upstream -"no retry" args.x:~"a b"'
    assert parse(written("agent", 'a "b" \\ c')).terms[0].value == 'a "b" \\ c'
    assert parse(written("agent", ">5")).terms[0].op is Op.IS


@pytest.mark.parametrize(
    ("text", "message", "place"),
    [
        ("output.status:>=abc", "`output.status:>=` needs a number, not `abc`", 17),
        ("upstream tool:", "`tool:` needs a value", 15),
        ('tool:a "open', "A quote has no end", 8),
        ("tool:>=5", "`tool:` cannot be compared with `>=`", 8),
        ("verdict:good", "`verdict:` is one of success, failure, unknown", 9),
        ("took:slow", "`took:=` needs a number, not `slow`", 6),
        ("output.n:>nan", "`output.n:>` needs a number, not `nan`", 11),
        ("a " * 13, "A search has at most 12 terms", 25),
        ("a" * 501, "A search has at most 500 characters", 501),
    ],
)
def test_a_syntax_error_states_what_is_wrong_and_where(text, message, place):
    with pytest.raises(QueryError, match="at character") as error:
        parse(text)
    assert (str(error.value), error.value.place) == (f"{message} (at character {place})", place)
