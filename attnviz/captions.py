"""Reads folders of photos with captions, laid out like Flickr8k."""

import re
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from attnviz.errors import InputError
from attnviz.tsv import rows


class _Tar(Mapping[str, bytes]):
    """The files of a tar archive by name."""

    def __init__(self, path: Path) -> None:
        self._archive = tarfile.open(path)  # noqa: SIM115 (read from as long as the mapping lives)
        self._members = {Path(member.name).name: member for member in self._archive if member.isfile()}

    def __getitem__(self, name: str) -> bytes:
        part = self._archive.extractfile(self._members[name])
        assert part is not None
        return part.read()

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


class _Folder(Mapping[str, bytes]):
    """The files of a folder by name."""

    def __init__(self, path: Path) -> None:
        self._paths = {file.name: file for file in path.iterdir() if file.is_file()}

    def __getitem__(self, name: str) -> bytes:
        return self._paths[name].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def open_photos(folder: Path) -> Mapping[str, bytes]:
    """The photos of a folder, from its images.tar or its images/, by file name: their files' bytes.

    Raises:
        InputError: there is neither.
    """
    if (folder / "images.tar").is_file():
        return _Tar(folder / "images.tar")
    if (folder / "images").is_dir():
        return _Folder(folder / "images")
    raise InputError(f"Expected photos in {folder / 'images.tar'} or {folder / 'images'}, found neither.")


def read_split(folder: Path, split: str) -> list[str]:
    """The file names of a split: train, dev or test.

    Raises:
        InputError: there is no such split.
    """
    path = folder / f"split_{split}.txt"
    if not path.is_file():
        raise InputError(f"Expected a list of file names in {path}, found none.")
    return path.read_text(encoding="utf-8").split()


def read_captions(folder: Path) -> dict[str, list[str]]:
    """The captions of each photo by file name, as written.

    Raises:
        InputError: there is no captions.tsv.gz.
        FormatError: it cannot be read, or a line is not a name and a caption.
    """
    path = folder / "captions.tsv.gz"
    found: dict[str, list[str]] = {}
    for _, (name, caption) in rows(path, "captions", "file name TAB caption"):
        found.setdefault(name, []).append(caption)
    return found


_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")


def normal(caption: str) -> str:
    """A caption as captioners are trained and measured: lower-case words with single spaces.

    Signs are left out, as in the usual evaluation of captions (Chen et al. 2015, section 4.1);
    apostrophes and hyphens inside a word stay.
    """
    return " ".join(_WORD.findall(caption.lower().replace("’", "'").replace(" 's", "'s")))
