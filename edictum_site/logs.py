"""Log lines as JSON objects, without secrets and without routine events."""

import json
import logging
import re
from datetime import UTC, datetime
from urllib.parse import unquote

from governance.core.masking import MASK, masked_text

_LINK = re.compile(r"(/(?:join|set-up)/)[^/\s]+")


class JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": without_secrets(record.getMessage()),
        }
        if record.exc_info:
            line["trace"] = without_secrets(self.formatException(record.exc_info))
        return json.dumps(line, ensure_ascii=False)


def without_secrets(text: str) -> str:
    """Mask secrets in a log line: requested paths may contain keys, and invitation links grant
    access."""
    return _LINK.sub(rf"\1{MASK}", masked_text(unquote(text))[0])


class News(logging.Filter):
    """Filter that drops 404s of the session store: agents read counters that don't exist yet
    several times per call."""

    def filter(self, record: logging.LogRecord) -> bool:
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        absent = getattr(record, "status_code", 0) == 404
        return not (absent and match is not None and match.url_name == "session_store")
