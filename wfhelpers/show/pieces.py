"""Pieces of HTML that need nothing else: they work in a built page, from a server or a file, without a network."""

from html import escape
from importlib.resources import files
from string import Template


def piece(name: str, element_id: str, **fields: object) -> str:
    """Template ``assets/NAME.html`` with its fields, style (of ``#$id``) and script (a function of the id) in it."""
    template, style, script = (
        (files("wfhelpers.show") / "assets" / f"{name}.{kind}").read_text(encoding="utf-8").rstrip()
        for kind in ("html", "css", "js")
    )
    style = Template(style).substitute(id=element_id)
    return Template(template).substitute(fields, id=element_id, style=style, script=script)


def link(text: str, address: str | None) -> str:
    """Text that leads to an address, or the text alone where there is none."""
    return f'<a href="{escape(address)}">{escape(text)}</a>' if address else escape(text)
