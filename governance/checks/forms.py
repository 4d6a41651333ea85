"""Form for a pasted or uploaded success check."""

from governance.checks.language.text import MAX_BYTES as LONGEST_CHECK
from governance.drafts.views.text_form import TextForm


class CheckForm(TextForm):
    most_bytes = LONGEST_CHECK
    nothing = "Paste a success check here, or choose a file."
    file_help = "YAML, at most 256 KiB."
