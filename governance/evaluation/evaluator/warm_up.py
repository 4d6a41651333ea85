"""Runs every code path once before confinement, because no module can be imported afterwards."""

import unicodedata

from governance.evaluation.evaluator.calls import evaluate_calls
from governance.evaluation.evaluator.documents import Shelf
from governance.evaluation.evaluator.explanations import explain_call
from governance.evaluation.evaluator.messages import Read
from governance.evaluation.evaluator.reading import read
from governance.evaluation.evaluator.schema_of_library import check_schema_once
from governance.evaluation.evaluator.verdicts import judge_calls

_EVERYTHING = r"""
apiVersion: edictum/v1
kind: Ruleset
metadata: {name: warm-up}
defaults: {mode: enforce}
tools: {Bash: {side_effect: read}}
observability: {otel: {enabled: true}, stdout: false}
rules:
  - id: pre
    type: pre
    tool: "*"
    when: {args.command: {matches: '\N{LATIN SMALL LETTER A}|é'}}
    then: {action: ask, message: "{args.command} {env.NOTHING} {principal.role}"}
  - id: sandbox
    type: sandbox
    tool: "*"
    within: [/nowhere]
    allows: {commands: [ls], domains: [example.test]}
    message: "{args.command}"
  - id: post
    type: post
    tool: "*"
    when: {output.text: {contains: a}}
    then: {action: redact, message: "{output.text}"}
  - id: session
    type: session
    limits: {max_tool_calls: 5}
    then: {action: block, message: "Enough."}
"""
_BROKEN = (
    _EVERYTHING.replace("max_tool_calls: 5", "max_tool_calls: no"),
    _EVERYTHING.replace("within:", "not_within: [/a]\n    # within:"),
    "a: 2026-99-99",
    "a: !what b",
)
_PATIENCE = 10.0
_QUESTIONS = [
    b'["Bash", {"command": "cat /a https://example.test/a"}, {"role": "a"}, "production", ["a"]]',
    b'["fetch", {"url": "https://b\\u00fccher.test/"}, null, "production"]',
    b'["", {}, null, "production", NaN]',
]
_CALLS = [
    b'["Bash", {"command": "cat /a https://example.test/a"}, {"role": "a"}, "a", "production"]',
    b'["fetch", {"url": "https://b\\u00fccher.test/"}, null, null, "production"]',
    b'["", {}, null, null, "production"]',
]


def warm_up() -> None:
    check_schema_once()
    unicodedata.name("a")
    shelf = Shelf()
    for text in (_EVERYTHING, *_BROKEN):
        shelf.load(text, text, _PATIENCE)
        read(Read(text, ["Bashh"], _PATIENCE, 0), shelf)
    contract = shelf.take(_EVERYTHING)
    if contract is None:
        raise RuntimeError("The library rejects the warm-up document.")
    evaluate_calls(contract, _CALLS, _PATIENCE)
    judge_calls(contract, _QUESTIONS, _PATIENCE)
    for call in _CALLS:
        explain_call(contract, call, _PATIENCE)
