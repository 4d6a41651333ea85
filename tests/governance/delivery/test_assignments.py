"""Which assignment wins, and which contracts could be assigned."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from governance.delivery.domain import Rule, assignable, assigned

BASE = Rule(number=1, bundle="base")


def of(*rules: Rule, agent: str = "billing-1", **tags: str) -> str | None:
    """Contract assigned by these rules, which does not depend on their order."""
    (answer,) = {assigned(order, agent, tags) for order in permutations(rules)}
    return answer


def test_without_a_rule_nothing_is_assigned():
    assert of() is None
    assert of(Rule(number=1, bundle="b", agent="search-*")) is None


def test_the_higher_priority_wins_over_more_tags():
    tagged = Rule(number=3, bundle="tagged", tags={"team": "a", "tier": "1"})
    assert of(BASE, tagged, Rule(number=2, bundle="first", priority=1), team="a", tier="1") == (
        "first"
    )


def test_more_tags_win_over_the_newer_rule():
    one = Rule(number=3, bundle="one", tags={"team": "a"})
    two = Rule(number=2, bundle="two", tags={"team": "a", "tier": "1"})
    assert of(BASE, one, two, team="a", tier="1") == "two"
    assert of(BASE, one, two, team="a") == "one"
    assert of(BASE, one, two, team="b", tier="1") == "base"


def test_the_newest_of_equal_rules_wins():
    assert of(BASE, Rule(number=2, bundle="newer", agent="billing-*")) == "newer"


def test_agent_globs_are_case_sensitive():
    assert of(Rule(number=1, bundle="b", agent="Billing-*")) is None


def test_assignable_contracts_end_with_the_first_rule_without_tags():
    rules = [
        BASE,
        Rule(number=2, bundle="strict", tags={"team": "a"}),
        Rule(number=3, bundle="other", agent="search-*"),
        Rule(number=4, bundle="never", priority=-1),
    ]
    assert assignable(rules, "billing-1") == ["strict", "base"]
    assert assignable(rules, "search-1") == ["strict", "other"]
    assert assignable([], "search-1") == []


TAGS = st.dictionaries(st.sampled_from("ab"), st.sampled_from("xy"))
RULES = st.lists(
    st.builds(
        Rule,
        number=st.integers(1, 9),
        bundle=st.sampled_from(["p", "q", "r"]),
        agent=st.sampled_from(["*", "bot", "b?t", "other"]),
        tags=TAGS,
        priority=st.integers(-1, 1),
    ),
    max_size=6,
    unique_by=lambda rule: rule.number,
)


@given(RULES)
def test_assignable_contracts_include_every_possible_assignment(rules):
    names = [(a, b) for a in ("", "x", "y") for b in ("", "x", "y")]
    tags = [{k: v for k, v in zip("ab", each, strict=True) if v} for each in names]
    brought = {assigned(rules, "bot", each) for each in tags} - {None}
    # May include a rule that never wins for any tags, but never omits one that can.
    assert brought <= set(assignable(rules, "bot"))
