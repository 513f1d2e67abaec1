"""Who looks at the built site: a page of Chromium that remembers what went wrong."""

from pathlib import Path

from playwright.sync_api import Browser, Page

PHONE = {"width": 390, "height": 844}


def names(site: Path) -> list[str]:
    """Pages that a person wrote, by their path."""
    return sorted(
        str(path.relative_to(site)) for folder in ("book", "notebooks") for path in site.glob(f"{folder}/**/*.html")
    )


class Visitor:
    """A page that remembers what went wrong."""

    def __init__(self, browser: Browser, address: str, **options: object) -> None:
        self.page: Page = browser.new_page(**options)  # type: ignore[arg-type]
        self.address = address
        self.errors: list[str] = []
        self.outside: list[str] = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._note(request.url))

    def _note(self, url: str) -> None:
        if not url.startswith((self.address, "data:", "blob:")):
            self.outside.append(url)

    def open(self, name: str) -> Page:
        """Show a page, with its mathematics drawn and its figures scrolled into view."""
        self.page.goto(f"{self.address}/{name}")
        self.page.wait_for_function("!document.querySelector('.math') || document.querySelector('mjx-container')")
        self.page.evaluate("MathJax = window.MathJax; MathJax?.startup?.promise")
        return self.page
