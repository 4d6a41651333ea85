"""Settling until the inbox is empty, with the periodic work that follows it."""

from outcomes.core import heartbeat
from outcomes.figures.commands.rolling_up import roll_up_now_and_then
from outcomes.jobs.processes import SETTLERS
from outcomes.sessions.commands.days import count_days_now_and_then
from outcomes.sessions.commands.readings import read_older_now_and_then
from outcomes.settling.claims import is_more_than_one_can_do
from outcomes.settling.decode import Ahead
from outcomes.settling.settle import settle_inbox


def settle_what_waits() -> None:
    goes_on = True
    with Ahead() as ahead:
        while goes_on:
            heartbeat.give()
            settled = settle_inbox(ahead)
            if is_more_than_one_can_do():
                SETTLERS.see_to_it(1)
            goes_on = roll_up_now_and_then() or bool(settled)
            goes_on = goes_on or read_older_now_and_then()
            goes_on = goes_on or count_days_now_and_then()
