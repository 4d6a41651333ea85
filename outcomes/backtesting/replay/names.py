"""Names of agents and tools, each loaded once, since call rows have only their ids."""

from collections.abc import Mapping

from outcomes.models import Agent, Tool

REMEMBERED = 20_000


class Names:
    def __init__(self, model: type[Agent] | type[Tool]) -> None:
        self._model = model
        self._known: dict[int, str] = {}

    def of(self, numbers: set[int]) -> Mapping[int, str]:
        """Names of at least these ids; empty for a row that has been deleted."""
        unknown = numbers - self._known.keys()
        if unknown:
            if len(self._known) > REMEMBERED:
                self._known.clear()
                unknown = numbers
            self._known.update(dict.fromkeys(unknown, ""))
            rows = self._model.objects.order_by().filter(pk__in=unknown)
            self._known.update(rows.values_list("pk", "name"))
        return self._known
