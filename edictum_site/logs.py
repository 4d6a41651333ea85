"""One log line, one JSON object; none for what is no news."""

import json
import logging
from datetime import UTC, datetime


class JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


class News(logging.Filter):
    """Agents ask several times per call for counters that nobody has begun: that is an answer."""

    def filter(self, record: logging.LogRecord) -> bool:
        asked = getattr(getattr(record, "request", None), "resolver_match", None)
        absent = getattr(record, "status_code", 0) == 404
        return not (absent and asked is not None and asked.url_name == "session_store")
