"""How long a person waits on the page Caption: from the upload of a phone's photo to its painted overlay.

Run with:  python benchmarks/page.py
It starts the real app and drives a headless Chromium (Debian's, or $ATTNVIZ_CHROMIUM), with photos of 12 to
15 megapixels that are upright only after their EXIF turn.
"""

import contextlib
import io
import os
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

ROOT = Path(__file__).parents[1]
CHROMIUM = os.environ.get("ATTNVIZ_CHROMIUM", "/usr/bin/chromium")
FLAGS = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
PAINTED = """([width, height]) => {
  const nodes = [...document.querySelectorAll('*')];
  const view = nodes.map((node) => node.shadowRoot?.querySelector('.overlay .view')).find(Boolean);
  if (!view || !view.width) return false;
  return Math.abs(view.width / view.height - width / height) < 0.01
    && view.getContext('2d').getImageData(view.width / 2, view.height / 2, 1, 1).data[3] === 255;
}"""


def width(seed: int) -> int:
    """Each photo has a shape of its own, so that its overlay is told from the one before."""
    return 3024 + 150 * seed


def photo(seed: int) -> bytes:
    """A JPEG of 12 to 15 megapixels with detail of its own, stored lying and marked to be turned."""
    noise = np.random.default_rng(seed).integers(0, 255, (63, 47, 3), dtype=np.uint8)
    upright = Image.fromarray(noise).resize((width(seed), 4032), Image.Resampling.BICUBIC)
    exif = Image.Exif()
    exif[0x0112] = 6
    buffer = io.BytesIO()
    upright.transpose(Image.Transpose.ROTATE_90).save(buffer, "JPEG", quality=88, exif=exif)
    return buffer.getvalue()


def upload(page: Page, seed: int) -> float:
    """Seconds from the choice of the file to the painted overlay of that photo."""
    data = photo(seed)
    started = time.perf_counter()
    page.locator("input[type=file]").set_input_files(
        {"name": f"{seed}.jpg", "mimeType": "image/jpeg", "buffer": data}
    )
    page.locator(f"[aria-label='Show {seed}.jpg'][aria-pressed=true]").wait_for()
    page.wait_for_function(PAINTED, arg=[width(seed), 4032])
    spent = time.perf_counter() - started
    print(f"{width(seed) * 4032 / 1e6:.1f} megapixels, {len(data) / 1e6:.1f} MB: {spent:.2f} s")
    return spent


@contextlib.contextmanager
def app() -> Iterator[str]:
    """The address of the running app."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    streamlit = str(Path(sys.executable).with_name("streamlit"))
    command = [streamlit, "run", "app/main.py", "--server.port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.2)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()


def main() -> None:
    with app() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS.split())
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        started = time.perf_counter()
        page.goto(f"{address}/caption")
        page.locator(".overlay .targets .chip").first.wait_for(timeout=60_000)
        print(f"first visit, model loaded and a sample captioned: {time.perf_counter() - started:.2f} s")
        spent = [upload(page, seed) for seed in range(6)]
        middle, most = statistics.median(spent), max(spent)
        print(f"upload to painted overlay: median {middle:.2f} s, most {most:.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
