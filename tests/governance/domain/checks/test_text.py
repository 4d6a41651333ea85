"""The text of a check: each offence with its place, each valid document with its compiled form."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from governance.domain.checks.text import check_text
from tests.governance.domain.checks.strategies import Document, as_yaml, documents


@settings(max_examples=200, deadline=None)
@given(documents(), st.sampled_from([True, False, None]))
def test_every_valid_document_is_compiled(document: Document, flow):
    text = as_yaml(document, flow=flow)
    read = check_text(text, included=lambda name: None, version=7)
    assert read.problems == ()
    assert read.compiled
    assert [rule["id"] for rule in read.compiled["rules"]] == [
        rule["id"] for rule in document["rules"]
    ]
    assert json.loads(json.dumps(read.compiled, allow_nan=False)) == read.compiled
