"""attnviz: see where an encoder-decoder model looks, step by step.

>>> import attnviz
>>> translator = attnviz.load("translate-fr-en")
>>> trace = translator("Un chien court dans l'herbe.")
>>> trace.text, trace.weights.shape
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnviz.errors import AttnvizError

if TYPE_CHECKING:
    from attnviz.pretrained import catalogue, load
    from attnviz.trace import Step, Trace, read
    from attnviz.weight_matrix import WeightMatrix, matrix

__all__ = ["AttnvizError", "Step", "Trace", "WeightMatrix", "catalogue", "load", "matrix", "read"]
__version__ = "0.1.0"

_HOMES = {
    "Step": "trace",
    "Trace": "trace",
    "WeightMatrix": "weight_matrix",
    "catalogue": "pretrained",
    "load": "pretrained",
    "matrix": "weight_matrix",
    "read": "trace",
}


def __getattr__(name: str) -> Any:
    """Imports what is asked for only then, so that `import attnviz` takes no time."""
    if name not in _HOMES:
        raise AttributeError(f"module 'attnviz' has no attribute {name!r}")
    return getattr(import_module(f"attnviz.{_HOMES[name]}"), name)
