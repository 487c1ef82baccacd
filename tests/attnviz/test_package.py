"""The house itself: public names, what importing costs, and who may import whom."""

import ast
import subprocess
import sys
from pathlib import Path

import attnviz

PACKAGE = Path(attnviz.__file__).parent

# Each may import those that stand before it, and no others.
ORDER = (
    "errors alignments axes storage trace weight_matrix measures symptoms export attention efficientnet "
    "encoders decoders reader model search interference session decoding reading faithfulness "
    "arithmetic text support images tsv parallel labelled lengths captions scores "
    "tasks pretrained evaluation training cli"
).split()


def imported(path: Path) -> set[str]:
    """The attnviz modules and outside packages that a file imports, also inside functions."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def modules() -> dict[str, Path]:
    """Every file of the package by its path within it, without the package's own __init__."""
    files = {path.relative_to(PACKAGE).as_posix(): path for path in PACKAGE.rglob("*.py")}
    files.pop("__init__.py")
    return files


def room(name: str) -> str:
    return name.removesuffix(".py").split("/")[0]


def test_imports_go_in_one_direction() -> None:
    assert {room(name) for name in modules()} == set(ORDER)
    for name, path in modules().items():
        used = {part.split(".")[1] for part in imported(path) if part.startswith("attnviz.")} & set(ORDER)
        later = used & set(ORDER[ORDER.index(room(name)) + 1 :])
        assert not later, f"{name} imports {later}"


def test_the_package_knows_nothing_of_the_app() -> None:
    for name, path in modules().items():
        outside = {part.split(".")[0] for part in imported(path)}
        assert not outside & {"streamlit", "plotly", "pandas", "player", "charts"}, name
        if room(name) in {"axes", "trace", "storage", "weight_matrix", "measures", "errors"}:
            assert "torch" not in outside, name


def test_all_names_are_sorted_and_there() -> None:
    assert attnviz.__all__ == sorted(attnviz.__all__)
    for name in attnviz.__all__:
        assert getattr(attnviz, name) is not None


def test_importing_takes_nothing_along() -> None:
    """Speed is measured in benchmarks/; here, that nothing slow is imported at all."""
    for code in ("import attnviz", "import attnviz.cli; attnviz.cli._parser().format_help()"):
        heavy = "{'torch', 'numpy', 'tokenizers', 'streamlit', 'sacrebleu'} & set(sys.modules)"
        done = subprocess.run(
            [sys.executable, "-c", f"import sys; {code}; print({heavy})"],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == "set()", done.stdout
