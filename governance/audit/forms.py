"""Forms to verify the audit log and to configure its stream."""

from django import forms

from governance.audit_log import heads_in
from governance.web.forms import Form

LONGEST = 1_000_000  # characters


class VerifyForm(Form):
    heads = forms.CharField(
        label="Earlier heads (optional)",
        required=False,
        max_length=LONGEST,
        help_text="Content of a file of heads that you stored, or lines of the console's log.",
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "autocomplete": "off"}),
    )

    def clean_heads(self) -> str:
        text: str = self.cleaned_data["heads"]
        if text.strip() and next(heads_in(text), None) is None:
            raise forms.ValidationError("No signed head found. Paste lines that begin: audit head.")
        return text


class StreamForm(Form):
    url = forms.CharField(
        label="URL",
        max_length=512,
        help_text="Each request is a POST with up to 500 entries, one JSON object per line.",
        widget=forms.URLInput(attrs={"placeholder": "https://siem.example/ingest"}),
    )
    token = forms.CharField(
        label="Token (optional)",
        required=False,
        max_length=4_096,
        help_text="Sent as a bearer token, stored encrypted. Empty: the stored one stays.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
