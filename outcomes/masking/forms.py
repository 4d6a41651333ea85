"""Form for a project's masking. Commands validate its values."""

from django import forms

from governance.web.forms import Form
from outcomes.masking.domain.own_patterns import FORM
from outcomes.masking.words import CHOICES, MODES


class MaskingForm(Form):
    mode = forms.ChoiceField(label="Mask secrets", choices=MODES, widget=forms.RadioSelect)
    detectors = forms.MultipleChoiceField(
        label="Detectors before storing",
        choices=CHOICES,
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    patterns = forms.CharField(
        label="Own patterns",
        required=False,
        help_text=f"One per line. {FORM} RE2 syntax, as in success checks. `inside` masks the words"
        " of a text in which it is found, `whole` a value that matches entirely.",
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false", "class": "mono"}),
    )
