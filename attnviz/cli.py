"""The command `attnviz`. Each subcommand imports what it needs, so that --help is instant."""

import argparse
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attnviz.alignments import SYMMETRISATIONS
from attnviz.errors import AttnvizError, InputError

BAD_INPUT = 2


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code: 0, or 2 for input that cannot be used."""
    options = _parser().parse_args(arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        return int(options.run(options))
    except AttnvizError as error:
        print(f"attnviz: {' '.join(str(error).split())}", file=sys.stderr)
        return BAD_INPUT
    except BrokenPipeError:  # the reader of our output has gone, as in `attnviz ... | head`
        sys.stderr.close()
        return 0
    except OSError as error:
        print(f"attnviz: the output cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="attnviz", description="See where an encoder-decoder model looks, step by step."
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    translate = commands.add_parser("translate", help="translate a text, or standard input line by line")
    translate.add_argument("text", metavar="TEXT|-", help="the text; - reads lines from standard input")
    translate.add_argument("--model", default="translate-fr-en", help="name or folder (%(default)s)")
    translate.add_argument("--json", action="store_true", help="print what each word looked at, as JSON")
    translate.add_argument(
        "--save", metavar="FILE", type=Path, help="save the trace; JSON if the name ends in .json"
    )
    translate.add_argument("--target", metavar="TEXT", help="force this translation")
    _add_search(translate)
    translate.set_defaults(run=_translate)

    caption = commands.add_parser("caption", help="write captions for photos, one line each")
    caption.add_argument("photos", metavar="PHOTO", type=Path, nargs="+")
    caption.add_argument("--model", default="caption-flickr8k", help="name or folder (%(default)s)")
    caption.add_argument("--json", action="store_true", help="print what each word looked at, as JSON")
    caption.add_argument(
        "--save", action="store_true", help="save each trace beside its photo, as PHOTO.trace.safetensors"
    )
    caption.add_argument("--overlay", metavar="FILE", type=Path, help="write a PNG with a map for each word")
    caption.add_argument("--target", metavar="TEXT", help="force this caption")
    _add_search(caption)
    caption.set_defaults(run=_caption)

    entail = commands.add_parser(
        "entail", help="say whether a premise entails a hypothesis, contradicts it or neither"
    )
    entail.add_argument("premise", metavar="PREMISE")
    entail.add_argument("hypothesis", metavar="HYPOTHESIS")
    entail.add_argument("--model", default="entailment", help="name or folder (%(default)s)")
    entail.add_argument("--json", action="store_true", help="print what each word looked at, as JSON")
    entail.add_argument(
        "--save", metavar="FILE", type=Path, help="save the trace; JSON if the name ends in .json"
    )
    entail.set_defaults(run=_entail)

    summarize = commands.add_parser("summarize", help="write a headline for a text")
    summarize.add_argument("file", metavar="FILE|-", help="a text in UTF-8; - reads standard input")
    summarize.add_argument("--model", default="headline-news", help="name or folder (%(default)s)")
    summarize.add_argument("--json", action="store_true", help="print what each word looked at, as JSON")
    summarize.add_argument(
        "--save", metavar="FILE", type=Path, help="save the trace; JSON if the name ends in .json"
    )
    summarize.add_argument("--target", metavar="TEXT", help="force this headline")
    summarize.add_argument(
        "--no-repeat", action="store_true", help="in a beam: never the same three pieces in a row twice"
    )
    _add_search(summarize)
    summarize.set_defaults(run=_summarize)

    evaluate = commands.add_parser("evaluate", help="measure a model on a data set")
    evaluate.add_argument("model", metavar="MODEL", help="name or folder of a model")
    evaluate.add_argument(
        "data",
        metavar="DATA",
        type=Path,
        help="a .tsv or .tsv.gz of source TAB reference, or of premise TAB hypothesis TAB label; for "
        "captions a folder laid out like Flickr8k",
    )
    evaluate.add_argument("--limit", metavar="N", type=_count, help="only the first N pairs or photos")
    evaluate.add_argument("--split", choices=("train", "dev", "test"), default="test", help="(%(default)s)")
    _add_search(evaluate)
    evaluate.set_defaults(run=_evaluate)

    align = commands.add_parser(
        "align",
        help="align the words of parallel sentences; prints Pharaoh pairs",
        description="Aligns the words of parallel sentences by attention and prints i-j pairs, a line each: "
        "SOURCE word i goes with TARGET word j. Words are what stands between spaces.",
    )
    align.add_argument("source", metavar="SOURCE", type=Path, help="a sentence a line, words apart by spaces")
    align.add_argument("target", metavar="TARGET", type=Path, help="their translations, line by line")
    align.add_argument("--pair", metavar="XX-YY", help="their languages, for the two aligners (fr-en)")
    align.add_argument(
        "--model", metavar="NAME", help="one model, one direction, in the place of the two aligners"
    )
    align.add_argument("--method", choices=SYMMETRISATIONS, help="of both directions (intersection)")
    align.add_argument(
        "--lens",
        choices=("previous", "current", "next"),
        help="with --model: the step whose weights count (what the model is best at)",
    )
    align.add_argument(
        "--base", type=int, choices=(0, 1), default=0, help="the first word's number (%(default)s)"
    )
    align.set_defaults(run=_align)

    aer = commands.add_parser(
        "aer",
        help="the alignment error rate, precision and recall, from 0 to 1",
        description="Scores any aligner's pairs against gold links: AER, precision and recall from 0 to 1 "
        "(Och and Ney 2003). A p in HYPOTHESIS is read as any other link.",
    )
    aer.add_argument(
        "gold", metavar="GOLD", type=Path, help="i-j sure and ipj possible links, a line a sentence"
    )
    aer.add_argument("hypothesis", metavar="HYPOTHESIS", type=Path, help="Pharaoh pairs, a line a sentence")
    aer.add_argument(
        "--gold-base", type=int, choices=(0, 1), default=1, help="first word in GOLD (%(default)s)"
    )
    aer.add_argument("--base", type=int, choices=(0, 1), default=0, help="in HYPOTHESIS (%(default)s)")
    aer.add_argument("--source", metavar="FILE", type=Path, help="the sentences, to check the links against")
    aer.add_argument("--target", metavar="FILE", type=Path, help="their translations, for the same")
    aer.set_defaults(run=_aer)

    listing = commands.add_parser("list", help="list the models that can be loaded")
    listing.set_defaults(run=_list)

    train = commands.add_parser("train", help="train a model from its recipe")
    train.add_argument("recipe", metavar="RECIPE", help="a recipe's name, or the path of a .toml")
    train.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder (%(default)s)")
    train.add_argument("--runs", type=Path, default=Path("runs"), help="for checkpoints (%(default)s)")
    train.add_argument("--out", type=Path, default=Path("pretrained"), help="for the model (%(default)s)")
    train.set_defaults(run=_train)
    return parser


def _add_search(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--search", choices=("greedy", "beam", "sample"), default="beam")
    parser.add_argument("--beam-size", type=_count, default=5, metavar="K", help="(%(default)s)")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, got {text!r}")
    return int(text)


def _translate(options: argparse.Namespace) -> int:
    from attnviz.pretrained import load

    settings = {"search": options.search, "beam_size": options.beam_size, "target": options.target}
    if options.text == "-":
        if options.save is not None or options.target is not None:
            raise InputError("Expected one TEXT with --save or --target, got -; give the text itself.")
        return _translate_lines(load(options.model), settings, options.json)
    translator = load(options.model)
    trace = translator(options.text, **settings)
    if options.save is not None:
        trace.save(options.save)
    _print(trace, options.json)
    return 0


def _caption(options: argparse.Namespace) -> int:
    from attnviz.export import Overlay
    from attnviz.images import read
    from attnviz.pretrained import load
    from attnviz.storage import write

    if options.overlay is not None and len(options.photos) > 1:
        raise InputError(f"Expected one PHOTO with --overlay, got {len(options.photos)}; give one at a time.")
    captioner = load(options.model)
    code = 0
    for path in options.photos:
        try:
            photo = read(path)
            trace = captioner(
                photo, search=options.search, beam_size=options.beam_size, target=options.target
            )
        except InputError as error:
            print(flush=True)
            print(f"attnviz: {path}: {error}", file=sys.stderr)
            code = BAD_INPUT
            continue
        if options.save:
            trace.save(path.with_name(f"{path.name}.trace.safetensors"))
        if options.overlay is not None:
            write(options.overlay, Overlay(photo, trace).sheet_png())
        _print(trace, options.json, f"{path}: ")
    return code


def _entail(options: argparse.Namespace) -> int:
    from attnviz.pretrained import load

    trace = load(options.model)(options.premise, options.hypothesis)
    if options.save is not None:
        trace.save(options.save)
    for note in trace.notes:
        print(f"attnviz: {note}", file=sys.stderr)
    if options.json:
        print(json.dumps(_summary(trace), ensure_ascii=False))
    else:
        verdict = sorted(trace.verdict.items(), key=lambda item: -item[1])
        print("  ".join(f"{label} {chance:.3f}" for label, chance in verdict))
    return 0


def _summarize(options: argparse.Namespace) -> int:
    from attnviz.pretrained import load

    text = "\n".join(_lines()) if options.file == "-" else _file(Path(options.file))
    trace = load(options.model)(
        text,
        search=options.search,
        beam_size=options.beam_size,
        no_repeat=options.no_repeat,
        target=options.target,
    )
    if options.save is not None:
        trace.save(options.save)
    _print(trace, options.json)
    return 0


def _file(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be read: {reason}.") from error


def _translate_lines(translator: Any, settings: dict[str, Any], as_json: bool) -> int:
    """One line in, one line out: a line that has nothing to translate gives an empty one."""
    code = 0
    for number, line in enumerate(_lines(), 1):
        if not line.strip():
            print(flush=True)
            continue
        try:
            _print(translator(line, **settings), as_json, f"line {number}: ")
        except InputError as error:
            print(flush=True)
            print(f"attnviz: line {number}: {error}", file=sys.stderr)
            code = BAD_INPUT
    return code


def _lines() -> Iterator[str]:
    """Standard input line by line, split at line feeds only; broken UTF-8 becomes U+FFFD."""
    if sys.stdin is None:
        raise InputError("Expected lines on standard input, but it is closed.")
    for raw in sys.stdin.buffer:
        yield raw.decode("utf-8", errors="replace").rstrip("\r\n")


def _print(trace: Any, as_json: bool, where: str = "") -> None:
    for note in trace.notes:
        print(f"attnviz: {where}{note}", file=sys.stderr)
    # A line break in the output would break "one line in, one line out".
    print(
        json.dumps(_summary(trace), ensure_ascii=False) if as_json else " ".join(trace.text.split()),
        flush=True,
    )


def _summary(trace: Any) -> dict[str, Any]:
    from attnviz.measures import confidence

    judged = {
        "verdict": trace.verdict,
        "labels": list(trace.labels),
        "verdicts": trace.verdicts.tolist(),
    }
    return {
        **(judged if trace.labels else {}),
        "model": trace.model,
        "source": trace.source,
        "target": trace.target,
        "text": trace.text,
        "logprob": trace.logprob,
        "confidence": confidence(trace),
        "logprobs": trace.logprobs.tolist(),
        "weights": trace.weights.tolist(),
        "notes": list(trace.notes),
        "unread": [list(span) for span in trace.unread],
        "settings": trace.settings,
    }


def _evaluate(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from attnviz.evaluation import evaluate
    from attnviz.pretrained import load

    model = load(options.model)
    with tqdm(unit="", file=sys.stderr) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = evaluate(
            model,
            options.data,
            options.limit,
            progress,
            options.split,
            search=options.search,
            beam_size=options.beam_size,
        )
    print(json.dumps(found))
    return 0


def _align(options: argparse.Namespace) -> int:
    from attnviz.alignments import pharaoh, read_lines
    from attnviz.pretrained import load
    from attnviz.tasks import Aligner, Translator, align

    sources, targets = (
        [line.split() for line in read_lines(path)] for path in (options.source, options.target)
    )
    if len(sources) != len(targets):
        raise InputError(
            f"Expected as many lines in both files, got {len(sources)} in {options.source} "
            f"and {len(targets)} in {options.target}."
        )
    places = [index for index, pair in enumerate(zip(sources, targets, strict=True)) if all(pair)]
    pairs = [(sources[index], targets[index]) for index in places]
    if options.model is not None:
        if options.pair is not None or options.method is not None:
            raise InputError("Expected --pair and --method without --model: one model has one direction.")
        model = load(options.model)
        aligner = Aligner.of(model) if isinstance(model, Translator) else model
        if not isinstance(aligner, Aligner):
            raise InputError(f"Expected an aligner or a translator, got {options.model}.")
        found = aligner.links(pairs, options.lens)
    else:
        if options.lens is not None:
            raise InputError("Expected --model with --lens: the aligners know which step to look with.")
        languages = (options.pair or "fr-en").split("-")
        if len(languages) != 2:
            raise InputError(f"Expected --pair as two languages such as fr-en, got {options.pair!r}.")
        there, back = (load(f"align-{one}-{other}") for one, other in (languages, languages[::-1]))
        found = align(pairs, there, back, options.method or "intersection")
    links = dict(zip(places, found, strict=True))
    for index in range(len(sources)):
        print(pharaoh(links.get(index, frozenset()), options.base))
    return 0


def _aer(options: argparse.Namespace) -> int:
    from attnviz.alignments import read_gold, read_lines, read_links, score

    if (options.source is None) != (options.target is None):
        raise InputError("Expected both --source and --target, got one of them.")
    lengths = None
    if options.source is not None:
        sides = [
            [len(line.split()) for line in read_lines(path)] for path in (options.source, options.target)
        ]
        if len(sides[0]) != len(sides[1]):
            raise InputError(
                f"Expected as many lines in both texts, got {len(sides[0])} and {len(sides[1])}."
            )
        lengths = list(zip(*sides, strict=True))
    gold = read_gold(options.gold, options.gold_base, lengths)
    links = read_links(options.hypothesis, options.base, lengths)
    if not gold:
        raise InputError(f"Expected sentences in {options.gold}, got none.")
    if len(gold) != len(links):
        raise InputError(
            f"Expected as many lines in both files, got {len(gold)} in {options.gold} and {len(links)} in "
            f"{options.hypothesis}."
        )
    found = score(gold, links)
    if options.base == 0 and any(links) and all(min(link) > 0 for row in links for link in row):
        print(
            f"attnviz: no link in {options.hypothesis} is of a word 0; if it counts from 1, give --base 1.",
            file=sys.stderr,
        )
    print(f"AER {found.aer:.4f}  precision {found.precision:.4f}  recall {found.recall:.4f}  n {found.n}")
    return 0


def _list(_: argparse.Namespace) -> int:
    from attnviz.pretrained import catalogue, places, read_config

    models = catalogue()
    for name, folder in models.items():
        config = read_config(folder)
        languages = "-".join(config[side] for side in ("source", "target") if side in config)
        print(f"{name}\t{config['task']} {languages}\t{folder}")
    if not models:
        print("attnviz: no models; looked in " + ", ".join(map(str, places())), file=sys.stderr)
    return 0


def _train(options: argparse.Namespace) -> int:
    from attnviz.training.alignment import Alignment
    from attnviz.training.captioning import Captioning, SelfCritical
    from attnviz.training.entailment import Entailing
    from attnviz.training.loop import train
    from attnviz.training.recipe import (
        AlignmentRecipe,
        CaptioningRecipe,
        EntailmentRecipe,
        SummarizationRecipe,
        read_recipe,
    )
    from attnviz.training.summarization import Summarization
    from attnviz.training.translation import Translation

    recipe = read_recipe(options.recipe)
    folder = options.runs / recipe.name

    def report(line: str) -> None:
        print(line, flush=True)

    if isinstance(recipe, CaptioningRecipe):
        job = Captioning(recipe, options.data, folder, report)
        out = options.out / recipe.name
        learned = train(job, recipe.optimisation, folder / "checkpoint.pt", out, report)
        if recipe.refinement is not None:
            second = SelfCritical(job, learned, recipe.refinement)
            train(second, recipe.refinement, folder / "refined.pt", out, report)
        return 0
    if isinstance(recipe, SummarizationRecipe | EntailmentRecipe):
        plan, checkpoint, out = recipe.optimisation, folder / "checkpoint.pt", options.out / recipe.name
        if isinstance(recipe, SummarizationRecipe):
            train(Summarization(recipe, options.data, folder), plan, checkpoint, out, report)
        else:
            train(Entailing(recipe, options.data, folder), plan, checkpoint, out, report)
        return 0
    for variant in recipe.variants():
        report(f"training {variant.name}")
        checkpoint, out = folder / f"{variant.name}.pt", options.out / variant.name
        if isinstance(variant, AlignmentRecipe):
            train(Alignment(variant, options.data, folder), variant.optimisation, checkpoint, out, report)
        else:
            train(Translation(variant, options.data, folder), variant.optimisation, checkpoint, out, report)
    return 0


def run() -> None:
    """The entry point of the installed command."""
    sys.exit(main())


if __name__ == "__main__":
    run()
