"""Hard alignments: sets of links between words; reading, writing, symmetrising and scoring them.

A link is (source, target), 0-based. Gold alignments tell sure links from possible ones; every sure
link counts as possible too.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from attnviz.errors import FormatError, InputError

Link = tuple[int, int]
Links = frozenset[Link]

SYMMETRISATIONS = ("union", "intersection", "grow-diag-final")

_LINK = re.compile(r"([0-9]+)([-p])([0-9]+)")
_NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True)
class Gold:
    """What people linked: `sure` is a part of `possible`."""

    sure: Links
    possible: Links


@dataclass(frozen=True, slots=True)
class Scores:
    """aer, precision and recall from 0 to 1, over `n` sentences."""

    aer: float
    precision: float
    recall: float
    n: int


def score(gold: Sequence[Gold], found: Sequence[Links]) -> Scores:
    """The alignment error rate over all sentences together; lower is better.

    With A the links found, S the sure and P the possible ones,
    precision = |A & P| / |A|, recall = |A & S| / |S|, AER = 1 - (|A & S| + |A & P|) / (|A| + |S|).

    Och and Ney (2003), section 5, equations 17 to 19. Where nothing was found, no link is wrong and
    precision is 1; where nothing is sure, none is missed and recall is 1; with neither, AER is 0.

    Raises:
        InputError: the numbers of sentences differ.
    """
    if len(gold) != len(found):
        raise InputError(
            f"Expected as many sentences in both alignments, got {len(gold)} of gold and {len(found)}."
        )
    links = sum(map(len, found))
    sure = sum(len(one.sure) for one in gold)
    in_sure = sum(len(one.sure & own) for one, own in zip(gold, found, strict=True))
    in_possible = sum(len(one.possible & own) for one, own in zip(gold, found, strict=True))
    return Scores(
        aer=1 - (in_sure + in_possible) / (links + sure) if links + sure else 0.0,
        precision=in_possible / links if links else 1.0,
        recall=in_sure / sure if sure else 1.0,
        n=len(gold),
    )


def symmetrise(forward: Links, backward: Links, method: str) -> Links:
    """One alignment from those of both directions, all links as (source, target).

    grow-diag-final starts from the intersection, adds links of the union that touch it, also
    diagonally, where a word is still unlinked, and last those of either direction where a word is.

    Koehn et al. (2005), "Edinburgh system description", section 2.2. The order in which links are
    looked at, by source and then target, is ours; other programs may add others where two compete.

    Raises:
        InputError: there is no method of that name.
    """
    if method == "union":
        return forward | backward
    if method == "intersection":
        return forward & backward
    if method == "grow-diag-final":
        return _grow_diag_final(forward, backward)
    raise InputError(f"Expected one of {', '.join(SYMMETRISATIONS)}, got {method!r}.")


def _grow_diag_final(forward: Links, backward: Links) -> Links:
    union, links = forward | backward, set(forward & backward)
    sources, targets = {s for s, _ in links}, {t for _, t in links}

    def add(link: Link) -> None:
        links.add(link)
        sources.add(link[0])
        targets.add(link[1])

    grown = True
    while grown:
        grown = False
        for s, t in sorted(links):
            for down, right in _NEIGHBOURS:
                link = (s + down, t + right)
                if link in union and link not in links and not (link[0] in sources and link[1] in targets):
                    add(link)
                    grown = True
    for direction in (forward, backward):
        for link in sorted(direction):
            if link not in links and not (link[0] in sources and link[1] in targets):
                add(link)
    return frozenset(links)


def read_gold(path: Path, base: int = 1, lengths: Sequence[tuple[int, int]] | None = None) -> list[Gold]:
    """Reads gold alignments: a line a sentence, `i-j` a sure link, `ipj` a possible one.

    Args:
        base: the number of the first word. lengths: each sentence's words in source and target,
            to check the links against.

    Raises:
        InputError: there is no such file.
        FormatError: a line holds something else, or a link outside its sentence; the message gives
            the line's number.
    """
    return [
        Gold(frozenset(link for link, sure in row if sure), frozenset(link for link, _ in row))
        for row in _read(path, base, lengths)
    ]


def read_links(path: Path, base: int = 0, lengths: Sequence[tuple[int, int]] | None = None) -> list[Links]:
    """Reads alignments in Pharaoh's format, `i-j`, a line a sentence; else like `read_gold`."""
    return [frozenset(link for link, _ in row) for row in _read(path, base, lengths)]


def pharaoh(links: Iterable[Link], base: int = 0) -> str:
    """A sentence's links as Pharaoh writes them: "0-0 1-2", by source, then target."""
    return " ".join(f"{s + base}-{t + base}" for s, t in sorted(links))


def _read(path: Path, base: int, lengths: Sequence[tuple[int, int]] | None) -> list[list[tuple[Link, bool]]]:
    lines = read_lines(path)
    if lengths is not None and len(lines) != len(lengths):
        raise FormatError(f"{path} has {len(lines)} lines, but there are {len(lengths)} sentences.")
    return [
        [
            _parse(word, base, None if lengths is None else lengths[index], f"{path}, line {index + 1}")
            for word in line.split()
        ]
        for index, line in enumerate(lines)
    ]


def _parse(word: str, base: int, lengths: tuple[int, int] | None, where: str) -> tuple[Link, bool]:
    match = _LINK.fullmatch(word)
    if match is None:
        raise FormatError(f"{where}: expected links such as 1-2 or 1p2, got {word[:40]!r}.")
    link = (int(match[1]) - base, int(match[3]) - base)
    if min(link) < 0:
        raise FormatError(
            f"{where}: {word} lies outside the sentence, since words are counted from {base}; "
            f"tell the number of the first word if it is another."
        )
    if lengths is not None and (link[0] >= lengths[0] or link[1] >= lengths[1]):
        raise FormatError(
            f"{where}: {word} lies outside the sentence, which has {lengths[0]} and {lengths[1]} words, "
            f"counted from {base}."
        )
    return link, match[2] == "-"


def read_lines(path: Path) -> list[str]:
    """The lines of a text file in UTF-8, split at line feeds only.

    Raises:
        InputError: there is no such file, or it is no text.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text in UTF-8: {error}.") from error
    lines = text.split("\n")
    return [line.removesuffix("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]
