"""Tasks: a user's input -> Trace."""

from attnviz.tasks.alignment import Aligner, align
from attnviz.tasks.captioning import Captioner
from attnviz.tasks.decoding import Options
from attnviz.tasks.entailment import Entailment
from attnviz.tasks.summarization import Summarizer
from attnviz.tasks.translation import Translator

__all__ = ["Aligner", "Captioner", "Entailment", "Options", "Summarizer", "Translator", "align"]
