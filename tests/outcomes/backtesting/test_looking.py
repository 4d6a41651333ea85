"""What rules look at of calls that are still JSON: which calls are alike, and what they lack."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from outcomes.backtesting.domain.rule_reads import missing, reads_of
from outcomes.backtesting.replay.contents import Content
from outcomes.backtesting.replay.read_fields import Looking


def looking(*, when, **more):
    rule = {"id": "a", "type": "pre", "tool": "fetch", "when": when} | more
    return Looking(reads_of([rule]), "fetch")


def content(arguments=None, principal=None):
    told = [None if each is None else json.dumps(each).encode() for each in (arguments, principal)]
    return Content(*told)


def test_calls_are_alike_when_all_that_rules_look_at_is():
    about = looking(when={"args.url.host": {}, "principal.role": {}})
    one = about.told_by(content({"url": "u", "id": 1}, {"role": "r", "user_id": "a"}))
    assert one == about.told_by(content({"id": 2, "url": "u"}, {"user_id": "b", "role": "r"}))
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
    assert len({one, *map(about.told_by, others)}) == len(others) + 1


def test_a_rule_that_may_look_at_all_arguments_tells_all_of_them_apart():
    about = looking(when={}, type="sandbox")
    assert about.told_by(content({"a": 1})) != about.told_by(content({"a": 2}))


def test_calls_are_alike_where_no_rule_looks_at_anything_of_them():
    about = looking(when={"environment": {}})
    assert about.told_by(content({"a": 1}, {"role": "r"})) == about.told_by(content())


TEXTS = st.sampled_from(["a", "[REDACTED]", "a" * 997 + "...", "...", "REDACTED", "é"])
VALUES = TEXTS | st.lists(TEXTS, max_size=2) | st.dictionaries(TEXTS, TEXTS, max_size=2)
ARGUMENTS = st.none() | st.dictionaries(st.sampled_from(["url", "id"]), VALUES)


@settings(deadline=None)
@given(ARGUMENTS, st.booleans(), st.booleans(), st.sampled_from(["pre", "post", "sandbox"]))
def test_what_is_lacking_is_seen_in_the_text_as_in_what_it_says(arguments, output, escaped, kind):
    rule = {"id": "a", "type": kind, "tool": "fetch", "when": {"args.url": {}, "env.HOME": {}}}
    rules = reads_of([rule])
    text = json.dumps(arguments)
    if escaped:
        text = text.replace("REDACTED", "\\u0052EDACTED").replace("...", "..\\u002e")
    told = Content(None if arguments is None else text.encode())
    about = Looking(rules, "fetch")
    for _ in range(2):
        assert about.lacks(told, output=output) == tuple(
            ("a", what) for what in missing(rules[0], arguments, output=output)
        )
