"""Forms for a call to try, and for the tests that a contract carries."""

from collections.abc import Mapping
from typing import Any

from django import forms

from governance.case_runs.queries import tool_call
from governance.cases.arguments import (
    PREFIX,
    ArgumentField,
    argument_fields,
    arguments_in,
    sent_fields,
)
from governance.core.case_text import calls_from, written
from governance.core.cases import PRODUCTION, Case, CaseCall, Decides, Stops
from governance.core.errors import InvalidInput
from governance.core.json_text import json_written, read_object
from governance.core.json_value import Json
from governance.evaluation.engine import ToolCall
from governance.web.forms import Form

EXPECTED = [
    ("block", "denied"),
    ("allow", "allowed"),
    ("ask", "needs approval"),
    ("warn", "allowed with a warning"),
    ("redact", "allowed, output redacted"),
]


class JsonObjectField(forms.CharField):
    """Text of a JSON object; errors name the place."""

    widget = forms.Textarea

    def __init__(self, *, rows: int, **kwargs: Any) -> None:
        attrs = {"rows": rows, "spellcheck": "false", "class": "mono", "autocomplete": "off"}
        super().__init__(widget=forms.Textarea(attrs=attrs), strip=False, **kwargs)

    def clean(self, value: Any) -> dict[str, Json] | None:
        text = super().clean(value)
        if not text.strip() and not self.required:
            return None
        try:
            return read_object(text)
        except InvalidInput as refused:
            raise forms.ValidationError(str(refused)) from refused


class OutputField(forms.CharField):
    """Forms send every line end as CR LF: tools write LF."""

    def clean(self, value: Any) -> str:
        return str(super().clean(value)).replace("\r\n", "\n")


class CallForm(Form):
    tool = forms.CharField(
        label="Tool",
        max_length=256,
        widget=forms.TextInput(attrs={"list": "tools", "class": "mono", "autocomplete": "off"}),
    )
    args = JsonObjectField(label="Arguments as JSON", rows=5, initial="{}")
    principal = JsonObjectField(
        label="Principal as JSON",
        rows=2,
        required=False,
        help_text="On whose behalf the agent acts: role, user_id, ticket_ref, claims.",
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
        help_text="Also evaluates output rules. On whenever there is an output.",
    )
    environment = forms.CharField(
        label="Environment",
        max_length=128,
        initial=PRODUCTION,
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *args: Any, **kwargs: Any) -> None:
        if data is not None and "raw" not in data and any(key.startswith(PREFIX) for key in data):
            data = {
                **{key: data[key] for key in data},
                "args": "{}",
            }  # the fields are the arguments
        super().__init__(data, *args, **kwargs)

    @property
    def is_raw(self) -> bool:
        """Whether the author chose to edit the arguments as JSON."""
        return self.is_bound and "raw" in self.data

    @property
    def argument_fields(self) -> list[ArgumentField]:
        sent = sent_fields(self._sent()) if self.is_bound and not self.is_raw else []
        if sent:
            return sent
        try:
            return argument_fields(read_object(str(self["args"].value() or "{}")))
        except InvalidInput:  # said beside the field
            return []

    def clean_args(self) -> dict[str, Json]:
        written: dict[str, Json] = self.cleaned_data["args"]
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
        label="Calls as a JSON list",
        strip=False,
        help_text="In order. times repeats a call. principal and environment are optional.",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "mono"}),
    )
    stopped_at = forms.IntegerField(
        label="Limit stops call number",
        required=False,
        min_value=1,
        help_text="Empty if no limit stops any. Approvals count as granted.",
    )
    rule = forms.CharField(
        label="Rule",
        max_length=128,
        required=False,
        help_text="Optional rule ID.",
        widget=forms.TextInput(attrs={"list": "rules", "class": "mono", "autocomplete": "off"}),
    )

    def clean_calls(self) -> tuple[CaseCall, ...]:
        try:
            return calls_from(self.cleaned_data["calls"])
        except InvalidInput as refused:
            raise forms.ValidationError(str(refused)) from refused

    def case(self) -> Case:
        data = self.cleaned_data
        expects = Stops(calls=data["calls"], stopped_at=data["stopped_at"], rule=data["rule"])
        return Case(data["name"], expects)


def shown_case(case: Case) -> dict[str, Any]:
    """Values of the fields of its form."""
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
