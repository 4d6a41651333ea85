"""Form for a pasted or uploaded contract."""

from governance.drafts.views.text_form import TextForm
from governance.texts.document import MAX_BYTES as LONGEST_CONTRACT


class ContractForm(TextForm):
    most_bytes = LONGEST_CONTRACT
    nothing = "Paste a contract here, or choose a file."
    file_help = "YAML in either format, at most 512 KiB."
