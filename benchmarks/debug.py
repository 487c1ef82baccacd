"""How long a person waits on the page Debug after an act: decoding the rest, and all that is shown of it.

Run with:  python benchmarks/debug.py
A sentence of 20 words, at each of its steps the second likeliest token is forced; the plain greedy
decoding of the same sentence in the same run gives the ratio.
"""

import json
import statistics
import sys
import time
from pathlib import Path

import attnviz

sys.path.insert(0, str(Path(__file__).parents[1] / "app"))
from bench import Bench
from debugger.payload import payload

TEXT = (
    "La petite fille aux cheveux bruns regarde les oiseaux dans le parc "
    "pendant que ses parents parlent avec un ami."
)


def main() -> None:
    """Prints the median of all acts, in milliseconds, and the ratio to a plain decoding."""
    translator = attnviz.load("translate-fr-en")
    trace = translator(TEXT)
    session = translator.session(TEXT)
    session.follow(trace.token_ids.tolist())
    acts, plain = [], []
    for step in range(len(trace)):
        bench = Bench([session])
        start = time.perf_counter()
        bench.act({"do": "force", "step": step, "token": session.likeliest[step][1]})
        json.dumps(payload(bench, trace.beams[0]))
        acts.append(time.perf_counter() - start)
        start = time.perf_counter()
        translator(TEXT, search="greedy")
        plain.append(time.perf_counter() - start)
    act, decoding = statistics.median(acts), statistics.median(plain)
    print(
        f"an act {1000 * act:.0f} ms, slowest {1000 * max(acts):.0f} ms; ratio to greedy {act / decoding:.1f}"
    )


if __name__ == "__main__":
    main()
