"""Re-makes all figures of the lab from the shipped models: app/experiments/figures.json, and tables.

    .venv/bin/python benchmarks/lab.py                     all parts, about 25 minutes on 2 cores
    .venv/bin/python benchmarks/lab.py aer speed           some of: quality lengths aer speed
    .venv/bin/python benchmarks/lab.py --print             only the tables, as Markdown

BLEU: cased sacrebleu; `quality` with beam 5, `lengths` greedy, 95 % intervals by bootstrap. AER: on the 447
gold sentences, from 0 to 1. Speed: greedy, batches of 32, the models in turn five times over, the medians as
ratios to additive.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attnviz
from attnviz.alignments import SYMMETRISATIONS, Gold, Links, read_gold, read_lines, score, symmetrise
from attnviz.evaluation import by_length, evaluate
from attnviz.lengths import BOUNDS, LONG, joined, natural, unseen
from attnviz.parallel import Pair, held_out, read_pairs
from attnviz.tasks import Aligner
from attnviz.tasks.alignment import LENSES

MECHANISMS = ("additive", "bilinear", "dot", "cosine", "none")
FIGURES = Path(__file__).parent.parent / "app" / "experiments" / "figures.json"
HELD_OUT = 0.08  # as in the recipe
NATURAL = (*BOUNDS[:5], (51, LONG))
ROUNDS = 5

Figures = dict[str, Any]


def quality(data: Path) -> Figures:
    """BLEU of each mechanism on the two test sets of everyday text."""
    sets = {"multi30k": "multi30k.test_2016_flickr", "tatoeba": "tatoeba_manythings.test"}
    found: Figures = {}
    for mechanism in MECHANISMS:
        model = attnviz.load(f"lab-{mechanism}")
        found[mechanism] = {
            name: evaluate(model, data / "mt" / f"{file}.fr-en.tsv.gz")["value"]
            for name, file in sets.items()
        }
        print("quality", mechanism, found[mechanism], flush=True)
    return found


def lengths(data: Path) -> Figures:
    """BLEU against the length of the source: joined everyday sentences, and technical prose as it is."""
    bins = {"joined": joined(_everyday(data)), "natural": natural(_technical(data), NATURAL)}
    found: Figures = {kind: {} for kind in bins}
    for mechanism in MECHANISMS:
        model = attnviz.load(f"lab-{mechanism}")
        for kind, texts in bins.items():
            found[kind][mechanism] = by_length(model, texts, search="greedy")
            print("lengths", kind, mechanism, [row["BLEU"] for row in found[kind][mechanism]], flush=True)
    return found


def _everyday(data: Path) -> list[Pair]:
    names = ("multi30k.test_2016_flickr", "multi30k.test_2017_mscoco", "tatoeba_manythings.test")
    sets = [read_pairs(data / "mt" / f"{name}.fr-en.tsv.gz") for name in names]
    return [*sets[0], *sets[1], *sets[2][:1000]]


def _technical(data: Path) -> list[Pair]:
    """The held-out part of the technical prose, without what nearly stands in the other part."""
    trained: list[Pair] = []
    held: list[Pair] = []
    for name in ("python_docs", "debian_desc"):
        one, other = held_out(read_pairs(data / "mt" / f"{name}.all.fr-en.tsv.gz"), HELD_OUT)
        trained += one
        held += other
    return unseen(held, trained)


def aer(data: Path) -> Figures:
    """The alignment error rate through each lens: of every mechanism, and of the aligners."""
    folder = data / "align" / "hansards_enfr"
    english, french = (
        [line.split() for line in read_lines(folder / f"test.{side}")] for side in ("en", "fr")
    )
    gold = read_gold(
        folder / "test.en-fr.gold", 1, [(len(e), len(f)) for e, f in zip(english, french, strict=True)]
    )
    from_french = list(zip(french, english, strict=True))
    from_english = list(zip(english, french, strict=True))
    found: Figures = {}
    for mechanism in MECHANISMS[:-1]:
        aligner = Aligner.of(attnviz.load(f"lab-{mechanism}"))
        for lens in LENSES:
            links = _flipped(aligner.links(from_french, lens))
            found[f"lab-{mechanism} {lens}"] = _rates(gold, links)
    there, back = attnviz.load("align-en-fr"), attnviz.load("align-fr-en")
    for lens in LENSES:
        forward, backward = there.links(from_english, lens), _flipped(back.links(from_french, lens))
        found[f"align-en-fr {lens}"], found[f"align-fr-en {lens}"] = (
            _rates(gold, forward),
            _rates(gold, backward),
        )
        for method in SYMMETRISATIONS:
            both = [symmetrise(a, b, method) for a, b in zip(forward, backward, strict=True)]
            found[f"{method} {lens}"] = _rates(gold, both)
    for name, row in found.items():
        print("aer", name, row, flush=True)
    return found


def _flipped(links: list[Links]) -> list[Links]:
    return [frozenset((t, s) for s, t in row) for row in links]


def _rates(gold: list[Gold], links: list[Links]) -> dict[str, float]:
    found = score(gold, links)
    return {
        "AER": round(found.aer, 4),
        "precision": round(found.precision, 4),
        "recall": round(found.recall, 4),
    }


def speed(data: Path) -> Figures:
    """How fast each mechanism decodes, as a ratio to additive."""
    pairs = read_pairs(data / "mt" / "multi30k.test_2016_flickr.fr-en.tsv.gz")[:320]
    sources = [source for source, _ in pairs]
    models = {mechanism: attnviz.load(f"lab-{mechanism}") for mechanism in MECHANISMS}
    taken: dict[str, list[float]] = {mechanism: [] for mechanism in MECHANISMS}
    for _ in range(ROUNDS):
        for mechanism, model in models.items():
            start = time.perf_counter()
            traces = model.many(sources, search="greedy")
            steps = sum(map(len, traces))
            taken[mechanism].append((time.perf_counter() - start) / steps)
    medians = {mechanism: statistics.median(times) for mechanism, times in taken.items()}
    found = {mechanism: round(medians["additive"] / median, 2) for mechanism, median in medians.items()}
    print("speed", found, flush=True)
    return found


PARTS: dict[str, Callable[[Path], Figures]] = {
    "quality": quality,
    "lengths": lengths,
    "aer": aer,
    "speed": speed,
}


def tables(figures: Figures) -> str:
    """The figures as Markdown."""
    lines = [
        "| mechanism | BLEU, captions | BLEU, everyday | AER (lens) | speed |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for mechanism in MECHANISMS:
        rates = [
            (figures["aer"][f"lab-{mechanism} {lens}"]["AER"], lens) for lens in LENSES if mechanism != "none"
        ]
        rate = "{:.3f} ({})".format(*min(rates)) if rates else "-"
        bleu, speed_of = figures["quality"][mechanism], figures["speed"][mechanism]
        lines.append(
            f"| {mechanism} | {bleu['multi30k']:.1f} | {bleu['tatoeba']:.1f} | {rate} | {speed_of:.2f} |"
        )
    for kind, rows in figures["lengths"].items():
        labels = [f"{row['words']} (n {row['n']})" for row in rows["additive"]]
        lines += ["", f"| {kind}, words | " + " | ".join(labels) + " |", "| --- |" + " ---: |" * len(labels)]
        for mechanism, row in rows.items():
            cells = [f"{one['BLEU']:.1f} [{one['low']:.1f}, {one['high']:.1f}]" for one in row]
            lines.append(f"| {mechanism} | " + " | ".join(cells) + " |")
    lines += ["", "| AER | " + " | ".join(LENSES) + " |", "| --- | ---: | ---: | ---: |"]
    for name in dict.fromkeys(name.rpartition(" ")[0] for name in figures["aer"]):
        lines.append(
            f"| {name} | "
            + " | ".join(f"{figures['aer'][f'{name} {lens}']['AER']:.4f}" for lens in LENSES)
            + " |"
        )
    return "\n".join(lines)


def main() -> None:
    """Measures the parts that are named, keeps the others, and prints the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], *PARTS], help="which parts; all if none is named")
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--print", action="store_true", dest="only_print")
    options = parser.parse_args()
    if not options.only_print:
        for part in options.parts or PARTS:
            found = PARTS[part](options.data)
            FIGURES.write_text(json.dumps({**_kept(), part: found}, indent=1) + "\n", encoding="utf-8")
    kept = _kept()
    if missing := [part for part in PARTS if part not in kept]:
        print(f"still to be measured: {', '.join(missing)}")
    else:
        print(tables(kept))


def _kept() -> Figures:
    return dict(json.loads(FIGURES.read_text(encoding="utf-8"))) if FIGURES.exists() else {}


if __name__ == "__main__":
    main()
