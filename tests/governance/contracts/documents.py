"""Contract documents and calls for tests: small by default, with the rules that matter."""

from typing import Any

from governance.evaluation.engine import ToolCall

EVIL_TEXT = "a" * 40 + "!"  # takes days without a limit


def document(*rules: str, mode: str = "enforce", more: str = "") -> str:
    head = (
        f"apiVersion: edictum/v1\nkind: Ruleset\nmetadata: {{name: d}}\ndefaults: {{mode: {mode}}}"
    )
    return "\n".join([head, more, "rules:", *(f"  - {rule}" for rule in rules)])


def pre(when: str, *, action: str = "block", message: str = "no", rule_id: str = "a") -> str:
    then = f"{{action: {action}, message: '{message}'}}"
    return f"{{id: {rule_id}, type: pre, tool: '*', when: {when}, then: {then}}}"


def post(action: str, *, tool: str = "'*'") -> str:
    when = "{output.text: {contains: secret}}"
    return (
        f"{{id: p, type: post, tool: {tool}, when: {when}, then: {{action: {action}, message: m}}}}"
    )


ALWAYS = "{tool.name: {exists: true}}"
EVIL = document(pre("{args.x: {matches: '^(a+)+$'}}"))


def call(tool: str = "fetch", *, output: str | None = None, **arguments: Any) -> ToolCall:
    return ToolCall(tool_name=tool, tool_args=arguments, output=output)
