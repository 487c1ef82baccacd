"""Whatever a user may send as a picture: read as a person sees it, or refused in one sentence."""

import contextlib
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, features

from attnviz import images
from attnviz.axes import Grid
from attnviz.errors import InputError

RED, GREEN, BLUE, YELLOW = (200, 30, 30), (30, 200, 30), (30, 30, 200), (200, 200, 30)


def quarters(width: int = 64, height: int = 48) -> Image.Image:
    """Red, green over blue, yellow: any turn or flip is seen."""
    photo = Image.new("RGB", (width, height), RED)
    photo.paste(GREEN, (width // 2, 0, width, height))
    photo.paste(BLUE, (0, height // 2, width // 2, height))
    photo.paste(YELLOW, (width // 2, height // 2, width, height))
    return photo


def encoded(photo: Image.Image, file_format: str, **options) -> bytes:
    buffer = io.BytesIO()
    photo.save(buffer, file_format, **options)
    return buffer.getvalue()


def corners(photo: Image.Image) -> list[tuple]:
    x, y = photo.width // 4, photo.height // 4
    return [photo.getpixel(at) for at in ((x, y), (3 * x, y), (x, 3 * y), (3 * x, 3 * y))]


def close(found: list[tuple], expected: list[tuple], within: int = 12) -> bool:
    return bool(np.abs(np.array(found, int) - np.array(expected, int)).max() <= within)


# What a camera stored, for each orientation, so that the upright photo is `quarters`; from the
# EXIF standard's table of where row 0 and column 0 of the stored pixels belong.
STORED = {
    1: lambda photo: photo,
    2: lambda photo: photo.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
    3: lambda photo: photo.transpose(Image.Transpose.ROTATE_180),
    4: lambda photo: photo.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
    5: lambda photo: photo.transpose(Image.Transpose.TRANSPOSE),
    6: lambda photo: photo.transpose(Image.Transpose.ROTATE_90),
    7: lambda photo: photo.transpose(Image.Transpose.TRANSVERSE),
    8: lambda photo: photo.transpose(Image.Transpose.ROTATE_270),
}


@pytest.mark.parametrize("orientation", STORED)
@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_a_photo_is_turned_as_its_exif_says(orientation: int, file_format: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    raw = encoded(STORED[orientation](quarters()), file_format, exif=exif)
    photo = images.read(raw)
    assert photo.size == (64, 48)
    assert close(corners(photo), [RED, GREEN, BLUE, YELLOW], 30)
    assert photo.getexif().get(0x0112, 1) == 1  # so that nobody turns it twice


@pytest.mark.parametrize(
    "mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr", "HSV", "LAB"]
)
def test_every_mode_becomes_rgb(mode: str) -> None:
    grey = Image.new("L", (20, 20), 255)
    photo = images.read(grey.convert("RGB").convert(mode) if mode in ("HSV", "LAB") else grey.convert(mode))
    assert photo.mode == "RGB"
    assert close([photo.getpixel((3, 3))], [(255, 255, 255)], 3)


@pytest.mark.parametrize(("file_format", "options"), [("JPEG", {}), ("TIFF", {})])
def test_cmyk_keeps_its_colours(file_format: str, options: dict) -> None:
    photo = images.read(encoded(quarters().convert("CMYK"), file_format, **options))
    assert close(corners(photo), [RED, GREEN, BLUE, YELLOW], 30)


@pytest.mark.parametrize("file_format", ["PNG", "TIFF"])
def test_sixteen_bits_are_scaled_not_cut_off(file_format: str) -> None:
    values = np.array([[0, 257 * 10], [257 * 128, 65535]], dtype=np.uint16)
    photo = images.read(encoded(Image.fromarray(values), file_format))
    assert np.asarray(photo)[..., 0].tolist() == [[0, 10], [128, 255]]
    assert np.asarray(photo)[..., 2].tolist() == [[0, 10], [128, 255]]


def test_transparency_is_laid_over_white() -> None:
    clear = Image.new("RGBA", (8, 8), (200, 0, 0, 0))
    half = Image.new("RGBA", (8, 8), (200, 0, 0, 128))
    assert images.read(encoded(clear, "PNG")).getpixel((2, 2)) == (255, 255, 255)
    # 200 * 128/255 + 255 * 127/255 = 227.4 and 0 + 255 * 127/255 = 127
    assert close([images.read(encoded(half, "PNG")).getpixel((2, 2))], [(227, 127, 127)], 1)
    palette = Image.new("P", (8, 8), 0)
    palette.putpalette([200, 0, 0] + [0, 0, 0] * 255)
    assert images.read(encoded(palette, "GIF", transparency=0)).getpixel((2, 2)) == (255, 255, 255)


@pytest.mark.parametrize("file_format", ["GIF", "WEBP", "PNG", "TIFF"])
def test_of_an_animation_the_first_frame_is_taken(file_format: str) -> None:
    frames = [Image.new("RGB", (16, 16), colour) for colour in (RED, GREEN)]
    photo = images.read(encoded(frames[0], file_format, save_all=True, append_images=frames[1:]))
    assert close([photo.getpixel((5, 5))], [RED], 10)


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "BMP", "TIFF", "GIF", "PPM", "AVIF"])
def test_a_path_its_bytes_and_the_opened_picture_are_the_same(file_format: str, tmp_path: Path) -> None:
    if file_format == "AVIF" and not features.check("avif"):
        pytest.skip("this pillow reads no AVIF")
    path = tmp_path / "photo"
    path.write_bytes(encoded(quarters(), file_format))
    with Image.open(path) as opened:
        read = [images.read(source) for source in (path, str(path), path.read_bytes(), opened)]
    assert all(np.array_equal(read[0], other) for other in read[1:])
    assert close(corners(read[0]), [RED, GREEN, BLUE, YELLOW], 30)


@pytest.mark.parametrize("size", [(1, 1), (3, 2), (15, 15), (1, 400), (400, 1)])
def test_tiny_and_thin_pictures_are_read(size: tuple[int, int]) -> None:
    photo = images.read(encoded(Image.new("RGB", size, RED), "PNG"))
    assert photo.size == size
    assert images.to_pixels(photo).shape == (3, 224, 224)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"", "empty"),
        (b"hello, I am a text", "another kind"),
        (b"%PDF-1.4", "another kind"),
        (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "another kind"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "another kind"),
        (b"\0" * 1000, "another kind"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 50, "picture"),
        (b"x" * 20_000_001, "20 MB"),
        (None, "NoneType"),
        (3, "int"),
        ("no/such/file.jpg", "no/such/file.jpg"),
        ("a\0b", "name"),
        (Path("/"), "opened"),
    ],
)
def test_what_is_no_picture_is_refused_in_a_sentence(source, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        images.read(source)
    assert "\n" not in str(caught.value)


def test_a_float_picture_is_refused() -> None:
    with pytest.raises(InputError, match="floating-point"):
        images.read(Image.new("F", (4, 4), 0.5))


def test_too_many_pixels_are_refused_before_they_are_decoded() -> None:
    small = encoded(Image.new("1", (8000, 6000)), "PNG")  # 48 megapixels in a few kB
    with pytest.raises(InputError, match=r"40 megapixels, got 48\.0"):
        images.read(small)
    bomb = encoded(Image.new("1", (20000, 20000)), "PNG")  # pillow itself refuses this one
    with pytest.raises(InputError, match="40 megapixels"):
        images.read(bomb)
    with pytest.raises(InputError, match="40 megapixels"):
        images.read(Image.new("1", (8000, 6000)))


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP"])
@given(share=st.floats(0.0, 0.97))
@settings(max_examples=25, deadline=None)
def test_a_truncated_picture_is_refused(file_format: str, share: float) -> None:
    noise = np.random.default_rng(0).integers(0, 255, (40, 50, 3), dtype=np.uint8)
    raw = encoded(Image.fromarray(noise), file_format)
    with pytest.raises(InputError):
        images.read(raw[: int(share * len(raw))])


@pytest.mark.parametrize("file_format", ["JPEG", "PNG", "WEBP", "GIF", "TIFF", "BMP"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_damaged_bytes_give_a_picture_or_a_sentence(file_format: str, data: st.DataObject) -> None:
    raw = bytearray(encoded(quarters(20, 16), file_format))
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(InputError):
        assert images.read(bytes(raw)).mode == "RGB"


def test_pixels_are_what_the_network_was_trained_on() -> None:
    pixels = images.to_pixels(Image.new("RGB", (224, 224), (0, 127, 255)))
    assert pixels[:, 5, 5].tolist() == [-127 / 128, 0.0, 1.0]
    # Squashed: the left half of a wide photo is the left half of the square.
    wide = images.to_pixels(quarters(896, 224))
    assert wide[0, 50, 50] == pytest.approx((200 - 127) / 128)
    assert wide[1, 50, 170] == pytest.approx((200 - 127) / 128)


@pytest.mark.parametrize("size", [(280, 420), (2800, 140), (140, 2800), (3024, 4032)])
@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_bright_patch_is_seen_in_the_cell_that_covers_it(size: tuple[int, int], orientation: int) -> None:
    """From the file to the network's pixels and back: no turn and no shape shifts anything."""
    grid = Grid(14, 14, *size)
    for cell in (17, 103, 190):
        upright = Image.new("L", size, 0)
        upright.paste(255, grid.rectangle(cell))
        exif = Image.Exif()
        exif[0x0112] = orientation
        photo = images.read(encoded(STORED[orientation](upright), "PNG", exif=exif))
        assert photo.size == size
        cells = images.to_pixels(photo)[0].unfold(0, 16, 16).unfold(1, 16, 16).mean(dim=(2, 3)).flatten()
        assert cells.argmax() == cell
        assert cells[cell] > 0.9
        assert cells.topk(2).values[1] < -0.85  # the others are dark: (0 - 127) / 128 = -0.99
