"""Main loop: one request, one answer, until the pipe closes, or a timeout or limit ends it."""

import gc
import os
import signal
from importlib.metadata import version

import msgspec

from governance.evaluation.evaluator.calls import evaluate_calls
from governance.evaluation.evaluator.confinement import confine, quiet_streams
from governance.evaluation.evaluator.documents import Shelf
from governance.evaluation.evaluator.explanations import explain_call
from governance.evaluation.evaluator.messages import (
    HEADER,
    Evaluate,
    Explain,
    Judge,
    Judgements,
    Load,
    Need,
    Read,
    Ready,
    Reply,
    Request,
    Results,
)
from governance.evaluation.evaluator.reading import read
from governance.evaluation.evaluator.verdicts import judge_calls
from governance.evaluation.evaluator.warm_up import warm_up

# The server kills a late process. This ends one whose server has died.
GRACE = 2.0

_decoder: msgspec.msgpack.Decoder[Request] = msgspec.msgpack.Decoder(Request)
_encoder = msgspec.msgpack.Encoder()


def serve(*, memory: int, idle_seconds: float) -> None:
    requests, replies = quiet_streams()
    library = version("edictum")
    warm_up()
    gc.freeze()  # excludes the modules loaded so far from garbage collection
    confine(memory)
    shelf = Shelf()
    with os.fdopen(requests, "rb") as incoming, os.fdopen(replies, "wb") as outgoing:
        reply: Reply = Ready(library)
        while True:
            body = _encoder.encode(reply)
            # The signal ends an idle process. A client that asks ahead and reads slowly counts as
            # idle too.
            signal.setitimer(signal.ITIMER_REAL, idle_seconds)
            outgoing.write(HEADER.pack(len(body)) + body)
            outgoing.flush()
            header = incoming.read(HEADER.size)
            if len(header) < HEADER.size:
                return
            request = _decoder.decode(incoming.read(*HEADER.unpack(header)))
            signal.setitimer(signal.ITIMER_REAL, request.seconds + GRACE)
            reply = answer(request, shelf)


def answer(request: Request, shelf: Shelf) -> Reply:
    match request:
        case Read():
            return read(request, shelf)
        case Load(sha=sha, text=text, patience=patience):
            return shelf.load(sha, text, patience)
        case Evaluate(sha=sha, calls=calls, patience=patience):
            contract = shelf.take(sha)
            return Results(evaluate_calls(contract, calls, patience)) if contract else Need()
        case Judge(sha=sha, calls=calls, patience=patience):
            contract = shelf.take(sha)
            return Judgements(judge_calls(contract, calls, patience)) if contract else Need()
        case Explain(sha=sha, call=call, patience=patience):
            contract = shelf.take(sha)
            return explain_call(contract, call, patience) if contract else Need()
