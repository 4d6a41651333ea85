"""Form for a pasted or uploaded text."""

from typing import Any, ClassVar

from django import forms

from governance.texts.notation import as_written
from governance.web.forms import Form


class TextForm(Form):
    """Form for a text, either pasted or uploaded as a file."""

    most_bytes: ClassVar[int]
    nothing: ClassVar[str]  # error if there is neither
    file_help: ClassVar[str]  # help text about files

    text = forms.CharField(
        label="Text",
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false", "class": "mono"}),
    )
    file = forms.FileField(
        label="Or upload a file",
        required=False,
        allow_empty_file=True,
        widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}),
    )

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.fields["file"].help_text = self.file_help

    def clean_file(self) -> str:
        """Text of the file, with its own line endings; empty without a file."""
        file = self.cleaned_data["file"]
        if file is None:
            return ""
        if file.size > self.most_bytes:
            raise forms.ValidationError(
                f"The file has {file.size:,} bytes. Use at most {self.most_bytes // 1024} KiB."
            )
        try:
            return bytes(file.read()).decode()
        except UnicodeDecodeError as error:
            raise forms.ValidationError("The file is not UTF-8. Save it as UTF-8.") from error

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not data.get("text") and not data.get("file") and not self.errors:
            self.add_error("text", self.nothing)
        return data

    def written(self) -> str:
        return self.cleaned_data["file"] or as_written(self.cleaned_data["text"])
