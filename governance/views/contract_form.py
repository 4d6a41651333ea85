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
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "mono"}),
    )
    file = forms.FileField(
        label="Or a file",
        required=False,
        allow_empty_file=True,
        help_text="YAML in either dialect, at most 512 KiB.",
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )

    def clean_file(self) -> str:
        """Its text, when there is one, with the line ends that it has."""
        file = self.cleaned_data["file"]
        if file is None:
            return ""
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes; write less than 512 KiB."
            )
        try:
            return bytes(file.read()).decode()
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The file is not UTF-8: save it as such.") from error

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not data.get("text") and not data.get("file") and not self.errors:
            self.add_error("text", "Paste a contract here, or choose a file.")
        return data

    def written(self) -> str:
        return self.cleaned_data["file"] or as_written(self.cleaned_data["text"])
