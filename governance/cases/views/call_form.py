"""Forms for a call to try, and for tests of a contract."""

from collections.abc import Mapping
from typing import Any

from django import forms

from governance.case_runs.queries import tool_call
from governance.cases.argument_lines import lines_of, values_in
from governance.cases.arguments import (
    PREFIX,
    ArgumentField,
    argument_fields,
    arguments_in,
    sent_fields,
)
from governance.cases.session_rows import MOST_ROWS, Row, calls_of, rows_after, rows_of, sent_rows
from governance.core.case_text import calls_from, written
from governance.core.cases import PRODUCTION, Case, CaseCall, Decides, Stops
from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_object
from governance.core.json_value import Json
from governance.evaluation.engine import ToolCall
from governance.web.forms import Form

NO_CALL = '[{"tool": "", "args": {}}]'
EXPECTED = [
    ("block", "denied"),
    ("allow", "allowed"),
    ("ask", "needs approval"),
    ("warn", "allowed with a warning"),
    ("redact", "allowed, output redacted"),
]


class ValuesField(forms.CharField):
    """Named values, one per line or as a JSON object; errors quote the invalid part."""

    widget = forms.Textarea

    def __init__(self, *, rows: int, **kwargs: Any) -> None:
        attrs = {"rows": rows, "spellcheck": "false", "class": "mono", "autocomplete": "off"}
        super().__init__(widget=forms.Textarea(attrs=attrs), strip=False, **kwargs)

    def clean(self, value: Any) -> dict[str, Json] | None:
        text = super().clean(value)
        if not text.strip() and not self.required:
            return None
        try:
            return values_in(text)
        except InvalidInput as refused:
            raise forms.ValidationError(str(refused)) from refused

    def prepare_value(self, value: Any) -> Any:
        """Convert JSON, as sent by other pages, to lines."""
        try:
            return lines_of(read_object(str(value or "{}")))
        except InvalidInput:
            return value


class OutputField(forms.CharField):
    """Output with LF line ends, as tools write them; forms always send CRLF."""

    def clean(self, value: Any) -> str:
        return str(super().clean(value)).replace("\r\n", "\n")


class CallForm(Form):
    tool = forms.CharField(
        label="Tool",
        max_length=256,
        widget=forms.TextInput(attrs={"list": "tools", "class": "mono", "autocomplete": "off"}),
    )
    args = ValuesField(
        label="Arguments", rows=5, required=False, help_text="One per line: `path=/tmp/report.csv`."
    )
    principal = ValuesField(
        label="Principal",
        rows=2,
        required=False,
        help_text="On whose behalf the agent acts, one per line: `role=accountant`, `user_id=ana`.",
    )
    output = OutputField(
        label="Output",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"}),
    )
    returned = forms.BooleanField(
        label="Include output",
        required=False,
        help_text="Also evaluates output rules. Always on when an output is entered.",
    )
    environment = forms.CharField(
        label="Environment",
        max_length=128,
        initial=PRODUCTION,
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *args: Any, **kwargs: Any) -> None:
        if data is not None and "raw" not in data and any(key.startswith(PREFIX) for key in data):
            data = {**{key: data[key] for key in data}, "args": ""}  # the fields have the arguments
        super().__init__(data, *args, **kwargs)

    @property
    def is_raw(self) -> bool:
        """Whether the author chose to edit the arguments as text."""
        return self.is_bound and "raw" in self.data

    @property
    def argument_fields(self) -> list[ArgumentField]:
        sent = sent_fields(self._sent()) if self.is_bound and not self.is_raw else []
        if sent:
            return sent
        try:
            return argument_fields(values_in(str(self["args"].value() or "")))
        except InvalidInput:  # the field shows the error
            return []

    def clean_args(self) -> dict[str, Json]:
        written: dict[str, Json] = self.cleaned_data["args"] or {}
        try:
            sent = None if self.is_raw else arguments_in(self._sent())
        except InvalidInput as refused:
            raise forms.ValidationError(str(refused)) from refused
        return written if sent is None else sent

    def _sent(self) -> dict[str, str]:
        return {key: str(self.data[key]) for key in self.data}

    def case_call(self) -> CaseCall:
        data = self.cleaned_data
        return CaseCall(
            tool=data["tool"],
            args=data["args"],
            principal=data["principal"],
            output=data["output"] if data["output"] or data["returned"] else None,
            environment=data["environment"],
        )

    def call(self) -> ToolCall:
        return tool_call(self.case_call())


class CaseForm(CallForm):
    name = forms.CharField(
        label="Name", max_length=128, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    action = forms.ChoiceField(label="Expected decision", choices=EXPECTED)
    rule = forms.CharField(
        label="Rule",
        max_length=128,
        required=False,
        help_text="Optional rule ID.",
        widget=forms.TextInput(attrs={"list": "rules", "class": "mono", "autocomplete": "off"}),
    )
    field_order = ("name", "tool", "args", "principal", "output", "returned", "environment")

    def case(self) -> Case:
        data = self.cleaned_data
        expects = Decides(call=self.case_call(), action=data["action"], rule=data["rule"])
        return Case(data["name"], expects)


class SessionForm(Form):
    name = forms.CharField(
        label="Name", max_length=128, widget=forms.TextInput(attrs={"autocomplete": "off"})
    )
    calls = forms.CharField(
        label="Calls as JSON",
        required=False,
        strip=False,
        help_text="In order. `times` repeats a call. `principal` and `environment` are optional.",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "mono"}),
    )
    stopped_at = forms.IntegerField(
        label="Stopped at call",
        required=False,
        min_value=1,
        help_text="Empty if no limit is hit. Approvals count as granted.",
    )
    rule = forms.CharField(
        label="Rule",
        max_length=128,
        required=False,
        help_text="Optional rule ID.",
        widget=forms.TextInput(attrs={"list": "rules", "class": "mono", "autocomplete": "off"}),
    )

    @property
    def rows(self) -> list[Row]:
        """Calls as rows; empty if the author chose JSON, or if they don't fit into rows."""
        if self.is_bound:
            return sent_rows({key: str(self.data[key]) for key in self.data})
        if "rows" in self.initial:
            rows: list[Row] = self.initial["rows"]
            return rows
        try:
            calls = calls_from(str(self["calls"].value()))
        except InvalidInput:
            return []
        return rows_of(calls) if len(calls) <= MOST_ROWS else []

    def after(self, act: str) -> "SessionForm":
        """Form after an edit: a call added or removed, or calls switched between JSON and rows."""
        others = {name: self.data.get(name, "") for name in ("name", "stopped_at", "rule")}
        if act == "json":
            filled = [row for row in self.rows if not row.is_empty]
            calls = written(calls_of(filled)) if filled else NO_CALL
            return SessionForm(initial={**others, "calls": calls, "rows": []})
        rows = rows_after(act, self.rows, self.data.get("calls", ""))
        return SessionForm(initial={**others, "rows": rows})

    def clean_calls(self) -> tuple[CaseCall, ...]:
        try:
            rows = self.rows
            return calls_of(rows) if rows else calls_from(self.cleaned_data["calls"])
        except InvalidInput as refused:
            raise forms.ValidationError(str(refused)) from refused

    def case(self) -> Case:
        data = self.cleaned_data
        expects = Stops(calls=data["calls"], stopped_at=data["stopped_at"], rule=data["rule"])
        return Case(data["name"], expects)


def shown_case(case: Case) -> dict[str, Any]:
    """Initial values for the form of this test."""
    expects = case.expects
    if isinstance(expects, Stops):
        return {
            "name": case.name,
            "calls": written(expects.calls),
            "stopped_at": expects.stopped_at,
            "rule": expects.rule,
        }
    decides = {"name": case.name, "action": expects.action, "rule": expects.rule}
    return decides | shown_call(expects.call)


def shown_call(call: CaseCall) -> dict[str, Any]:
    return {
        "tool": call.tool,
        "args": json_written(call.args, indent=2),
        "principal": "" if call.principal is None else json_written(call.principal),
        "output": (call.output or "").encode(errors="replace").decode(),
        "returned": call.output is not None,
        "environment": call.environment,
    }
