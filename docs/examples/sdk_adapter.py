"""A worked example of an adapter: a toy library, reached over JSON lines.

    openwop-conformance run --sdk 'stdio:python sdk_adapter.py'

Everything below the line is all that an adapter needs; it may be written in any language.
"""

import json
import sys


class Refused(Exception):
    """What the toy library raises when it does not take a message."""


class ToyLibrary:
    """Keeps surfaces, after a fashion: null removes, lists are unknown, and little is checked.

    So most of the rules that bind it are red; `sdk.data-null-kept` is a good one to begin with.
    """

    def __init__(self):
        self.surfaces = {}

    def process(self, message):
        if "createSurface" in message:
            name = message["createSurface"]["surfaceId"]
            if name in self.surfaces:
                raise Refused(f"surface {name} exists")
            self.surfaces[name] = {"components": {}, "data": {}}
        elif "updateDataModel" in message:
            body = message["updateDataModel"]
            data = self.surfaces[body["surfaceId"]]["data"]
            *parents, last = [part for part in body.get("path", "/").split("/") if part] or [None]
            for part in parents:
                data = data.setdefault(part, {})
            if last is None:
                self.surfaces[body["surfaceId"]]["data"] = body.get("value") or {}
            elif body.get("value") is None:
                data.pop(last, None)
            else:
                data[last] = body["value"]


# ------------------------------------------------------------------------------- the adapter

STATES = {}


def hello(protocol):
    return {
        "name": "toy",
        "version": "1",
        "versions": ["v0.9"],
        "operations": ["hello", "new_state", "apply", "read"],
    }


def new_state(state, catalogs, version):
    STATES[state] = ToyLibrary()
    return {}


def apply(state, messages):
    for message in messages:
        STATES[state].process(message)
    return {}


def read(state):
    return {"surfaces": STATES[state].surfaces}


CALLS = {"hello": hello, "new_state": new_state, "apply": apply, "read": read}

for line in sys.stdin:
    asked = json.loads(line)
    answer = {"id": asked["id"]}
    try:
        answer["result"] = CALLS[asked["call"]](**asked["with"])
    except Refused as refusal:  # the library's own errors, by their kind
        answer["error"] = {"kind": "integrity", "message": str(refusal)}
    except Exception as error:  # anything else is a crash, and is called one
        answer["error"] = {"kind": "crash", "message": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), flush=True)
