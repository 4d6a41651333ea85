"""Every write of outcomes: a verb, one transaction, split by noun."""

from outcomes.commands.accept import Accepted, accept
from outcomes.commands.artifacts import remove_unreferenced_artifacts, store_artifact
from outcomes.commands.batches import retry_batch
from outcomes.commands.settle import settle_inbox

__all__ = [
    "Accepted",
    "accept",
    "remove_unreferenced_artifacts",
    "retry_batch",
    "settle_inbox",
    "store_artifact",
]
