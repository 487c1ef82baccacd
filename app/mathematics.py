"""Formulas as MathML, whose symbols name what they stand for: `data-symbol` ties them to numbers.

MathML Core is set by all browsers of today; nothing is loaded for it.
"""


def symbol(name: str, shown: str) -> str:
    """A part of a formula that stands for the numbers called `name` on the page."""
    return f'<mrow class="symbol" data-symbol="{name}" tabindex="0">{shown}</mrow>'


def vector(letter: str, index: str = "") -> str:
    """A bold letter with an index, such as h_i."""
    bold = f'<mi class="vector">{letter}</mi>'
    return f"<msub>{bold}<mrow>{index}</mrow></msub>" if index else bold


def formula(*parts: str) -> str:
    """One line of mathematics."""
    return f'<math displaystyle="true">{"".join(parts)}</math>'


I = "<mi>i</mi>"  # noqa: E741 - the letter of the field
T = "<mi>t</mi>"
BEFORE = "<mi>t</mi><mo>−</mo><mn>1</mn>"

H = symbol("annotation", vector("h", I))
Z = symbol("query", vector("z", BEFORE))
U = symbol("energy", f"<msub><mi>u</mi>{I}</msub>")
ALPHA = symbol("weight", f"<msub><mi>α</mi>{I}</msub>")
C = symbol("context", vector("c", T))
_V = symbol("vector", "<msup><mi class='vector'>v</mi><mi>⊤</mi></msup>")
_KEY = symbol("key", f"<msub><mi>W</mi><mn>1</mn></msub>{vector('h', I)}")
_PROJECTED = symbol(
    "projected", f"<msub><mi>W</mi><mn>2</mn></msub>{vector('z', BEFORE)}<mo>+</mo><mi class='vector'>b</mi>"
)
_IS = "<mo>=</mo>"

ENERGY = {
    "additive": formula(U, _IS, _V, "<mi>tanh</mi><mo>(</mo>", _KEY, "<mo>+</mo>", _PROJECTED, "<mo>)</mo>"),
    "bilinear": formula(
        U, _IS, symbol("key", f"<msubsup><mi class='vector'>h</mi>{I}<mi>⊤</mi></msubsup><mi>W</mi>"), Z
    ),
    "dot": formula(U, _IS, symbol("key", f"<msubsup><mi class='vector'>h</mi>{I}<mi>⊤</mi></msubsup>"), Z),
    "cosine": formula(
        U,
        _IS,
        "<mfrac><mrow>",
        symbol("key", f"<msub><mover><mi class='vector'>h</mi><mo>^</mo></mover>{I}</msub>"),
        "<mo>·</mo>",
        symbol(
            "projected",
            f"<msub><mover><mi class='vector'>z</mi><mo>^</mo></mover><mrow>{BEFORE}</mrow></msub>",
        ),
        "</mrow>",
        symbol("learned", "<mi>τ</mi>"),
        "</mfrac>",
    ),
    "none": formula(C, _IS, vector("c"), "<mspace width='.6em'/><mtext>at every step</mtext>"),
}

_SUM = "<munder><mo>∑</mo><mi>i</mi></munder>"
_TEMPERATURE = symbol("temperature", "<mi>θ</mi>")
SOFTMAX = formula(
    ALPHA,
    _IS,
    "<mfrac><mrow><mi>exp</mi><mo>(</mo>",
    U,
    "<mo>/</mo>",
    _TEMPERATURE,
    "<mo>)</mo></mrow><mrow><munder><mo>∑</mo><mi>j</mi></munder><mi>exp</mi><mo>(</mo>",
    symbol("energy", "<msub><mi>u</mi><mi>j</mi></msub>"),
    "<mo>/</mo>",
    _TEMPERATURE,
    "<mo>)</mo></mrow></mfrac>",
)
CONTEXT = formula(C, _IS, _SUM, ALPHA, H)
STATE = formula(
    symbol("state", vector("z", T)),
    _IS,
    "<mi>GRU</mi><mo>(</mo>",
    Z,
    "<mo>,</mo><mo>[</mo>",
    symbol("read", vector("y", BEFORE)),
    "<mo>;</mo>",
    C,
    "<mo>]</mo><mo>)</mo>",
)
WORD = formula(
    symbol("word", "<mi>p</mi><mo>(</mo><msub><mi>y</mi><mi>t</mi></msub><mo>)</mo>"),
    _IS,
    "<mi>softmax</mi><mo>(</mo><mi>E</mi><mi>tanh</mi><mo>(</mo><msub><mi>W</mi><mi>r</mi></msub><mo>[</mo>",
    symbol("state", vector("z", T)),
    "<mo>;</mo>",
    C,
    "<mo>;</mo>",
    symbol("read", vector("y", BEFORE)),
    "<mo>]</mo><mo>)</mo><mo>+</mo><mi class='vector'>d</mi><mo>)</mo>",
)


def norm(inner: str) -> str:
    """The length of a vector."""
    return f"<mo>‖</mo>{inner}<mo>‖</mo>"
