"""From a user's text to pieces and back: offsets, sentences, words, and nothing lost on the way."""

import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnviz.errors import FormatError
from attnviz.tasks import Translator
from attnviz.text import (
    Pieces,
    Span,
    clean,
    first_words,
    group,
    lower,
    notes,
    quiet,
    sentences,
    whole_pieces,
    words,
)

LANGUAGES = ("fr", "en")

NASTY = (
    "\x00 \x1b \x7f \x85 \ud800 \udfff e\u0301 s\u0323\u0307 \u0301 👩\u200d👩\u200d👧 🇫🇷 \u200b \ufeff "
    "שלום مرحبا \u202e \u2066 \u0600 \r\n \n \r \t \u2028 \u2029 \u00a0 \u202f \u3000 ▁ ’ ‘ “ ” « » … – "
    ". ... ! ?! M. J.-P. 3.5 aujourd’hui l' l’homme don't İ ß ﬁ 각 </s> <s> <0x0A> <script> &lt; A"
).split(" ")

# Whatever a person may paste: any character at all (surrogates too), and above all the nasty ones.
pasted = st.lists(
    st.sampled_from([*NASTY, " ", "  "]) | st.text(st.characters(), max_size=3), max_size=10
).map("".join)

wild = settings(deadline=None, max_examples=60, derandomize=True)


def visible(text: str, start: int = 0, stop: int | None = None) -> set[int]:
    """The indices of the characters that are not white space."""
    return {index for index in range(start, len(text) if stop is None else stop) if not text[index].isspace()}


def covered(spans: list[Span]) -> set[int]:
    return {index for start, stop in spans for index in range(start, stop)}


def shown(text: str, spans: list[Span]) -> list[str]:
    return [text[slice(*span)] for span in spans]


def assert_ordered_and_disjoint(spans: list[Span], length: int) -> None:
    edges = [edge for span in spans for edge in span]
    assert edges == sorted(edges)
    assert all(0 <= start < stop <= length for start, stop in spans)


# --- clean


@wild
@given(pasted)
@example("\ud83d\ude00")
def test_cleaning_changes_only_what_no_later_step_can_take(text: str) -> None:
    cleaned = clean(text)
    assert len(cleaned.text) == len(text)
    cleaned.text.encode()  # no surrogate is left
    broken = controls = 0
    for before, after in zip(text, cleaned.text, strict=True):
        if unicodedata.category(before) == "Cs":
            broken += 1
            assert after == "\ufffd"
        elif unicodedata.category(before) == "Cc" and before not in "\t\r\n":
            controls += 1
            assert after == " "
        else:
            assert after == before
    assert (cleaned.surrogates, cleaned.controls) == (broken, controls)
    assert len(cleaned.notes()) == bool(broken) + bool(controls)


def test_the_notes_of_cleaning_count() -> None:
    controls, surrogates = clean("a\x00\x1bb\ud800").notes()
    assert "(2)" in controls
    assert "(1)" in surrogates
    assert clean("l’été\r\n\tfin").notes() == []


# --- sentences


@wild
@given(pasted)
def test_sentences_lose_no_visible_character(text: str) -> None:
    text = clean(text).text
    for language in LANGUAGES:
        spans = sentences(text, language)
        assert_ordered_and_disjoint(spans, len(text))
        assert visible(text) <= covered(spans)
        for sentence in shown(text, spans):
            assert not set(sentence) & set("\n\r\u2028\u2029")


@wild
@given(st.text(st.sampled_from(" \t\n\r\u00a0\u2028\u3000.aé"), max_size=12))
@example("Bonjour.\n \nOui.")
def test_no_sentence_is_white_space_or_has_it_at_its_ends(text: str) -> None:
    for sentence in shown(text, sentences(text, "fr")):
        assert sentence
        assert sentence == sentence.strip()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t ", []),
        ("\r\n\r\n", []),
        ("Il dort", ["Il dort"]),
        ("Il dort. Elle lit.", ["Il dort.", "Elle lit."]),
        ("  Il dort.   Elle lit.  ", ["Il dort.", "Elle lit."]),
        ("Il dort\nElle lit", ["Il dort", "Elle lit"]),
        ("Il dort\r\nElle lit", ["Il dort", "Elle lit"]),
        ("Il dort\u2028Elle lit", ["Il dort", "Elle lit"]),
        ("Il dort.\n\n\nElle lit.", ["Il dort.", "Elle lit."]),
        ("Il dort.\n \t\nElle lit.", ["Il dort.", "Elle lit."]),
        ("M. Dupont dort. Elle lit.", ["M. Dupont dort.", "Elle lit."]),
        ("Mme. Durand et MM. Roux dorment.", ["Mme. Durand et MM. Roux dorment."]),
        ("J.-P. Martin dort. Il rêve.", ["J.-P. Martin dort.", "Il rêve."]),
        ("Le Dr. Blanc est là.", ["Le Dr. Blanc est là."]),
        ("Il pèse 3.5 kilos. Bien.", ["Il pèse 3.5 kilos.", "Bien."]),
        ("Quoi ?! Tu dors ?", ["Quoi ?!", "Tu dors ?"]),
        ("Non ! Si !", ["Non !", "Si !"]),
        ("« Il dort. » Elle lit.", ["« Il dort. »", "Elle lit."]),
        ("Elle dort chez M.", ["Elle dort chez M."]),
        ("Voici M.\nElle lit.", ["Voici M.", "Elle lit."]),
    ],
)
def test_french_sentences(text: str, expected: list[str]) -> None:
    assert shown(text, sentences(text, "fr")) == expected


# --- quiet


@wild
@given(pasted)
def test_quieting_keeps_every_offset(text: str) -> None:
    quieted = quiet(text)
    assert len(quieted) == len(text)
    assert all(after in (before, before.lower()) for before, after in zip(text, quieted, strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("UN HOMME DORT.", "Un homme dort."),
        ("« L'ÉTÉ EST LÀ ! »", "« L'été est là ! »"),
        ("12 HOMMES", "12 Hommes"),
        ("ABCİ", "Abcİ"),  # its small form is two characters
        ("NON", "NON"),  # three letters may be an abbreviation
        ("La SNCF et la RATP", "La SNCF et la RATP"),
        ("un homme", "un homme"),
        ("12 34", "12 34"),
        ("", ""),
    ],
)
def test_only_capitals_throughout_are_quieted(text: str, expected: str) -> None:
    assert quiet(text) == expected


# --- words and their pieces


@wild
@given(pasted)
def test_words_cover_every_visible_character_in_order(text: str) -> None:
    text = clean(text).text
    for language in LANGUAGES:
        spans = words(text, language)
        if not text.strip():
            assert spans == [(0, len(text))]
            continue
        assert_ordered_and_disjoint(spans, len(text))
        assert visible(text) <= covered(spans)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("fr", "L'homme d’été.", ["L'", "homme", "d’", "été", "."]),
        ("fr", "Aujourd'hui, aujourd’hui", ["Aujourd'hui", ",", "aujourd’hui"]),
        ("fr", "Est-il là ?", ["Est", "-", "il", "là", "?"]),
        ("fr", "cafe\u0301 noir", ["cafe\u0301", "noir"]),
        ("fr", "👩\u200d👩\u200d👧 🇫🇷!", ["👩\u200d👩\u200d👧", "🇫🇷", "!"]),
        ("en", "Don't, it’s John's", ["Don't", ",", "it’s", "John's"]),
        ("en", "the dogs' 3 bones", ["the", "dogs", "'", "3", "bones"]),
        ("en", "שלום  عالم", ["שלום", "عالم"]),
    ],
)
def test_words_of_a_language(language: str, text: str, expected: list[str]) -> None:
    assert shown(text, words(text, language)) == expected


@pytest.mark.parametrize(
    ("pieces", "of", "expected"),
    [
        ([(0, 2), (2, 4), (5, 8)], [(0, 4), (5, 8)], [0, 0, 1]),
        ([(0, 1), (0, 1), (1, 2)], [(0, 1), (1, 2)], [0, 0, 1]),  # two bytes of one character
        ([(0, 4), (4, 5), (5, 8)], [(0, 4), (5, 8)], [0, 1, 1]),  # a space of its own
        ([(0, 4), (4, 5)], [(0, 4)], [0, 0]),  # a space at the end
        ([(0, 3)], [(0, 1), (1, 3)], [1]),  # a piece over two words: where its last character is
        ([], [(0, 4)], []),
    ],
)
def test_a_piece_belongs_to_the_word_of_its_last_character(
    pieces: list[Span], of: list[Span], expected: list[int]
) -> None:
    assert group(pieces, of) == expected


@wild
@given(text=pasted)
def test_every_piece_has_one_word_and_words_follow_each_other(translator: Translator, text: str) -> None:
    text = clean(text).text
    _, offsets = translator.pieces.encode(text)
    spans = words(text, "fr")
    owners = group(offsets, spans)
    assert len(owners) == len(offsets)
    assert owners == sorted(owners)
    for (start, stop), owner in zip(offsets, owners, strict=True):
        assert 0 <= owner < len(spans)
        if text[start:stop].strip():
            assert spans[owner][0] < stop <= spans[owner][1]


def test_a_piece_count_cuts_no_word_unless_it_would_cost_half_of_all() -> None:
    owners = [0, 0, 1, 1, 1, 2]
    offsets = [(index, index + 1) for index in range(6)]
    assert [whole_pieces(offsets, owners, limit) for limit in (2, 3, 4, 5)] == [2, 2, 2, 5]
    endless = [0, *[1] * 9]
    assert whole_pieces([(index, index + 1) for index in range(10)], endless, 8) == 8


def test_a_word_too_long_is_cut_between_characters() -> None:
    offsets = [(0, 1), (1, 2), (1, 2), (1, 2), (2, 3)]  # the middle character is three bytes
    assert [whole_pieces(offsets, [0] * 5, limit) for limit in (1, 2, 3, 4)] == [1, 1, 1, 4]


@wild
@given(st.lists(st.integers(1, 6), min_size=2, max_size=8), st.data())
def test_as_many_whole_words_are_kept_as_fit(sizes: list[int], data: st.DataObject) -> None:
    limit = data.draw(st.integers(1, sum(sizes) - 1))
    owners = [word for word, size in enumerate(sizes) for _ in range(size)]
    offsets = [(index, index + 1) for index in range(len(owners))]
    ends = [sum(sizes[:count]) for count in range(1, len(sizes) + 1)]
    fitting = [end for end in ends if end <= limit]
    whole = fitting[-1] if fitting else 0
    assert whole_pieces(offsets, owners, limit) == (whole if whole >= limit / 2 else limit)


# --- pieces, with the tokenizer that is shipped


@wild
@given(text=pasted)
def test_offsets_of_pieces_are_in_range_and_in_order(translator: Translator, text: str) -> None:
    text = clean(text).text
    ids, offsets = translator.pieces.encode(text)
    assert len(ids) == len(offsets)
    assert all(0 <= start < stop <= len(text) for start, stop in offsets)
    for (start, stop), (next_start, next_stop) in pairwise(offsets):
        assert start <= next_start
        assert stop <= next_stop
    for start, stop in offsets:
        inside = text[start:stop]
        assert inside == inside.strip() or not inside.strip()


@wild
@given(text=pasted)
@example("un e\u0301")
@example("cafe\u0301")
def test_pieces_cover_every_visible_character(translator: Translator, text: str) -> None:
    """Combining marks too: who pastes them from a PDF sees his own letters again."""
    text = clean(text).text
    _, offsets = translator.pieces.encode(text)
    assert visible(text) <= covered(offsets)


@wild
@given(text=pasted)
def test_no_text_gives_a_mark_or_more_bytes_than_it_has(translator: Translator, text: str) -> None:
    pieces = translator.pieces
    ids, _ = pieces.encode(clean(text).text)
    assert not {pieces.start, pieces.end} & set(ids)
    assert not any("<unk>" in pieces.strings[piece] for piece in ids)


def test_bytes_of_one_character_share_its_span(translator: Translator) -> None:
    text = "a \U0001f986 b"
    ids, offsets = translator.pieces.encode(text)
    found = [offset for piece, offset in zip(ids, offsets, strict=True) if translator.pieces.is_byte(piece)]
    assert found == [(2, 3)] * 4
    labels = [translator.pieces.label(piece) for piece in ids if translator.pieces.is_byte(piece)]
    assert labels == ["⟨F0⟩", "⟨9F⟩", "⟨A6⟩", "⟨86⟩"]


@pytest.mark.parametrize(
    "text",
    [
        "Un homme mange une pomme rouge.",
        "L'été est là, n'est-ce pas ?",
        "J'ai 3.5 euros et 12 pommes !",
        "Où est le cœur de Xyzzyplugh ?",
        "</s>",
        "<s>",
        "<0x0A>",
        "a</s>b <s> <0x0A> <0xFF>",
        "<script>alert(1)</script> &lt;",
        "\U0001f986 שלום مرحبا 漢字",
        "👩\u200d👩\u200d👧 🇫🇷",
        "",
    ],
)
def test_what_is_encoded_is_decoded_again(translator: Translator, text: str) -> None:
    ids, offsets = translator.pieces.encode(text)
    decoded, spans = translator.pieces.decode(ids)
    assert decoded == text
    lone = [index for index, piece in enumerate(ids) if translator.pieces.strings[piece] == "▁"]
    for index, (offset, span) in enumerate(zip(offsets, spans, strict=True)):
        assert offset == span or index in lone
    assert translator.pieces.encode_batch([text, text]) == [ids, ids]


@wild
@given(data=st.data())
def test_decoded_spans_tile_whatever_the_model_writes(translator: Translator, data: st.DataObject) -> None:
    pieces = translator.pieces
    spelled = [piece for piece in range(len(pieces.strings)) if pieces.is_byte(piece)]
    assert len(spelled) == 256
    anything = st.integers(0, len(pieces.strings) - 1)
    ids = data.draw(
        st.lists(
            st.sampled_from(spelled) | anything | st.sampled_from([pieces.start, pieces.end]), max_size=12
        )
    )
    text, spans = pieces.decode(ids)
    assert len(spans) == len(ids)
    assert all(0 <= start <= stop <= len(text) for start, stop in spans)
    assert visible(text) <= covered(spans)
    starts = [start for start, _ in spans]
    assert starts == sorted(starts)
    assert "▁" not in text
    assert not any(
        start < stop
        for piece, (start, stop) in zip(ids, spans, strict=True)
        if piece in (pieces.start, pieces.end)
    )


@pytest.mark.parametrize(
    ("raw", "text", "spans"),
    [
        ("E2 82 AC", "€", [(0, 1)] * 3),
        ("C3 A9 21", "é!", [(0, 1), (0, 1), (1, 2)]),
        ("FF", "\ufffd", [(0, 1)]),
        ("E2 82", "\ufffd\ufffd", [(0, 1), (1, 2)]),
        ("C3 C3 A9", "\ufffdé", [(0, 1), (1, 2), (1, 2)]),
        ("ED A0 80", "\ufffd" * 3, [(0, 1), (1, 2), (2, 3)]),  # a surrogate is no character
        ("C0 80", "\ufffd" * 2, [(0, 1), (1, 2)]),  # an overlong zero neither
    ],
)
def test_bytes_that_a_model_writes(translator: Translator, raw: str, text: str, spans: list[Span]) -> None:
    ids = [translator.pieces.strings.index(f"<0x{byte}>") for byte in raw.split()]
    assert translator.pieces.decode(ids) == (text, spans)


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path: Path) -> None:
    for raw in (b"", b"{}", b"\xff\xfe", b'{"version": "1.0"}'):
        path = tmp_path / "tokenizer.json"
        path.write_bytes(raw)
        with pytest.raises(FormatError, match="tokenizer"):
            Pieces.read(path)
    with pytest.raises(FormatError, match="nowhere"):
        Pieces.read(tmp_path / "nowhere")


@given(st.text())
def test_small_letters_keep_every_character_in_its_place(text: str) -> None:
    small = lower(text)
    assert len(small) == len(text)
    assert all(a in (b, b.lower()) for a, b in zip(small, text, strict=True))


def test_first_words_end_after_a_word_and_signs_are_none() -> None:
    text = "One, two - three... four!"
    assert [text[: first_words(text, "en", count)] for count in (1, 2, 3, 4, 9)] == [
        "One,",
        "One, two -",
        "One, two - three...",
        text,
        text,
    ]


@given(st.text(), st.integers(1, 5))
def test_first_words_are_never_more_than_asked_for(text: str, count: int) -> None:
    head = text[: first_words(text, "en", count)]
    counted = [word for word in words(head, "en") if any(map(str.isalnum, head[slice(*word)]))]
    assert len(counted) <= count


@pytest.mark.parametrize("text", ["a <b>dog</b>", "Tom &amp; Ann", "it&#39;s", '<a href="x">'])
def test_html_is_noted(text: str) -> None:
    assert notes(text)


@pytest.mark.parametrize("text", ["1 < 2 > 0", "a <- b", "AT&T; fine", "R&D", "<3"])
def test_signs_alone_are_no_html(text: str) -> None:
    assert not notes(text)
