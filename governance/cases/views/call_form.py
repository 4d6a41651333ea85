"""Forms for a call to try, and for the tests that a contract carries."""

from typing import Any

from django import forms

from governance.case_runs.queries import tool_call
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
    ("ask", "asks a person"),
    ("warn", "allowed with a warning"),
    ("redact", "allowed, with its output redacted"),
]


class JsonObjectField(forms.CharField):
    """A text that is a JSON object; what is none names the place."""

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
    args = JsonObjectField(label="Arguments, as JSON", rows=5, initial="{}")
    principal = JsonObjectField(
        label="Principal, as JSON",
        rows=2,
        required=False,
        help_text="Who the agent acts for: role, user_id, ticket_ref, claims. Empty: nobody.",
    )
    output = OutputField(
        label="Output",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "class": "mono"}),
    )
    returned = forms.BooleanField(
        label="It ran and returned this, be it nothing.",
        required=False,
        help_text="Rules about the output are asked then, and whenever an output stands above.",
    )
    environment = forms.CharField(
        label="Environment",
        max_length=128,
        initial=PRODUCTION,
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )

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
    action = forms.ChoiceField(label="It must be", choices=EXPECTED)
    rule = forms.CharField(
        label="By the rule",
        max_length=128,
        required=False,
        help_text="Its id. Empty: whichever decides so.",
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
        label="Calls, as a JSON list",
        strip=False,
        help_text="In their order; times repeats one, principal and environment may be given.",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "class": "mono"}),
    )
    stopped_at = forms.IntegerField(
        label="A limit must stop call number",
        required=False,
        min_value=1,
        help_text="Empty: no limit stops any of them. What asks counts as granted.",
    )
    rule = forms.CharField(
        label="By the rule",
        max_length=128,
        required=False,
        help_text="Its id. Empty: whichever does.",
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
    """What stands in the fields of its form."""
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
