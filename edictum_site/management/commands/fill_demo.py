"""Fills the demo projects that wait to be filled, and ends. Whoever asks for one starts it."""

from edictum_site.demo_projects import fill_demo
from edictum_site.env import env_int
from edictum_site.first_start import local_address
from outcomes.demo.commands import next_demo
from outcomes.management.beside import BesideTheWorker


class Command(BesideTheWorker):
    help = "Let simulated agents fill the demo projects that wait for it, and end."

    def work(self) -> None:
        percent = env_int("EDICTUM_SITE_DEMO_PERCENT", 100)
        while (run := next_demo()) is not None:
            error = fill_demo(run, url=local_address(), share=percent / 100)
            if error:
                self.stderr.write(f"The demo could not be filled: {error}")
