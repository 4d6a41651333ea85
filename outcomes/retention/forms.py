"""Forms for rules, holds and erasures. Commands validate their values."""

from django import forms

from governance.web.forms import Form
from outcomes.models import Erasure

KEEP = [
    ("days", "for a number of days"),
    ("forever", "forever"),
    ("inherit", "as set for the project, or by default"),
]


class RuleForm(Form):
    keep = forms.ChoiceField(label="Keep", choices=KEEP, widget=forms.RadioSelect)
    days = forms.IntegerField(label="Days", required=False)

    def clean(self) -> dict[str, object]:
        cleaned: dict[str, object] = super().clean() or {}
        if cleaned.get("keep") == "days" and cleaned.get("days") is None and "days" in cleaned:
            self.add_error("days", "Enter a number of days.")
        return cleaned


class HoldForm(Form):
    query = forms.CharField(
        label="Search",
        max_length=500,
        required=False,
        help_text="Search syntax as on Calls. Holds all matching calls and their sessions.",
    )
    session = forms.CharField(label="Session ID", required=False, strip=False)
    environment = forms.CharField(
        label="Environment of the session", max_length=128, required=False
    )
    reason = forms.CharField(label="Reason", max_length=200, required=False)


class EraseForm(Form):
    about = forms.ChoiceField(
        label="Erase", choices=Erasure.About.choices, widget=forms.RadioSelect
    )
    name = forms.CharField(label="Name", max_length=1_024, strip=False)
    typed = forms.CharField(label="Type the name again to confirm", max_length=1_024)
