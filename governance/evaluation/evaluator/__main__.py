"""Started by path in Python's isolated mode, which leaves our own packages out: add them back."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))

from governance.evaluation.evaluator.serve import serve

if __name__ == "__main__":
    serve(memory=int(sys.argv[1]), idle_seconds=float(sys.argv[2]))
