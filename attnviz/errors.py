"""Every error that attnviz raises on purpose.

AttnvizError
├── InputError             the user's text, target or option cannot be used
├── ShapeError             two tensors that belong together disagree in size
├── NoAttentionError       weights were asked of a model that has none
├── FormatError            a file is not what its name or its place promises
├── ModelNotFoundError     no pretrained model of that name; lists where it looked
└── MissingExtraError      a part of attnviz needs a package that is not installed

Each message is one sentence for a person: what was expected, what came, what to do.
"""


class AttnvizError(Exception):
    """The root: `except AttnvizError` catches whatever attnviz has to say to a user."""


class InputError(AttnvizError, ValueError):
    """The user's text, target or option cannot be used."""


class ShapeError(AttnvizError, ValueError):
    """Two tensors that belong together disagree in size; the message gives both."""


class NoAttentionError(AttnvizError):
    """Weights were asked of a model that has no attention."""


class FormatError(AttnvizError, ValueError):
    """A file is damaged, foreign, or of a newer format."""


class ModelNotFoundError(AttnvizError, LookupError):
    """No pretrained model of that name; the message lists every place that was searched."""


class MissingExtraError(AttnvizError, ImportError):
    """A part of attnviz needs a package that is not installed; the message names the command."""
