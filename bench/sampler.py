"""Samples where a process spends its CPU time, every few milliseconds.

A tracing profiler makes small functions look expensive. Sampling costs almost nothing and doesn't
count time used by other programs."""

import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

EVERY = 0.002  # seconds; the system may round it up


class Sampler:
    def __init__(self) -> None:
        self.samples = 0
        self.own: Counter[str] = Counter()  # by function, including C functions that it called
        self.within: Counter[str] = Counter()  # by function, including everything that it called
        self.lines: Counter[str] = Counter()

    @contextmanager
    def looking(self) -> Iterator[None]:
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _sample(self, _number: int, frame: FrameType | None) -> None:
        if frame is None:
            return
        self.samples += 1
        self.own[_function(frame)] += 1
        self.lines[f"{_file(frame)}:{frame.f_lineno} in {frame.f_code.co_name}"] += 1
        called_by: FrameType | None = frame
        seen = set()
        while called_by is not None:
            seen.add(_function(called_by))
            called_by = called_by.f_back
        self.within.update(seen)


def _function(frame: FrameType) -> str:
    name = frame.f_code.co_qualname
    if frame.f_code.co_filename == "<string>":  # generated for a dataclass or namedtuple
        first = next(iter(frame.f_locals.values()), None)
        of = first if isinstance(first, type) else type(first)
        return f"{of.__module__} {of.__qualname__} is made"
    return f"{_file(frame)} {name}"


def _file(frame: FrameType) -> str:
    return "/".join(Path(frame.f_code.co_filename).parts[-3:])
