"""Fields that rules read, and those that stored calls lack."""

from outcomes.backtesting.domain.rule_reads import missing, reads_about, reads_of


def rule(**more):
    return {"id": "a", "type": "pre", "tool": "fetch", "when": {}} | more


def looked_at(**more):
    return reads_of([rule(**more)])[0]


def lacks(arguments, *, output=True, **more):
    return list(missing(looked_at(**more), arguments, output=output))


def test_selectors_are_read_at_any_depth():
    nested = {"any": [{"not": {"args.path.to": {"exists": True}}}, {"all": [{"args.url": {}}]}]}
    result = looked_at(when=nested)
    assert result.arguments == {"path", "url"}
    assert not result.principal


def test_session_rules_and_disabled_rules_read_nothing():
    assert reads_of([rule(type="session"), rule(enabled=False)]) == ()


def test_only_rules_about_a_tool_say_what_is_needed_of_its_calls():
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


def test_an_argument_that_was_blanked_or_cut_is_missing_where_a_rule_looks_at_it():
    when = {"args.token": {"exists": True}, "args.text": {"exists": True}}
    blanked = {"token": "[REDACTED]", "text": "a" * 997 + "...", "other": "[REDACTED]"}
    assert lacks(blanked, when=when) == ["args.text", "args.token"]
    assert lacks({"token": "abc"}, when=when) == []


def test_a_sandbox_looks_at_every_argument():
    assert lacks({"path": {"in": ["[REDACTED]"]}}, type="sandbox") == ["args.path"]


def test_arguments_that_were_not_sent_are_missing():
    assert lacks(None, when={"args.url": {}}) == ["arguments"]
    assert lacks(None, when={"principal.role": {}}) == []


def test_an_output_that_was_not_stored_is_missing_for_post_rules_only():
    assert lacks({}, output=False, type="post") == ["output"]
    assert lacks({}, output=False) == []


def test_what_no_report_of_a_call_holds_is_missing_always():
    assert lacks({}, when={"env.HOME": {}, "metadata.x": {}}) == ["env.HOME", "metadata.x"]
