"""Fields under `metadata` of a document."""

import pytest

from governance.texts.metadata import name_in


@pytest.mark.parametrize(
    ("beginning", "name"),
    [
        ("kind: SuccessCheck\nmetadata: {name: unified, desc", "unified"),
        ('metadata:\n  name: "crm-update"\n  description: ""\n', "crm-update"),
        ("rules:\n  - name: not-this\nmetadata:\n", ""),
        ("", ""),
    ],
)
def test_the_name_is_parsed_from_an_incomplete_document(beginning, name):
    assert name_in(beginning) == name
