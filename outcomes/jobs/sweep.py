"""Jobs that wait though no message for them is under way: it was lost, or their worker died."""

from collections.abc import Mapping, Sequence
from typing import Any

from celery import current_app

from outcomes.jobs.doorbell import send


def send_again(waiting: Mapping[str, Sequence[int]]) -> None:
    """A message for each job that waits, by task, where the task's queue is empty.

    While it is not, the messages in it come first, so that a sweep never makes a queue longer than
    there are jobs. One too many finds that its job is claimed, and ends.
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
