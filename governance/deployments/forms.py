"""Forms of deployments and requests; the commands validate."""

from django import forms

from governance.models.projects import ENVIRONMENT_NAME
from governance.web.forms import Form


class PlaceForm(Form):
    """Version to deploy, and the environment."""

    version = forms.IntegerField(label="Version", min_value=1, max_value=2**31 - 1)
    environment = forms.RegexField(
        regex=ENVIRONMENT_NAME,
        label="Environment",
        max_length=128,
        help_text="A new name creates a new environment.",
        error_messages={"invalid": "Use up to 128 letters, digits, dots, dashes and underscores."},
        widget=forms.TextInput(attrs={"list": "environments", "autocomplete": "off"}),
    )


class DeployForm(Form):
    """`seen` is the deployment that was current when the page was opened."""

    seen = forms.IntegerField(widget=forms.HiddenInput)
    message = forms.CharField(
        label="Message",
        required=False,
        max_length=2_000,
        help_text="For the person who approves.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    override = forms.CharField(
        label="Reason to override failing tests",
        required=False,
        max_length=2_000,
        help_text="Shown on the deployment and in the audit log.",
    )


class RefuseForm(Form):
    reason = forms.CharField(
        label="Reason", required=False, max_length=2_000, help_text="Required to reject."
    )
