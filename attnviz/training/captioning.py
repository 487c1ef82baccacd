"""Captioning, as a job for the loop: Show, Attend and Tell, Xu et al. (2015)."""

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from attnviz.attention import Memory
from attnviz.captions import normal, read_captions, read_split
from attnviz.model import Config, ImageToText
from attnviz.pretrained import TOKENIZER, load
from attnviz.scores import caption_scores
from attnviz.text import Pieces
from attnviz.training import photos, subwords
from attnviz.training.imagenet import efficientnet_lite0
from attnviz.training.loop import Job, Report
from attnviz.training.recipe import CaptioningRecipe, Optimisation
from attnviz.training.reward import Bleu1, CiderD

_DEVELOPMENT_BATCH = 100
# A mirrored photo must not teach left for right.
_SIDED = re.compile(r"\b(?:left|right)\b")


class Batch(NamedTuple):
    """Features of P photos; tokens before each step and to predict, (P * K, T), padded with -1.

    rows: which photos they are.
    """

    rows: list[int]
    middle: Tensor
    top: Tensor
    before: Tensor
    target: Tensor


class Captioning(Job[Batch]):
    """A captioner that learns from photos with captions; see photos.py for the folder's layout."""

    model: ImageToText

    def __init__(self, recipe: CaptioningRecipe, data: Path, folder: Path, report: Report) -> None:
        """`folder` keeps what is made once: the subwords and the photos' features."""
        folder.mkdir(parents=True, exist_ok=True)
        self.recipe, self.data = recipe, data / recipe.photos
        captions = read_captions(self.data)
        self.names = read_split(self.data, "train")
        self.captions = [[normal(caption) for caption in captions[name]] for name in self.names]
        self.vocabulary = folder / TOKENIZER
        if not self.vocabulary.exists():
            texts = [caption for row in self.captions for caption in row]
            subwords.learn(texts, recipe.pieces).save(str(self.vocabulary), pretty=False)
        self.pieces = Pieces.read(self.vocabulary)
        self.token_ids = [self.pieces.encode_batch(row) for row in self.captions]
        network = efficientnet_lite0()
        cache = folder / "features"
        self.middle, self.top = photos.features(
            network, self.data, self.names, recipe.views, cache / "train", report
        )
        names = read_split(self.data, "dev")
        self.development = photos.features(network, self.data, names, 1, cache / "dev", report)
        self.references = [[normal(caption) for caption in captions[name]] for name in names]
        torch.manual_seed(recipe.seed)
        self.model = ImageToText(Config(vocabulary=len(self.pieces.strings), **recipe.model))
        self.model.encoder.network.load_state_dict(network.state_dict())

    def epoch(self, number: int) -> Iterator[Batch]:
        chance = random.Random(self.recipe.seed * 1000 + number)
        order = list(range(len(self.names)))
        chance.shuffle(order)
        size = self.recipe.optimisation.batch_photos
        for start in range(0, len(order) - size + 1, size):
            yield self.batch(order[start : start + size], chance)

    def batch(self, rows: list[int], chance: random.Random) -> Batch:
        views = [self._view(row, chance) for row in rows]
        sentences = [[*ids, self.pieces.end] for row in rows for ids in self.token_ids[row]]
        before = [[self.pieces.start, *ids[:-1]] for ids in sentences]
        middle, top = (torch.from_numpy(maps[rows, views]).float() for maps in (self.middle, self.top))
        return Batch(rows, middle, top, _padded(before), _padded(sentences))

    def _view(self, row: int, chance: random.Random) -> int:
        view = chance.randrange(self.recipe.views)
        sided = view % 2 and any(map(_SIDED.search, self.captions[row]))
        return view - 1 if sided else view

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Cross-entropy in nats a piece; the matrix products in bfloat16, the rest in float32."""
        real = batch.target >= 0
        with torch.autocast("cpu", torch.bfloat16):
            memory = self.model.encode_features(batch.middle, batch.top)
            readouts = self.model.unroll(batch.before.clamp(min=0), memory).readouts
            logits = self.model.logits(readouts[real])
        smoothing = self.recipe.optimisation.label_smoothing
        loss = F.cross_entropy(logits.float(), batch.target[real], label_smoothing=smoothing)
        return loss, int(real.sum())

    def settings(self) -> dict[str, Any]:
        return {"task": self.recipe.task, "target": self.recipe.target}

    def develop(self, out: Path, report: Report) -> None:
        captioner = load(str(out))
        written: list[str] = []
        middle, top = (torch.from_numpy(maps[:, 0]) for maps in self.development)
        for maps in zip(*(torch.split(maps, _DEVELOPMENT_BATCH) for maps in (middle, top)), strict=True):
            memory = captioner.model.encode_features(*(part.float() for part in maps))
            written += captioner.texts(memory, search="greedy")
        report(f"development {caption_scores(written, self.references)}")


class SelfCritical(Job[Batch]):
    """A second stage: captions that the model itself draws are rewarded by CIDEr-D and BLEU-1.

    loss = - mean over drawn captions of (reward - baseline) sum_t ln p(y_t | y_<t, photo)

    Rennie et al. (2017), eq. 7, with the baseline of Luo (2020): the mean reward of the other
    captions drawn for the same photo. Nothing is dropped out, so that what is drawn and what is
    learned come from one distribution.
    """

    model: ImageToText

    DRAWN = 5  # captions a photo
    LONGEST = 20  # pieces of a drawn caption
    BLEU_SHARE = 3.0  # of BLEU-1, from 0 to 1, to CIDEr-D, from 0 to 10

    def __init__(self, first: Captioning, learned: nn.Module, plan: Optimisation) -> None:
        self.first, self.plan = first, plan
        self.model, self.vocabulary = first.model, first.vocabulary
        self.model.load_state_dict(learned.state_dict())
        self.cider, self.bleu = CiderD(first.captions), Bleu1(first.captions)
        self.generator = torch.Generator().manual_seed(first.recipe.seed)

    def epoch(self, number: int) -> Iterator[Batch]:
        yield from self.first.epoch(number)

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        self.model.eval()
        with torch.autocast("cpu", torch.bfloat16):
            memory = self.model.encode_features(batch.middle, batch.top)
            drawn = self._draw(memory)
            advantages = self._advantages(drawn, batch.rows)
            before = torch.cat([torch.full_like(drawn[:, :1], self.first.pieces.start), drawn[:, :-1]], 1)
            readouts = self.model.unroll(before.clamp(min=0), memory).readouts
            real = drawn >= 0
            logits = self.model.logits(readouts[real])
        chosen = F.cross_entropy(logits.float(), drawn[real], reduction="none")
        owners = advantages.unsqueeze(1).expand_as(drawn)[real]
        return (chosen * owners).sum() / len(drawn), int(real.sum())

    @torch.no_grad()
    def _draw(self, memory: Memory) -> Tensor:
        """DRAWN captions a photo, (P * DRAWN, T), padded with -1 after their end mark."""
        each, end = self.DRAWN, self.first.pieces.end
        memory = memory.select(torch.arange(len(memory.mask)).repeat_interleave(each))
        tokens = torch.full((len(memory.mask),), self.first.pieces.start)
        going = torch.ones(len(tokens), dtype=torch.bool)
        state, drawn = self.model.decoder.start(memory), []
        for _ in range(self.LONGEST):
            logits, state, _ = self.model.step(tokens, state, memory)
            chances = torch.softmax(logits.float(), dim=-1)
            tokens = torch.multinomial(chances, 1, generator=self.generator).squeeze(1)
            drawn.append(torch.where(going, tokens, -1))
            going = going & (tokens != end)
            if not going.any():
                break
        return torch.stack(drawn, 1)

    def _advantages(self, drawn: Tensor, rows: list[int]) -> Tensor:
        """By how much each caption's reward is above the mean of the photo's others, (P * DRAWN,)."""
        texts = [
            self.first.pieces.decode([token for token in row if token >= 0])[0] for row in drawn.tolist()
        ]
        owners = [row for row in rows for _ in range(self.DRAWN)]
        rewards = torch.tensor([self._reward(text, row) for text, row in zip(texts, owners, strict=True)])
        rewards = rewards.view(-1, self.DRAWN)
        others = (rewards.sum(1, keepdim=True) - rewards) / (self.DRAWN - 1)
        return (rewards - others).flatten()

    def _reward(self, caption: str, photo: int) -> float:
        return self.cider(caption, photo) + self.BLEU_SHARE * self.bleu(caption, photo)

    def settings(self) -> dict[str, Any]:
        return self.first.settings()

    def develop(self, out: Path, report: Report) -> None:
        self.first.develop(out, report)


def _padded(rows: list[list[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True, padding_value=-1)
