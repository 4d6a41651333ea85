"""Sweep of waiting jobs without a message: it was lost, or their worker died."""

from collections.abc import Mapping, Sequence
from typing import Any

from celery import current_app

from outcomes.jobs.doorbell import send


def send_again(waiting: Mapping[str, Sequence[int]]) -> None:
    """Send a message for each waiting job, by task, if the task's queue is empty.

    A non-empty queue is processed first, so that sweeps never make it longer than the number of
    jobs. A superfluous message finds its job claimed and does nothing.
    """
    empty = {task for task, numbers in waiting.items() if numbers and _is_empty(queue_of(task))}
    for task in empty:
        for number in waiting[task]:
            send(task, number)


def queue_of(task: str) -> str:
    queue = current_app.amqp.router.route({}, task)["queue"]
    return str(queue.name)


def _is_empty(queue: str) -> bool:
    with current_app.connection_for_write() as connection:
        channel: Any = connection.default_channel
        declared = channel.queue_declare(queue)
        return int(declared.message_count) == 0
