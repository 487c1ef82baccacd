"""Alignments to learn from: those of eflomal, a statistical aligner.

Östling and Tiedemann (2016), "Efficient word alignment with Markov Chain Monte Carlo".
"""

from pathlib import Path

from attnviz.alignments import Links, read_links, symmetrise
from attnviz.errors import MissingExtraError

Tokens = list[str]


def teach(sources: list[Tokens], targets: list[Tokens], folder: Path) -> list[Links]:
    """The symmetrised links of parallel sentences; made once and kept in `folder`.

    Raises:
        MissingExtraError: eflomal is not installed.
    """
    forward, backward = folder / "forward.links", folder / "backward.links"
    if not (forward.exists() and backward.exists()):
        try:
            import eflomal
        except ImportError as error:
            raise MissingExtraError(
                'Training an aligner needs eflomal; install it with: pip install "attnviz[teacher]".'
            ) from error
        eflomal.Aligner().align(
            *([" ".join(row) for row in side] for side in (sources, targets)),
            links_filename_fwd=str(forward),
            links_filename_rev=str(backward),
        )
    return [
        symmetrise(there, back, "grow-diag-final")
        for there, back in zip(read_links(forward), read_links(backward), strict=True)
    ]
