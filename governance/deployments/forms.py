"""The forms of deployments and requests. What is valid, the commands say."""

from django import forms

from governance.models.projects import ENVIRONMENT_NAME
from governance.web.forms import Form


class PlaceForm(Form):
    """Which version is to go live where."""

    version = forms.IntegerField(label="Version", min_value=1, max_value=2**31 - 1)
    environment = forms.RegexField(
        regex=ENVIRONMENT_NAME,
        label="Environment",
        max_length=128,
        help_text="A new name makes a new environment.",
        error_messages={"invalid": "Letters, digits, `.`, `_` and `-`, at most 128."},
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )


class DeployForm(Form):
    """`seen` is the deployment that was live when its author looked."""

    seen = forms.IntegerField(widget=forms.HiddenInput)
    message = forms.CharField(
        label="Message",
        required=False,
        max_length=2_000,
        help_text="What the second person should know.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    override = forms.CharField(
        label="Why it goes live although tests fail",
        required=False,
        max_length=2_000,
        help_text="Your reason stands in the audit log and on the deployment.",
    )


class RefuseForm(Form):
    reason = forms.CharField(
        label="Reason", required=False, max_length=2_000, help_text="Needed to refuse."
    )
