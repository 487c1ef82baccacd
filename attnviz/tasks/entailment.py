"""Entailment: a premise and a hypothesis -> Trace of the hypothesis, word by word."""

from collections.abc import Sequence as Rows
from dataclasses import dataclass, replace
from typing import Any

import torch

from attnviz import text as texts
from attnviz.attention import Memory
from attnviz.axes import Sequence, Span
from attnviz.errors import FormatError, InputError
from attnviz.reader import PairReader
from attnviz.reading import ReadingSession
from attnviz.search import Moment, Vocabulary
from attnviz.text import Pieces
from attnviz.trace import Step, Trace

LONGEST = 400  # pieces of a premise
LONGEST_HYPOTHESIS = 150  # pieces; what comes after it would change the label, so that none is cut
BATCH = 64
# Of English sets 95 % of the texts have at most 0.28 of their words in pieces, of French ones half have 0.5.
STRANGE = 0.35

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """One of the two texts as the model reads it."""

    sequence: Sequence
    token_ids: list[int]
    unread: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()


class Entailment:
    """Says whether a premise entails a hypothesis, contradicts it or neither, and where it looked.

    entailment(premise, hypothesis) gives a Trace whose axis is the premise and whose output is the
    hypothesis. A step is a piece of the hypothesis: its weights over the premise, its context, and
    `verdict`, ln p of each label had the hypothesis ended there. `trace.verdict` is the last one.

    Rocktaeschel et al. (2016); see `reader.PairReader`. Probabilities are calibrated by one temperature
    that was fitted on development data, Guo et al. (2017), section 4.2.
    """

    task = "entailment"

    def __init__(self, name: str, model: PairReader, pieces: Pieces, config: dict[str, Any]) -> None:
        self.name = name
        self.model = model.eval().requires_grad_(False)
        self.pieces = pieces
        self.language: str = config["source"]
        self.trained_length: int = config["trained_length"]
        self.labels: tuple[str, ...] = tuple(config["labels"])
        self.temperature: float = config["temperature"]
        if self.language not in texts.LANGUAGES:
            raise FormatError(f"Expected a language among {sorted(texts.LANGUAGES)}, got {self.language!r}.")
        self._vocabulary = Vocabulary(
            [pieces.label(piece) for piece in range(len(pieces.strings))], pieces.start, pieces.end
        )

    def __call__(self, premise: str, hypothesis: str) -> Trace:
        """Judges one pair.

        Raises:
            InputError: a side is empty, or the hypothesis is too long.
        """
        return self.many([(premise, hypothesis)])[0]

    def many(self, pairs: Rows[Pair]) -> list[Trace]:
        """One trace a pair, read in batches; the same as one by one."""
        if not isinstance(pairs, (list, tuple)):
            raise InputError(f"Expected a list of pairs, got {type(pairs).__name__}; wrap one pair in [ ].")
        prepared = [self._pair(pairs, index) for index in range(len(pairs))]
        order = sorted(range(len(pairs)), key=lambda at: sum(len(side.token_ids) for side in prepared[at]))
        traces: dict[int, Trace] = {}
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            for row, steps in zip(rows, self._steps([prepared[row] for row in rows]), strict=True):
                traces[row] = self._trace(*prepared[row], steps, {"search": "read"})
        return [traces[row] for row in range(len(pairs))]

    def session(self, premise: str, hypothesis: str) -> ReadingSession:
        """The reading of a pair for a person to drive.

        Raises:
            InputError: a side is empty, or the hypothesis is too long.
        """
        one, other = self._prepare(premise, hypothesis)

        def collect(steps: list[Step], settings: dict[str, Any]) -> Trace:
            return self._trace(one, other, steps, settings)

        memory, _ = self._encoded([one.token_ids])
        return ReadingSession(
            self.model, memory, self._vocabulary, other.token_ids, self.temperature, collect
        )

    def _pair(self, pairs: Rows[Pair], index: int) -> tuple[Prepared, Prepared]:
        try:
            premise, hypothesis = pairs[index]
            return self._prepare(premise, hypothesis)
        except InputError as error:
            where = f"Pair {index + 1} of {len(pairs)}: " if len(pairs) > 1 else ""
            raise InputError(f"{where}{error}") from error
        except (TypeError, ValueError) as error:
            raise InputError(f"Expected pairs of premise and hypothesis, got {pairs[index]!r}.") from error

    def _prepare(self, premise: str, hypothesis: str) -> tuple[Prepared, Prepared]:
        one, other = self._side(premise, "premise"), self._side(hypothesis, "hypothesis")
        if len(other.token_ids) > LONGEST_HYPOTHESIS:
            raise InputError(
                f"Expected a hypothesis of at most {LONGEST_HYPOTHESIS} pieces, got {len(other.token_ids)}; "
                "ask about one sentence at a time."
            )
        notes = list(dict.fromkeys((*one.notes, *other.notes)))
        if premise.split() == hypothesis.split():
            notes.append("Premise and hypothesis are the same text.")
        return replace(one, notes=tuple(notes)), other

    def _side(self, text: str, side: str) -> Prepared:
        if not isinstance(text, str):
            raise InputError(f"Expected the {side} as text, got {type(text).__name__}.")
        cleaned = texts.clean(text)
        if not any(map(str.isalnum, cleaned.text)):
            came = "only signs and symbols" if cleaned.text.strip() else "an empty one"
            raise InputError(f"Expected words in the {side}, got {came}; type a sentence.")
        ids, offsets = self.pieces.encode(texts.lower(cleaned.text))
        words = texts.words(cleaned.text, self.language)
        notes = [*cleaned.notes(), *texts.notes(text)]
        unread: tuple[Span, ...] = ()
        owners = texts.group(offsets, words)
        if side == "premise" and len(ids) > LONGEST:
            kept = texts.whole_pieces(offsets, owners, LONGEST)
            end = offsets[kept - 1][1]
            ids, offsets, owners = ids[:kept], offsets[:kept], owners[:kept]
            words = [(begin, min(stop, end)) for begin, stop in words[: owners[-1] + 1]]
            unread = ((end, len(cleaned.text.rstrip())),)
            notes.append(
                f"The premise is too long: its first {end} characters ({LONGEST} pieces at most) were read, "
                f"the other {unread[0][1] - end} were left out."
            )
        elif len(ids) > self.trained_length:
            notes.append(
                f"The {side} is longer ({len(ids)} pieces) than any that the model was trained on "
                f"({self.trained_length}): expect mistakes."
            )
        if self.pieces.strangeness(cleaned.text, ids, offsets, words) >= STRANGE:
            notes.append(
                f"Many words of the {side} are unknown to the model and read in pieces: is it English? "
                "Its answer is a guess."
            )
        labels = tuple(cleaned.text[slice(*offset)] for offset in offsets)
        sequence = Sequence(cleaned.text, labels, tuple(offsets), tuple(words), tuple(owners))
        return Prepared(sequence, ids, unread, tuple(notes))

    @torch.inference_mode()
    def _encoded(self, rows: list[list[int]]) -> tuple[Memory, torch.Tensor]:
        """The memory of a batch of premises, and their mask."""
        padded, mask = _padded(rows)
        return self.model.encode(padded, mask), mask

    @torch.inference_mode()
    def _steps(self, pairs: list[tuple[Prepared, Prepared]]) -> list[list[Step]]:
        memory, _ = self._encoded([premise.token_ids for premise, _ in pairs])
        hypotheses = [hypothesis.token_ids for _, hypothesis in pairs]
        padded, _ = _padded(hypotheses)
        state = self.model.start(memory)
        steps: list[list[Step]] = [[] for _ in pairs]
        for position, tokens in enumerate(padded.unbind(1)):
            logits, state, attended = self.model.step(tokens, state, memory)
            logprobs = torch.log_softmax(logits / self.temperature, -1)
            moment = Moment.of(logprobs.topk(1), attended, state)
            for row, (ids, verdict) in enumerate(zip(hypotheses, logprobs.tolist(), strict=True)):
                if position < len(ids):
                    steps[row].append(moment.read(row, position, ids[position], verdict, self._vocabulary))
        return steps

    def _trace(
        self, premise: Prepared, hypothesis: Prepared, steps: list[Step], settings: dict[str, Any]
    ) -> Trace:
        read, count = hypothesis.sequence, len(steps)
        output = Sequence(
            read.text, read.tokens[:count], read.offsets[:count], read.words, read.owners[:count]
        )
        return Trace.collect(
            steps,
            premise.sequence,
            output,
            self.task,
            self.name,
            labels=self.labels,
            settings=settings,
            notes=premise.notes,
            unread=premise.unread,
        )


def _padded(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Tokens (B, S) and their mask, the real ones first."""
    width = max(map(len, rows))
    tokens = torch.tensor([row + [0] * (width - len(row)) for row in rows])
    lengths = torch.tensor([len(row) for row in rows])
    return tokens, torch.arange(width) < lengths.unsqueeze(1)
