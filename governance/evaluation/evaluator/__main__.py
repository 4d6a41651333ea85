"""Entry point, run by path in Python's isolated mode, which leaves our packages off the import
path."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3]))

from governance.evaluation.evaluator.serve import serve

if __name__ == "__main__":
    serve(memory=int(sys.argv[1]), idle_seconds=float(sys.argv[2]))
