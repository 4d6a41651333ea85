"""Reading the fields that rules use from undecoded JSON: which calls are equal in them and which
lack one."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from outcomes.backtesting.domain.rule_reads import missing, reads_of
from outcomes.backtesting.replay.contents import Content
from outcomes.backtesting.replay.read_fields import FieldReader


def looking(*, when, **more):
    rule = {"id": "a", "type": "pre", "tool": "fetch", "when": when} | more
    return FieldReader(reads_of([rule]), "fetch")


def content(arguments=None, principal=None):
    parts = [None if each is None else json.dumps(each).encode() for each in (arguments, principal)]
    return Content(arguments=parts[0], principal=parts[1])


def test_calls_are_equal_if_all_fields_that_rules_read_are_equal():
    about = looking(when={"args.url.host": {}, "principal.role": {}})
    one = about.key_of(content({"url": "u", "id": 1}, {"role": "r", "user_id": "a"}))
    assert one == about.key_of(content({"id": 2, "url": "u"}, {"user_id": "b", "role": "r"}))
    others = [
        content({"url": "v"}, {"role": "r"}),
        content({"url": None}, {"role": "r"}),
        content({"url": "u"}, {"role": "s"}),
        content({"url": "u"}, {}),
        content({"url": "u"}),
        content(None, {"role": "r"}),
        content({}, {"role": "r"}),
        content(["u"], {"role": "r"}),
    ]
    assert len({one, *map(about.key_of, others)}) == len(others) + 1


def test_a_rule_that_may_read_all_arguments_distinguishes_all_calls():
    about = looking(when={}, type="sandbox")
    assert about.key_of(content({"a": 1})) != about.key_of(content({"a": 2}))


def test_calls_are_equal_if_no_rule_reads_a_field():
    about = looking(when={"environment": {}})
    assert about.key_of(content({"a": 1}, {"role": "r"})) == about.key_of(content())


TEXTS = st.sampled_from(["a", "[REDACTED]", "a" * 997 + "...", "...", "REDACTED", "é"])
VALUES = TEXTS | st.lists(TEXTS, max_size=2) | st.dictionaries(TEXTS, TEXTS, max_size=2)
ARGUMENTS = st.none() | st.dictionaries(st.sampled_from(["url", "id"]), VALUES)


@settings(deadline=None)
@given(ARGUMENTS, st.booleans(), st.booleans(), st.sampled_from(["pre", "post", "sandbox"]))
def test_missing_fields_are_the_same_in_raw_json_and_in_parsed_values(
    arguments, output, escaped, kind
):
    rule = {"id": "a", "type": kind, "tool": "fetch", "when": {"args.url": {}, "env.HOME": {}}}
    rules = reads_of([rule])
    text = json.dumps(arguments)
    if escaped:
        text = text.replace("REDACTED", "\\u0052EDACTED").replace("...", "..\\u002e")
    content_of_call = Content(None if arguments is None else text.encode())
    about = FieldReader(rules, "fetch")
    for _ in range(2):
        assert about.lacks(content_of_call, output=output) == tuple(
            ("a", what) for what in missing(rules[0], arguments, output=output)
        )
