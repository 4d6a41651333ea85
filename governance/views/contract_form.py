"""The form for a contract that somebody brings along."""

from typing import Any

from django import forms

from governance.domain.document import MAX_BYTES
from governance.domain.written import as_written
from governance.forms import Form


class ContractForm(Form):
    """A text pasted or a file brought along: one of them."""

    text = forms.CharField(
        label="Text",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "mono"}),
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        help_text="A YAML file in either dialect, at most 512 KiB.",
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )
    message = forms.CharField(
        label="Message",
        required=False,
        max_length=2_000,
        help_text="What it is for, in the list of versions.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not data.get("text") and not data.get("file") and not self.errors:
            self.add_error("text", "Paste a contract here, or choose a file.")
        return data

    def written(self) -> bytes:
        """The file, when there is one, byte for byte."""
        file = self.cleaned_data["file"]
        if file is not None:
            return bytes(file.read(MAX_BYTES + 1))
        return as_written(self.cleaned_data["text"]).encode()
