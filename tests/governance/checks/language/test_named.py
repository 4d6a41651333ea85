"""A named check has the interface of every other check."""

from governance.checks.domain import Judgement, SuccessCheck
from governance.checks.language.named import DEFAULT_COMPILED, NamedCheck
from governance.checks.language.text import check_text
from governance.core.verdict import Verdict

TEXT = """
apiVersion: edictum-site/v1
kind: SuccessCheck
metadata: {name: unified}
otherwise: unknown
rules:
  - id: http
    tool: "http_*"
    when: {result.status: {gte: 400}}
    verdict: failure
    reason: "HTTP {value}: {result.message}"
    label: retryable
  - {id: slow, when: {elapsed_ms: {gt: 5000}}, verdict: failure}
  - {id: done, when: {result: {contains: done}}, verdict: success}
"""


def named() -> SuccessCheck:
    checked = check_text(TEXT, included=lambda name: None, version=3)
    assert checked.compiled is not None, checked.problems
    return NamedCheck(checked.compiled)


def test_a_named_check_has_the_name_and_version_of_its_source():
    check = named()
    assert (check.name, check.version) == ("unified", 3)


def test_a_verdict_includes_its_rule_value_and_reason():
    judgement = named().judge("http_get", {"status": 503, "message": "no"})
    assert judgement == Judgement(
        verdict=Verdict.FAILURE,
        rule="http",
        value=503,
        reason="HTTP 503: no",
        labels=("retryable",),
        selector="result.status",
    )


def test_a_rule_on_elapsed_time_can_decide():
    assert named().judge("query", {}, 5_001).rule == "slow"


def test_a_verdict_is_marked_cut_if_it_depends_on_unread_text():
    assert named().judge("query", "y" * 16_777_217).rule == "too-much-work"
    assert named().judge("query", "y" * 16_777_217).cut
    assert not named().judge("query", "y" * 16_777_216).cut


def test_unmatched_results_share_one_verdict_object():
    check = named()
    quiet = check.judge("query", {})
    assert quiet == Judgement(verdict=Verdict.UNKNOWN, rule="otherwise")
    assert check.judge("query", 5) is quiet
    assert check.judge("query", "y" * 16_777_217).rule == "too-much-work"
    assert check.judge("query", 5) == quiet


def test_the_default_check_is_an_ordinary_named_check():
    check = NamedCheck(DEFAULT_COMPILED)
    assert (check.name, check.version) == ("default", 1)
    assert check.judge("query", {"is_error": True}).rule == "is_error"
    assert check.judge("query", None).rule == "null"
    assert check.judge("query", {}).verdict is Verdict.SUCCESS
