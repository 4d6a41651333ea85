"""An idle evaluation process exits to release its memory."""

import os

from governance.evaluation.engine import Engine
from tests.governance.contracts.documents import ALWAYS, document, pre

TEXT = document(pre(ALWAYS))


def test_an_idle_process_exits_and_the_next_request_starts_another():
    with Engine(idle_seconds=0.5) as engine:
        assert engine.validate(TEXT).valid
        first = engine.pid
        assert first is not None
        os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
        assert engine.validate(TEXT).valid
        assert engine.pid != first


def test_a_process_in_use_is_reused():
    with Engine(idle_seconds=60) as engine:
        engine.validate(TEXT)
        first = engine.pid
        engine.validate(TEXT)
        assert engine.pid == first
