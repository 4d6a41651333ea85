"""Over which calls a backtest is, in words."""

from collections.abc import Sequence

from outcomes.models.backtests import Taken


def words_of(
    environment: str, agents: Sequence[str], tools: Sequence[str], *, taken: str, contract: str
) -> str:
    """Calls of production under `billing`, agents …, tools …"""
    under = {
        Taken.CONTRACT: f"under `{contract}`",
        Taken.ALL: "under any contract or none",
        Taken.ALL_INSTEAD: f"under any contract or none (there were none under `{contract}`)",
    }[Taken(taken)]
    parts = [f"calls of {environment or 'every environment'} {under}"]
    if agents:
        parts.append("agents " + ", ".join(f"`{name}`" for name in agents))
    if tools:
        parts.append("tools " + ", ".join(f"`{name}`" for name in tools))
    return ", ".join(parts)
