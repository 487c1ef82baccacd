"""What was measured of the shipped models; benchmarks/lab.py makes the file anew."""

import json
from pathlib import Path
from typing import Any

_FILE = Path(__file__).parent / "figures.json"


def figures() -> dict[str, Any]:
    """quality, lengths, aer and speed, as benchmarks/lab.py measured them."""
    read: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return read
