"""Text: a user's own words -> pieces with offsets, and back again.

Every position of a picture is tied to characters of the text that the user gave, so nothing
here may change the length of a text: what must be altered is replaced one character by one.
"""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

import regex
import sentencex
from tokenizers import Tokenizer

from attnviz.axes import END, Span
from attnviz.errors import FormatError

START = "<s>"
UNKNOWN = "[UNK]"

# What a "word" of a picture is. French elisions stand by themselves (l' homme); English
# contractions do not (don't). Any other visible character is a word of its own, with what
# belongs to it: the parts of one emoji stay together (\X is a grapheme cluster).
_WORD = r"[\p{L}\p{N}_][\p{L}\p{M}\p{N}_]*"
_WORDS = {
    "fr": regex.compile(rf"(?i:aujourd['’]hui)|{_WORD}['’](?=\p{{L}})|{_WORD}|(?!\s)\X"),
    "en": regex.compile(rf"{_WORD}(?:['’]{_WORD})*|(?!\s)\X"),
}

LANGUAGES = set(_WORDS)

# sentencex ends a sentence after these; French prose does not.
_ABBREVIATED = re.compile(
    r"(?:^|[\s(«\"'’-])(?:MM?|Mmes?|Mlles?|Mgr|Dr|Pr|Me|St|Ste|cf|[A-Z](?:\.?-[A-Z])?)\.\s*$"
)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that every later step can take, as long as the user's, and what was replaced."""

    text: str
    controls: int
    surrogates: int

    def notes(self) -> list[str]:
        """What a user should know, as sentences."""
        notes = []
        if self.controls:
            notes.append(f"Control characters ({self.controls}) were read as spaces.")
        if self.surrogates:
            notes.append(f"Lone surrogates ({self.surrogates}), halves of characters, were read as \ufffd.")
        return notes


def clean(text: str) -> Cleaned:
    """Replaces lone surrogates by U+FFFD and control characters by spaces, one by one."""
    characters = list(text)
    controls = surrogates = 0
    for index, character in enumerate(characters):
        if "\ud800" <= character <= "\udfff":
            characters[index] = "\ufffd"
            surrogates += 1
        elif character not in "\n\t\r" and unicodedata.category(character) == "Cc":
            characters[index] = " "
            controls += 1
    return Cleaned("".join(characters), controls, surrogates)


def sentences(text: str, language: str) -> list[Span]:
    """The spans of the sentences, without the white space around them.

    A line break always ends a sentence, as in the parallel text that the models learn from; an
    abbreviated title or initial never does.
    """
    spans: list[Span] = []
    for line in re.finditer(r"[^\n\r\u2028\u2029]+", text):
        start = line.start()
        boundaries = sentencex.get_sentence_boundaries(language, line.group())
        for boundary in boundaries:
            end = line.start() + boundary["end_index"]
            if _ABBREVIATED.search(text[start:end]) and end < line.end():
                continue
            spans.append((start, end))
            start = end
        if start < line.end():
            spans.append((start, line.end()))
    return [_strip(text, start, stop) for start, stop in spans if text[start:stop].strip()]


def quiet(text: str) -> str:
    """A text in capitals throughout, in small letters after the first; any other as it is.

    Letters whose small form is longer are left alone, so that offsets stay true.
    """
    capitals = sum(character.isupper() for character in text)
    if capitals < 4 or any(character.upper() != character for character in text):
        return text
    first = next(index for index, character in enumerate(text) if character.isupper())
    return text[: first + 1] + lower(text[first + 1 :])


def lower(text: str) -> str:
    """A text in small letters, character by character.

    Letters whose small form is longer are left alone, so that offsets stay true.
    """
    return "".join(character.lower() if len(character.lower()) == 1 else character for character in text)


def first_words(text: str, language: str, count: int) -> int:
    """Where the first `count` words of a text end; its length if it has no more. Signs are no words."""
    seen = 0
    for start, stop in words(text, language):
        if any(map(str.isalnum, text[start:stop])):
            seen += 1
            if seen > count:
                return len(text[:start].rstrip())
    return len(text)


_TAG = re.compile(r"</?[A-Za-z][^<>]{0,200}>|&(?:[A-Za-z]{2,8}|#\d{1,6});")


def notes(text: str) -> list[str]:
    """What is odd about a text for a model that reads plain prose, as sentences."""
    if _TAG.search(text):
        return ["The text holds HTML, which is read as any other text; paste plain text instead."]
    return []


def bare(text: str) -> str:
    """A text in small letters and without accents; it may become longer or shorter."""
    return "".join(
        character
        for character in unicodedata.normalize("NFD", text.lower())
        if not unicodedata.combining(character)
    )


def words(text: str, language: str) -> list[Span]:
    """The spans of the words: see the patterns at the top of this module.

    A text without any (white space alone) counts as one word.
    """
    return [match.span() for match in _WORDS[language].finditer(text)] or [(0, len(text))]


def group(pieces: list[Span], words: list[Span]) -> list[int]:
    """For each piece the index of the word it belongs to: every piece to exactly one.

    That is the word that holds the piece's last character; a piece outside all words (a space
    on its own) goes with the next one, or with the last word at the end.
    """
    owners, word = [], 0
    for _, end in pieces:
        while word < len(words) - 1 and words[word][1] < end:
            word += 1
        owners.append(word)
    return owners


def whole_pieces(offsets: list[Span], owners: list[int], limit: int) -> int:
    """How many pieces to keep so that at most `limit` are, and no word is cut if that can be.

    A word of more than half the limit is cut all the same, between two of its characters.
    """
    kept = limit
    while kept > 0 and owners[kept] == owners[kept - 1]:
        kept -= 1
    if kept >= limit / 2:
        return kept
    kept = limit
    while kept > 1 and offsets[kept] == offsets[kept - 1]:
        kept -= 1
    return kept


class Pieces:
    """Subwords by byte-pair encoding; what it has never seen is spelled in bytes.

    The marks <s> and </s> are no strings to the tokenizer: a user who types them gets the
    characters, never the marks.

    Sennrich, Haddow and Birch (2016); the byte fallback as in Kudo and Richardson (2018).
    """

    def __init__(self, tokenizer: Tokenizer) -> None:
        vocabulary = tokenizer.get_vocab()
        if vocabulary.get(START) is None or vocabulary.get(END) is None:
            raise FormatError(f"The tokenizer must hold the pieces {START} and {END}, and has not both.")
        self._tokenizer = tokenizer
        self.start, self.end = vocabulary[START], vocabulary[END]
        self.strings = [piece for piece, _ in sorted(vocabulary.items(), key=lambda item: item[1])]

    @classmethod
    def read(cls, path: Path) -> "Pieces":
        """Reads a tokenizer.json.

        Raises:
            FormatError: the file is no tokenizer.
        """
        try:
            return cls(Tokenizer.from_file(str(path)))
        except FormatError:
            raise
        except Exception as error:  # tokenizers raises plain Exception for whatever is wrong
            raise FormatError(f"{path} is not a tokenizer file: {error}") from error

    def encode(self, text: str) -> tuple[list[int], list[Span]]:
        """The pieces of a text and the characters that each stands for, spaces left off.

        The bytes of one character share its span; a piece of spaces alone keeps them.
        """
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        # Where letter and accent are two characters, the tokenizer gives the letter's offset only:
        # a piece reaches to where the next one starts.
        spans: list[Span] = []
        reach, following = len(text), len(text)
        for start, stop in reversed(encoding.offsets):
            if start != following:
                reach, following = following, start
            spans.append(_strip(text, start, max(stop, reach)))
        return encoding.ids, spans[::-1]

    def encode_batch(self, texts: list[str]) -> list[list[int]]:
        """The pieces of many texts, without offsets."""
        encodings = self._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
        return [encoding.ids for encoding in encodings]

    def encode_words(self, words: list[str]) -> tuple[list[int], list[int]]:
        """The pieces of words that are given apart, and for each piece the index of its word."""
        spans, at = [], 0
        for word in words:
            spans.append((at, at + len(word)))
            at += len(word) + 1
        ids, offsets = self.encode(" ".join(words))
        return ids, group(offsets, spans)

    def decode(self, ids: list[int]) -> tuple[str, list[Span]]:
        """The text that the pieces spell, and the characters that each of them spells.

        Bytes that form no valid UTF-8 become U+FFFD.
        """
        spelled = [self._bytes(piece) for piece in ids if piece not in (self.start, self.end)]
        raw = b"".join(spelled)
        lead = len(raw) - len(raw.lstrip(b" "))
        # The character that each byte of the text lies in: bytes of one character share it.
        owner: list[int] = []
        text = ""
        for character, width in _characters(raw):
            owner += [len(text)] * width
            text += character
        owner.append(len(text))
        spans, at = [], 0
        ends = iter(spelled)
        for piece in ids:
            if piece in (self.start, self.end):
                spans.append((owner[at], owner[at]))
                continue
            stop = at + len(next(ends))
            last = owner[stop - 1] + 1 if stop > at else owner[at]
            spans.append((owner[at], last))
            at = stop
        return text[lead:], [_strip(text[lead:], max(0, s - lead), max(0, e - lead)) for s, e in spans]

    def label(self, piece: int) -> str:
        """A piece as a person reads it: without its leading space, a byte as ⟨E2⟩."""
        string = self.strings[piece].removeprefix("##")
        byte = _BYTE.fullmatch(string)
        if byte:
            return f"⟨{byte[1]}⟩"
        return string.replace("▁", " ").strip() or "␣"

    def is_byte(self, piece: int) -> bool:
        """Whether the piece is a single byte of a character that the vocabulary lacks."""
        return _BYTE.fullmatch(self.strings[piece]) is not None

    def is_unknown(self, piece: int) -> bool:
        """Whether the piece is a byte, or what word pieces have for all they do not know."""
        return self.is_byte(piece) or self.strings[piece] == UNKNOWN

    def strangeness(self, text: str, ids: list[int], offsets: list[Span], words: list[Span]) -> float:
        """The share of a text's words that are cut in pieces or hold unknown ones, from 0 to 1.

        About 0.1 for the kind of text that the pieces were learned from, 0.5 and more for another
        language. Words of letters alone count. Of fewer than four little can be said: 1 where one holds
        an unknown piece, or they are cut in four pieces each or more; else 0.
        """
        owners = group(offsets, words)
        counted = [at for at, (start, stop) in enumerate(words) if text[start:stop].isalpha()]
        pieces_of = dict.fromkeys(counted, 0)
        odd, unknown = set(), False
        for piece, owner in zip(ids, owners, strict=True):
            if owner in pieces_of:
                pieces_of[owner] += 1
                unknown = unknown or self.is_unknown(piece)
                if pieces_of[owner] > 1 or self.is_unknown(piece):
                    odd.add(owner)
        if len(counted) < 4:
            return float(unknown or sum(pieces_of.values()) >= 4 * max(1, len(counted)))
        return len(odd) / len(counted)

    def _bytes(self, piece: int) -> bytes:
        byte = _BYTE.fullmatch(self.strings[piece])
        return bytes([int(byte[1], 16)]) if byte else self.strings[piece].replace("▁", " ").encode()


_BYTE = re.compile(r"<0x([0-9A-F]{2})>")


def _characters(raw: bytes) -> list[tuple[str, int]]:
    """The characters of UTF-8 bytes with their widths in bytes; U+FFFD for what is none."""
    found, at = [], 0
    while at < len(raw):
        for width in (1, 2, 3, 4):
            try:
                found.append((raw[at : at + width].decode(), width))
                at += width
                break
            except UnicodeDecodeError:
                continue
        else:
            found.append(("\ufffd", 1))
            at += 1
    return found


def _strip(text: str, start: int, end: int) -> Span:
    """The span without the white space at its ends; as it was if it is all white."""
    inside = text[start:end]
    if not inside.strip():
        return start, end
    return start + len(inside) - len(inside.lstrip()), end - len(inside) + len(inside.rstrip())
