"""The page's text: the template filled in, with its style and script inside and nothing let in.

The policy names the style and the script by their digests: no other one runs, whatever gets into
the page, and no address is asked for anything.
"""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from .legible import legible

if TYPE_CHECKING:
    from jinja2 import Template

    from .content import Page


def page_text(page: Page) -> str:
    """The page as HTML."""
    return _template().render(page=page)


@cache
def _template() -> Template:
    """The template with its style, its script and the policy: the same for every page."""
    from jinja2 import Environment, StrictUndefined
    from markupsafe import Markup

    def shown(value: Any) -> Any:
        """What is printed: never a control or a lone surrogate; markup is the template's own."""
        return value if isinstance(value, Markup) else legible(str(value))

    folder = files(__package__)
    style, script, template = (
        (folder / name).read_text("utf-8") for name in ("page.css", "page.js", "page.html")
    )
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals |= {
        "style": Markup(style),  # noqa: S704
        "script": Markup(script),  # noqa: S704
        "policy": (
            f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; "
            f"script-src '{_digest(script)}'; base-uri 'none'; form-action 'none'"
        ),
    }
    return environment.from_string(template)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
