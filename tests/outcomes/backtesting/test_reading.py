"""Fields that rules read, and fields that stored calls lack."""

from outcomes.backtesting.domain.rule_reads import missing, reads_about, reads_of


def rule(**more):
    return {"id": "a", "type": "pre", "tool": "fetch", "when": {}} | more


def looked_at(**more):
    return reads_of([rule(**more)])[0]


def lacks(arguments, *, output=True, **more):
    return list(missing(looked_at(**more), arguments, output=output))


def test_selectors_are_collected_at_any_depth():
    nested = {"any": [{"not": {"args.path.to": {"exists": True}}}, {"all": [{"args.url": {}}]}]}
    result = looked_at(when=nested)
    assert result.arguments == {"path", "url"}
    assert not result.principal


def test_session_rules_and_disabled_rules_read_nothing():
    assert reads_of([rule(type="session"), rule(enabled=False)]) == ()


def test_only_rules_that_match_a_tool_decide_which_fields_its_calls_need():
    rules = reads_of(
        [
            rule(id="one", tool="http_*", when={"args.url": {}}),
            rule(id="two", type="sandbox", tools=["shell"], tool=None),
            rule(id="three", tool="*", when={"principal.role": {}}),
        ]
    )
    assert [each.id for each in reads_about(rules, "http_get").rules] == ["one", "three"]
    assert reads_about(rules, "http_get").any_arguments
    assert not reads_about(rules, "other").any_arguments
    assert reads_about(rules, "other").principal
    assert reads_about(rules, "shell").any_arguments


def test_a_masked_or_truncated_argument_is_missing_if_a_rule_reads_it():
    when = {"args.token": {"exists": True}, "args.text": {"exists": True}}
    blanked = {"token": "[REDACTED]", "text": "a" * 997 + "...", "other": "[REDACTED]"}
    assert lacks(blanked, when=when) == ["args.text", "args.token"]
    assert lacks({"token": "abc"}, when=when) == []


def test_a_sandbox_rule_reads_every_argument():
    assert lacks({"path": {"in": ["[REDACTED]"]}}, type="sandbox") == ["args.path"]


def test_arguments_that_were_not_sent_are_missing():
    assert lacks(None, when={"args.url": {}}) == ["arguments"]
    assert lacks(None, when={"principal.role": {}}) == []


def test_an_output_that_was_not_stored_is_missing_only_for_post_rules():
    assert lacks({}, output=False, type="post") == ["output"]
    assert lacks({}, output=False) == []


def test_fields_that_are_never_reported_are_always_missing():
    assert lacks({}, when={"env.HOME": {}, "metadata.x": {}}) == ["env.HOME", "metadata.x"]
