"""Mend what screen readers stumble over and no author writes: markup that pandas and docutils make.

* A header of a table that is empty, as pandas puts it above the index, becomes an ordinary empty cell.
* An entry of the bibliography is an item of its list; the role that docutils gives it is deprecated.

What depends on the size of the window is left to ``book.js``.
"""

import re
from typing import Any

from docutils.nodes import document
from sphinx.application import Sphinx

EMPTY_HEADER = re.compile(r"<th(?P<before>\b[^>]*?)(?: scope=\"\w+\"(?P<after>[^>]*))?>(?:\s|&nbsp;|<p>\s*</p>)*</th>")


def mend(body: str) -> str:
    """HTML of a page, mended.

    >>> mend('<tr><th scope="col" rowspan="2"></th><th>AUC</th></tr>')
    '<tr><td rowspan="2"></td><th>AUC</th></tr>'
    """
    body = EMPTY_HEADER.sub(r"<td\g<before>\g<after>></td>", body)
    return body.replace('role="doc-biblioentry"', 'role="listitem"')


def mend_page(app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: document | None) -> None:
    """Mend the body of a page before it goes into its template."""
    if "body" in context:
        context["body"] = mend(context["body"])


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    app.connect("html-page-context", mend_page)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
