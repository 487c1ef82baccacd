"""How fast the models decode; the translator beside the bare matrix products of the same steps.

Run with:  python benchmarks/decode.py
Everything is measured in one run on the same threads, so that the ratios hold on any machine:
quote them, and the absolute times only with the machine.
"""

import itertools
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch.nn import functional as F

import attnviz
from attnviz import images
from attnviz.attention import Additive, Memory
from attnviz.decoders import AttentionDecoder
from attnviz.model import TextToText
from attnviz.tasks import Captioner, Translator
from attnviz.trace import Trace

REPEATS = 5
SAMPLES = Path(__file__).parents[1] / "app" / "samples"
WHO = """Un homme|Une vieille dame|Mon voisin|Le petit garçon|Ma sœur|Le professeur|Tom|Le chien noir|
Une femme en manteau rouge|La petite fille aux cheveux bruns"""
DOES = """lit un livre|mange une pomme|parle à son ami|regarde les oiseaux|chante une chanson|dort|
attend le bus|joue avec un ballon jaune|a perdu ses clés|boit du café en souriant"""
WHERE = """dans le parc.|à la gare.|devant une maison blanche.|pendant que les autres travaillent.|ce matin.|
sur la plage avec ses enfants et leurs deux chiens.|près de la rivière.|dans une rue bondée de la ville.|
chez lui.|au bord de la mer."""
SENTENCES = [
    " ".join(part.strip() for part in parts)
    for parts in itertools.product(*(group.split("|") for group in (WHO, DOES, WHERE)))
]
TWENTY_WORDS = (
    "La petite fille aux cheveux bruns regarde les oiseaux dans le parc "
    "pendant que ses parents parlent avec un ami."
)

Shape = tuple[int, int]


def timed(work: Callable[[], object]) -> float:
    """The median of the seconds that some runs take, after one that does not count."""
    work()
    spent = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        work()
        spent.append(time.perf_counter() - started)
    return statistics.median(spent)


def shapes(traces: list[Trace], batch: int, beam: int) -> tuple[list[Shape], list[Shape]]:
    """(rows, source positions) of every batch that was encoded, and of every step that was taken."""
    encoded: list[Shape] = []
    steps: list[Shape] = []
    ordered = sorted(traces, key=lambda trace: len(trace.axis))
    for start in range(0, len(ordered), batch):
        group = ordered[start : start + batch]
        width = max(len(trace.axis) for trace in group)
        lengths = [_steps_taken(trace) for trace in group]
        encoded.append((len(group), width))
        steps += [
            (beam * sum(length > position for length in lengths), width) for position in range(max(lengths))
        ]
    return encoded, steps


def _steps_taken(trace: Trace) -> int:
    """A beam goes on after its best hypothesis has finished."""
    return int(trace.beams[0].positions.max()) + 1 if trace.beams else len(trace)


@torch.inference_mode()
def floor(model: TextToText, encoded: list[Shape], steps: list[Shape]) -> None:
    """The matrix products of the given batches and steps, and nothing else."""
    decoder, cell = model.decoder, model.decoder.cell
    assert isinstance(decoder, AttentionDecoder)
    assert isinstance(decoder.attention, Additive)
    width, embedding_width = model.encoder.annotation_width, model.config.embedding_width
    gates = 3 * model.config.encoder_width
    directions = torch.zeros(gates, embedding_width), torch.zeros(gates, model.config.encoder_width)
    for rows, positions in encoded:
        for weight in directions * 2:  # forward and backward
            F.linear(torch.zeros(rows * positions, weight.shape[1]), weight)
    for rows, positions in steps:
        state = torch.zeros(rows, model.config.decoder_width)
        annotations = torch.zeros(rows, positions, width)
        hidden = torch.zeros(rows, positions, model.config.attention_width)
        weights = torch.zeros(rows, 1, positions)
        F.linear(state, decoder.attention.query_layer.weight)
        F.linear(hidden, decoder.attention.energy_layer.weight)
        torch.bmm(weights, annotations)
        F.linear(torch.zeros(rows, embedding_width + width), cell.weight_ih)
        F.linear(state, cell.weight_hh)
        joined = torch.zeros(rows, decoder.readout_layer.in_features)
        F.linear(F.linear(joined, decoder.readout_layer.weight), model.embedding.weight)


def measure(translator: Translator, batch: int, **options: object) -> None:
    """Prints one line: speed, time a step, and how far it is from the floor."""
    count = 256 if batch > 1 else 64
    sentences = SENTENCES[:: len(SENTENCES) // count][:count]

    def decode() -> list[Trace]:
        if batch == 1:
            return [translator(sentence, **options) for sentence in sentences]
        return translator.many(sentences, **options)

    traces = decode()
    beam = 5 if options["search"] == "beam" else 1
    encoded, steps = shapes(traces, batch, beam)
    spent, bare = timed(decode), timed(lambda: floor(translator.model, encoded, steps))
    words = sum(len(trace.text.split()) for trace in traces)
    name = f"{options['search']}, batch {batch}"
    print(
        f"{name:18} {len(traces) / spent:7.0f} sentences/s {words / spent:7.0f} words/s "
        f"{1000 * spent / len(steps):7.2f} ms/step, floor {1000 * bare / len(steps):6.2f} ms/step, "
        f"ratio {spent / bare:4.2f}"
    )


def measure_captions(captioner: Captioner, batch: int, **options: object) -> None:
    """Prints one line: captions a second from pictures in memory, features and decoding apart."""
    photos = [images.read(file) for file in sorted(SAMPLES.glob("*.jpg"))]
    photos = list(itertools.islice(itertools.cycle(photos), 6 if batch == 1 else batch))

    def features() -> list[Memory]:
        if batch == 1:
            return [captioner.encode([photo]) for photo in photos]
        return [captioner.encode(photos)]

    def whole() -> list[Trace]:
        if batch == 1:
            return [captioner(photo, **options) for photo in photos]
        return captioner.many(photos, **options)

    seen, spent = timed(features) / len(photos), timed(whole) / len(photos)
    print(
        f"captions, {options['search']}, batch {batch:2} {1 / spent:6.1f} a second, "
        f"{1000 * spent:4.0f} ms each (features {1000 * seen:.0f}, decoding {1000 * (spent - seen):.0f})"
    )


def resident() -> float:
    """Megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def main() -> None:
    translator = attnviz.load("translate-fr-en")
    print(f"{torch.get_num_threads()} threads; times include the encoder and the whole trace")
    measure(translator, 1, search="greedy")
    measure(translator, 32, search="greedy")
    measure(translator, 1, search="beam")
    measure(translator, 32, search="beam")
    spent = timed(lambda: translator(TWENTY_WORDS, search="beam", beam_size=5))
    print(f"20 words, beam 5, with the whole trace: {1000 * spent:.0f} ms")
    captioner = attnviz.load("caption-flickr8k")
    for batch, search in itertools.product((1, 32), ("greedy", "beam")):
        measure_captions(captioner, batch, search=search)
    before = 0.0
    for index, sentence in enumerate(SENTENCES):
        translator(sentence)
        if index == 99:
            before = resident()
    print(f"memory after 100 sentences {before:.0f} MB, after 1,000 {resident():.0f} MB")


if __name__ == "__main__":
    main()
