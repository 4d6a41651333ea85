"""Names of job kinds in metrics."""

from typing import Any, Final

_WORDS: Final = {
    "backtest": "backtest",
    "demorun": "demo",
    "erasure": "erasure",
    "rejudgingpart": "reclassification",
    "retentionrun": "retention",
    "searchindex": "search_index",
    "suggestionscan": "suggestion_scan",
}
KINDS: Final = tuple(_WORDS.values())


def kind_of(model: Any) -> str:
    name: str = model._meta.model_name
    return _WORDS.get(name, name)
