"""Mounts a component's module in a blank page of a real Chromium, with a stub in the place of Streamlit."""

from types import ModuleType
from typing import Any

from playwright.sync_api import Browser, Page

from tests.browser.payloads import LIGHT

ADDRESS = "http://component.test/"
PAGE = """<!doctype html><meta charset="utf-8"><style id="theme"></style>
<body style="margin: 20px"><div id="host"></div>
<script type="module">
import mount from "/component.js";
window.stateCalls = [];
window.triggers = [];
const root = document.getElementById("host").attachShadow({ mode: "open" });
window.build = (html, css) => { root.innerHTML = "<style>" + css + "</style>" + html; };
window.show = (data) => {
  const setStateValue = (...call) => window.stateCalls.push(call);
  const setTriggerValue = (...call) => window.triggers.push(call);
  window.unmount = mount({ parentElement: root, data, setStateValue, setTriggerValue });
};
window.ready = true;
</script>"""


def open_page(
    browser: Browser,
    component: ModuleType,
    data: dict[str, Any],
    errors: list[str],
    theme: dict[str, str] = LIGHT,
    motion: bool = False,
    width: int = 1000,
) -> Page:
    """A page that shows a payload, in a context of its own; what it logs as an error goes to `errors`."""
    # Without motion colours are final at once, and so can be read.
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        reduced_motion="no-preference" if motion else "reduce",
        accept_downloads=True,
    )
    page = context.new_page()
    page.set_default_timeout(5000)
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.route("**/*", lambda route: route.abort())
    page.route(ADDRESS, lambda route: route.fulfill(body=PAGE, content_type="text/html"))
    kind = "text/javascript; charset=utf-8"
    page.route(
        "**/component.js", lambda route: route.fulfill(body=component.ASSETS.script(), content_type=kind)
    )
    page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
    page.goto(ADDRESS)
    page.wait_for_function("window.ready")
    set_theme(page, theme)
    page.evaluate("([html, css]) => build(html, css)", [component.ASSETS.page(), component.ASSETS.style()])
    show(page, data)
    return page


def set_theme(page: Page, theme: dict[str, str]) -> None:
    """Gives the page Streamlit's variables."""
    rules = "".join(f"--st-{name}: {value};" for name, value in theme.items())
    page.evaluate(
        "(text) => { document.getElementById('theme').textContent = text }",
        f":root {{ {rules} }} body {{ background: {theme['background-color']} }}",
    )


def show(page: Page, data: dict[str, Any]) -> None:
    """What Streamlit does when the script has run."""
    page.evaluate("(data) => show(data)", data)
