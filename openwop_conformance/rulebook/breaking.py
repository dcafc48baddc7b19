"""The ways to break the corpus: an edit of a schema, a fixture or a list, and who has to see it.

Each declares the rows that turn red, and those that are blocked for want of what it took away.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..jsonvalue import tokens_of

_OWN: Final = "openwop-conformance.corpus"
_RFC: Final = "openwop.requirement.0209"
SUBSET: Final = f"{_RFC}.profile-subset-of-upstream"
PINNED: Final = f"{_OWN}.upstream-pinned"
CATALOG: Final = f"{_RFC}.catalog-pinned"
EGRESS: Final = f"{_RFC}.no-egress-components"
CLOSED: Final = "openwop.it.a2ui-v09-profile.closed-components-no-function-values"
ACTIONS: Final = f"{_RFC}.action-confined"
SECRETS: Final = f"{_RFC}.no-secret-input"
VERSION_1: Final = "openwop.it.a2ui-v09-profile.v1-branch-unchanged"
KINDS: Final = f"{_RFC}.kind-carve-out"
FRAME: Final = f"{_OWN}.payload-frame"
DELTA: Final = f"{_OWN}.delta-frame-closed"
ENVELOPE: Final = f"{_OWN}.envelope-closed"
GUARDED: Final = f"{_OWN}.restrictions-guarded"
COMPLETE: Final = f"{_OWN}.positives-complete"
AGREE: Final = f"{_OWN}.validators-agree"
OFFICIAL: Final = f"{_OWN}.official-cases"
MIGRATION: Final = f"{_OWN}.migration-total"
WITNESSED: Final = f"{_OWN}.requirements-witnessed"
USED: Final = f"{_OWN}.fixtures-used"
IDS: Final = f"{_OWN}.ids-kept"
DOCUMENTS: Final = f"{_OWN}.documents-executed"
_OF_UPSTREAM: Final = (
    SUBSET,
    CATALOG,
    EGRESS,
    CLOSED,
    ACTIONS,
    SECRETS,
    FRAME,
    MIGRATION,
    DOCUMENTS,
)
"""The rows that need upstream's files."""

_SURFACE: Final = "schemas/ui.a2ui-surface.schema.json"
_DELTA_FRAME: Final = "schemas/a2ui-surface-delta-frame.schema.json"
_ENVELOPE: Final = "schemas/ai-envelope.schema.json"


@dataclass(frozen=True, slots=True)
class CorpusSabotage:
    """One way to break the corpus, and the rows that have to change for it."""

    name: str
    breaks: str
    change: Callable[[Copy], None]
    red: tuple[str, ...]
    blocked: tuple[str, ...]


CORPUS_SABOTAGES: Final[dict[str, CorpusSabotage]] = {}


def sabotage(
    *red: str, blocks: tuple[str, ...] = ()
) -> Callable[[Callable[[Copy], None]], Callable[[Copy], None]]:
    """Declare which rows an edit turns red and blocks; its name and docstring say the rest."""

    def declare(change: Callable[[Copy], None]) -> Callable[[Copy], None]:
        name = change.__name__.replace("_", "-")
        breaks = change.__doc__ or ""
        CORPUS_SABOTAGES[name] = CorpusSabotage(name, breaks, change, red, blocks)
        return change

    return declare


class Copy:
    """A copy of the corpus, with the evidence of others beside it, to be broken and put right."""

    def __init__(self, folder: Path, evidence: Path) -> None:
        self.folder, self.evidence = folder, evidence
        self._before: dict[Path, bytes | None] = {}

    @contextmanager
    def broken(self, change: Callable[[Copy], None]) -> Iterator[None]:
        """Change it, and afterwards have each file as it was before."""
        try:
            change(self)
            yield
        finally:
            for path, data in self._before.items():
                if data is None:
                    path.unlink(missing_ok=True)
                else:
                    path.write_bytes(data)
            self._before.clear()

    def write(self, path: Path, data: bytes) -> None:
        """Write a file of the copy or of the evidence."""
        self._before.setdefault(path, path.read_bytes() if path.is_file() else None)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def remove(self, name: str) -> None:
        """Take a file away."""
        path = self.folder / name
        self._before.setdefault(path, path.read_bytes())
        path.unlink()

    def put(self, name: str, document: Any) -> None:
        """Write a JSON file."""
        self.write(self.folder / name, json.dumps(document, ensure_ascii=False).encode())

    def edit(self, name: str, place: str, edit: Callable[[Any], Any]) -> None:
        """Replace what stands at a place of a JSON file by what ``edit`` makes of it."""
        document = json.loads((self.folder / name).read_text("utf-8"))
        *way, last = tokens_of(place)
        node = document
        for token in way:
            node = node[int(token)] if isinstance(node, list) else node[token]
        key = int(last) if isinstance(node, list) else last
        node[key] = edit(node.get(key) if isinstance(node, dict) else node[key])
        self.put(name, document)

    def rewrite(self, name: str, pattern: str, by: str) -> None:
        """Replace the first match in a text file."""
        path = self.folder / name
        changed, count = re.subn(pattern, by, path.read_text("utf-8"), count=1)
        assert count == 1, f"{name} has nothing like {pattern}"
        self.write(path, changed.encode())

    def admit(self, family: str, **held: Any) -> None:
        """Add a case that is to be admitted."""
        why = "Something that a sabotage has allowed."
        self.put(f"fixtures/{family}/allowed-by-sabotage.json", {"why": why, **held})

    def positive(self, *components: Any) -> None:
        """Add a positive of some components."""
        root = {"id": "root", "component": "Column", "children": [c["id"] for c in components]}
        update = {"updateComponents": {"components": [root, *components]}}
        self.admit("positive", messages=[{"createSurface": {}}, update])


def _added(*values: Any) -> Callable[[list[Any]], list[Any]]:
    return lambda held: [*held, *values]


def _always(value: Any) -> Callable[[Any], Any]:
    return lambda _: value


# --------------------------------------------------------------------------- the ways to break


@sabotage(PINNED, blocks=_OF_UPSTREAM)
def other_pin(copy: Copy) -> None:
    """A pin of upstream's files is another."""
    copy.edit("fixtures/upstream.json", "/a2ui/files/catalog.json/sha256", _always("0" * 64))


@sabotage(SUBSET)
def member_upstream_lacks(copy: Copy) -> None:
    """TextField gets a member that upstream lacks, and a positive."""
    copy.edit(_SURFACE, "/$defs/TextField/properties/hint", _always(True))
    copy.positive({"id": "a", "component": "TextField", "label": "A", "hint": "b"})


@sabotage(SUBSET, COMPLETE, GUARDED)
def member_upstream_lacks_unused(copy: Copy) -> None:
    """Card gets a member that upstream lacks."""
    copy.edit(_SURFACE, "/$defs/Card/properties/elevation", _always({"type": "number"}))


@sabotage(CATALOG)
def catalog_widened(copy: Copy) -> None:
    """A second catalog is pinned."""
    other = "https://conformance.invalid/another.json"
    copy.edit(_SURFACE, "/$defs/catalogId/enum", _added(other))
    update = {"version": "v0.9", "updateDataModel": {"surfaceId": "a", "value": 1}}
    payload = {"version": "v0.9", "catalogId": other, "surfaceId": "a", "messages": [update]}
    copy.admit("payload/admitted", payload=payload)


@sabotage(EGRESS)
def icon_url(copy: Copy) -> None:
    """A theme has an icon that is fetched."""
    theme = "/$defs/createSurface/properties/createSurface/properties/theme/properties/iconUrl"
    copy.edit(_SURFACE, theme, _always({"type": "string", "enum": ["https://example.com/i.png"]}))
    create = {"createSurface": {"theme": {"iconUrl": "https://example.com/i.png"}}}
    copy.admit("positive", messages=[create])


@sabotage(CLOSED)
def component_opened(copy: Copy) -> None:
    """Divider takes any member."""
    copy.edit(_SURFACE, "/$defs/Divider/additionalProperties", _always(True))


@sabotage(ACTIONS)
def another_event(copy: Copy) -> None:
    """An event may be named approve."""
    names = "/$defs/action/properties/event/properties/name/enum"
    copy.edit(_SURFACE, names, _added("approve"))
    text = {"id": "t", "component": "Text", "text": "Approve"}
    button = {"id": "b", "component": "Button", "child": "t"}
    copy.positive(text, {**button, "action": {"event": {"name": "approve"}}})


@sabotage(ACTIONS, CLOSED, COMPLETE, SUBSET)
def upstream_s_action(copy: Copy) -> None:
    """An action may be upstream's function call."""
    function = {"type": "object", "required": ["functionCall"]}
    copy.edit(_SURFACE, "/$defs/action", lambda held: {"anyOf": [held, function]})


@sabotage(SECRETS)
def obscured_input(copy: Copy) -> None:
    """A field may hide what is typed."""
    copy.edit(_SURFACE, "/$defs/TextField/properties/variant/enum", _added("obscured"))
    copy.positive({"id": "a", "component": "TextField", "label": "A", "variant": "obscured"})


@sabotage(VERSION_1)
def version_1_changed(copy: Copy) -> None:
    """A version 1 surface gets a member."""
    copy.edit(_SURFACE, "/$defs/surfaceV1/properties/mood", _always(True))
    surface = {"components": [], "mood": 1}
    copy.admit("v1/admitted", payload={"catalogVersion": "0.9.1", "surface": surface})


@sabotage(KINDS)
def any_organization(copy: Copy) -> None:
    """A registered organization's kind is to be refused."""
    name = "fixtures/kinds/refused/unregistered-organization.json"
    copy.edit(name, "/kind", _always("example.order-card"))


@sabotage(FRAME)
def equal_catalogs(copy: Copy) -> None:
    """A case of unequal catalogs has equal ones."""
    name = "fixtures/payload/refused/second-create-surface-catalog.json"
    case = json.loads((copy.folder / name).read_text("utf-8"))
    copy.put(name, {**case, "payload": case["twin"]})


@sabotage(FRAME, GUARDED)
def cap_raised(copy: Copy) -> None:
    """A payload may hold 65 messages."""
    copy.edit(_SURFACE, "/$defs/payloadV2/properties/messages/maxItems", _always(65))


@sabotage(DELTA)
def test_operation(copy: Copy) -> None:
    """A patch may test."""
    copy.edit(_DELTA_FRAME, "/$defs/operation/properties/op/enum", _added("test"))
    patch = [{"op": "test", "path": "", "value": 1}]
    frame = {"surfaceRef": "a", "catalogVersion": "0.9.1", "patch": patch}
    copy.admit("delta/admitted", frame=frame)


@sabotage(ENVELOPE)
def envelope_opened(copy: Copy) -> None:
    """An envelope's meta takes any member."""
    copy.edit(_ENVELOPE, "/$defs/meta/additionalProperties", _always(True))


@sabotage(GUARDED)
def case_removed(copy: Copy) -> None:
    """The one case of an unknown axis is gone."""
    copy.remove("fixtures/profile/closed/divider-axis-unknown.json")


@sabotage(COMPLETE)
def positive_removed(copy: Copy) -> None:
    """Nothing is laid out any more."""
    copy.remove("fixtures/positive/layout.json")


@sabotage(AGREE)
def pattern_read_differently(copy: Copy) -> None:
    """A case shows that two libraries read $ differently."""
    name = "fixtures/profile/closed/theme-primary-color-name.json"
    case = json.loads((copy.folder / name).read_text("utf-8"))
    case["messages"][0]["createSurface"]["theme"]["primaryColor"] = "#112233\n"
    copy.put("fixtures/profile/closed/theme-primary-color-line.json", case)


@sabotage(OFFICIAL)
def official_case_turned_round(copy: Copy) -> None:
    """An official case says the opposite."""
    (archive,) = copy.evidence.glob("*.tar.gz")
    made = io.BytesIO()
    with (
        tarfile.open(archive) as held,
        gzip.GzipFile(fileobj=made, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as out,
    ):
        for member in held:
            opened = held.extractfile(member)
            if opened is None or not member.name.endswith(".json"):
                continue
            data = opened.read()
            if member.name.endswith("tests/draft2020-12/maximum.json"):
                data = data.replace(b'"valid": true', b'"valid": false', 1)
                member.size = len(data)
            out.addfile(member, io.BytesIO(data))
    copy.write(archive, made.getvalue())
    digest = hashlib.sha256(made.getvalue()).hexdigest()
    copy.edit("fixtures/upstream.json", "/official-cases/sha256", _always(digest))


@sabotage(MIGRATION)
def migrated_otherwise(copy: Copy) -> None:
    """A stated migration is not what the map makes."""
    name = "fixtures/migration/heading.json"
    copy.edit(name, "/migrated/messages/1/updateDataModel/value", _always({"a": 1}))


@sabotage(WITNESSED, DOCUMENTS)
def reason_dropped(copy: Copy) -> None:
    """A row that nothing witnesses gives no reason."""
    copy.rewrite("ledger/requirements.yaml", r"\n  not-yet: [^\n]*", "")


@sabotage(WITNESSED, IDS, DOCUMENTS)
def row_dropped(copy: Copy) -> None:
    """A witnessed row is gone."""
    row = r"- id: openwop\.requirement\.0209\.fold-guarded\n(  [^\n]*\n)*"
    copy.rewrite("ledger/requirements.yaml", row, "")


@sabotage(WITNESSED)
def clause_without_row(copy: Copy) -> None:
    """A document has a clause that no row cites."""
    copy.rewrite("ledger/requirements.yaml", r"(\n  - D\.15)", r"\1\n  - E.16")


@sabotage(USED)
def fixture_nobody_reads(copy: Copy) -> None:
    """A fixture lies where no gate and no scenario looks."""
    name = "fixtures/profile/closed/divider-on-click.json"
    case = json.loads((copy.folder / name).read_text("utf-8"))
    copy.put("fixtures/profile/colours/divider-on-click.json", case)


@sabotage(IDS)
def issued_id_gone(copy: Copy) -> None:
    """An id was issued, is gone, and has no alias."""
    issued = "\n- openwop-conformance.sdk.never-a-row"
    copy.rewrite("ledger/aliases.yaml", r"\naliases: ", f"{issued}\naliases: ")


@sabotage(IDS, DOCUMENTS)
def id_renamed(copy: Copy) -> None:
    """An id changes without an alias."""
    old = r"openwop-conformance\.consumer\.open-url-schemes\n"
    copy.rewrite("ledger/requirements.yaml", old, "openwop-conformance.consumer.open-url-forms\n")


@sabotage(DOCUMENTS)
def readme_embellished(copy: Copy) -> None:
    """README shows what is not printed."""
    copy.rewrite("README.md", "admitted what has to be refused", "admitted a bad envelope")
