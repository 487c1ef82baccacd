"""One Chromium for all browser tests, and the real app as a newcomer starts it."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.mounting import open_page

# Deep links ask for these below the page's path, and Streamlit answers 404; it has always done so.
HARMLESS = re.compile("_stcore/(health|host-config)|Failed to load resource.*404")
ROOT = Path(__file__).parents[2]
CHROMIUM = os.environ.get("ATTNVIZ_CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Without Chromium the tests skip, unless ATTNVIZ_REQUIRE_BROWSER=1."""
    if not Path(CHROMIUM).exists():
        if os.environ.get("ATTNVIZ_REQUIRE_BROWSER") == "1":
            pytest.fail(f"no Chromium at {CHROMIUM}")
        pytest.skip(f"no Chromium at {CHROMIUM}")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_component(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Opens pages that show a component; fails the test if one of them logs an error."""
    errors: list[str] = []
    pages: list[Page] = []

    def open_one(component: ModuleType, data: dict[str, Any], **options: Any) -> Page:
        pages.append(open_page(browser, component, data, errors, **options))
        return pages[-1]

    yield open_one
    for page in pages:
        page.context.close()
    assert errors == []


@pytest.fixture(scope="session")
def app() -> Iterator[str]:
    """The address of `streamlit run app/main.py`, started in a folder's root as `make app` does."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("streamlit")),
        "run",
        "app/main.py",
        "--server.port",
        str(port),
    ]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as server:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{address}/_stcore/health", server)
            yield address
        finally:
            server.kill()  # it would wait for the browser to close its socket


@pytest.fixture
def visit(browser: Browser, app: str) -> Iterator[Callable[..., Page]]:
    """Opens the app; fails the test on an error in the console or a request to another host."""
    contexts, faults = [], []

    def open_page(query: str = "", **options) -> Page:
        context = browser.new_context(viewport={"width": 1280, "height": 1000}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(10_000)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
        page.on(
            "request",
            lambda request: (
                None
                if request.url.startswith((app, app.replace("http", "ws"), "data:", "blob:"))
                else faults.append(f"asked {request.url}")
            ),
        )
        page.goto(f"{app}/{query}")
        expect(page.locator(".player .targets .chip").first).to_be_visible(timeout=60_000)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert [fault for fault in faults if not HARMLESS.search(fault)] == []


def _wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    for _ in range(300):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.2)
    server.kill()
    pytest.fail(f"the app did not start: {server.communicate()[0].decode(errors='replace')[-2000:]}")
