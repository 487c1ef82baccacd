"""How good the entailment model is beside baselines that never see the premise.

    .venv/bin/python benchmarks/entailment.py                  about 2 minutes on 2 cores
    .venv/bin/python benchmarks/entailment.py --model FOLDER   for another model

Baselines, by the hypothesis alone: naive Bayes over its words (multinomial, add-one; McCallum and Nigam
1998), learned from the set named beside it; and the commonest label. `new premises` are the pairs of a
test set whose premise stands in no training set.
"""

import argparse
import math
from collections import Counter
from pathlib import Path

import attnviz
from attnviz.errors import InputError
from attnviz.evaluation import evaluate
from attnviz.labelled import LABELS, Example, read_examples
from attnviz.tasks import Entailment

LEARNED_FROM = {"snli.test": "snli.dev", "sick.test": "sick.train", "mpe.test": "mpe.train", "med.test": None}


class NaiveBayes:
    """Labels a hypothesis by its words alone."""

    def __init__(self, examples: list[Example]) -> None:
        self.labels = Counter(example.label for example in examples)
        self.words: dict[str, Counter[str]] = {label: Counter() for label in self.labels}
        for example in examples:
            self.words[example.label].update(example.hypothesis.lower().split())
        self.vocabulary = len({word for counts in self.words.values() for word in counts})

    def __call__(self, hypothesis: str) -> str:
        def logprob(label: str) -> float:
            counts = self.words[label]
            total = sum(counts.values()) + self.vocabulary
            return math.log(self.labels[label]) + sum(
                math.log((counts[word] + 1) / total) for word in hypothesis.lower().split()
            )

        return max(self.labels, key=logprob)


def share(said: list[str], examples: list[Example]) -> float:
    """Accuracy in percent."""
    right = sum(label == example.label for label, example in zip(said, examples, strict=True))
    return 100 * right / len(examples)


def new_premises(model: Entailment, test: list[Example], train: list[Example]) -> tuple[float, int]:
    """Accuracy on the pairs whose premise was not trained on, in percent, and their number."""
    seen = {example.premise for example in train}
    rows = [example for example in test if example.premise not in seen]
    traces = model.many([(row.premise, row.hypothesis) for row in rows])
    return share([max(t.verdict, key=t.verdict.__getitem__) for t in traces], rows), len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("../shared/data/nli"))
    parser.add_argument("--model", default="entailment")
    options = parser.parse_args()
    model = attnviz.load(options.model)
    if not isinstance(model, Entailment):
        raise InputError(f"Expected an entailment model, got {options.model}.")
    print("| set | n | accuracy | calibration error | hypothesis only | commonest label |")
    print("| --- | ---: | ---: | ---: | --- | ---: |")
    for name, source in LEARNED_FROM.items():
        path = options.data / f"{name}.tsv.gz"
        test, found = read_examples(path), evaluate(model, path)
        commonest = max(share([label] * len(test), test) for label in LABELS)
        baseline = "-"
        if source is not None:
            bayes = NaiveBayes(read_examples(options.data / f"{source}.tsv.gz"))
            baseline = f"{share([bayes(row.hypothesis) for row in test], test):.1f} (from {source})"
        print(
            f"| {name} | {found['n']} | {found['value']:.1f} | {found['calibration_error']:.3f} | {baseline} "
            f"| {commonest:.1f} |",
            flush=True,
        )
    train = read_examples(options.data / "sick.train.tsv.gz")
    accuracy, count = new_premises(model, read_examples(options.data / "sick.test.tsv.gz"), train)
    print(f"\nsick.test, new premises: {accuracy:.1f} of {count}")


if __name__ == "__main__":
    main()
