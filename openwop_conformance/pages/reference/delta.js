"use strict";
/*
 * One version 1 surface: the full payload that came last, and the delta frames on it.
 *
 * A frame is an RFC 6902 patch of the tree, or of the payload where its pointers begin there. One
 * that fails, or leaves the catalog, makes the surface stale: nothing of it is shown until a full
 * one arrives (RFC 0114 §Normative.6 to 8). A frame for another surface is none of this one's.
 */
(() => {
  const { isPayload1 } = globalThis.openwopProfile;
  const INDEX = /^(0|[1-9][0-9]*)$/;
  const NEEDS = { add: "value", remove: "path", replace: "value", move: "from", copy: "from" };
  const MOST_OPERATIONS = 10000;
  const MOST_WRITTEN = 1000000;

  const isText = (value) => typeof value === "string";
  const hasOnly = (value, names) =>
    typeof value === "object" && value !== null && !Array.isArray(value) &&
    Object.keys(value).every((name) => names.includes(name));

  function isOperation(value) {
    return (
      hasOnly(value, ["op", "path", "from", "value"]) &&
      Object.hasOwn(NEEDS, value.op) &&
      isText(value.path) &&
      Object.hasOwn(value, NEEDS[value.op]) &&
      (!Object.hasOwn(value, "from") || isText(value.from))
    );
  }

  const isFrame = (value) =>
    hasOnly(value, ["surfaceRef", "catalogVersion", "patch"]) &&
    isText(value.surfaceRef) && isText(value.catalogVersion) &&
    Array.isArray(value.patch) && value.patch.length > 0 &&
    value.patch.length <= MOST_OPERATIONS && value.patch.every(isOperation);

  /** The tokens of a pointer, from the payload on. */
  function tokensOf(pointer, value) {
    const whole = pointer === "" && hasOnly(value, ["surface", "catalogVersion", "reasoning"]) &&
      Object.hasOwn(value, "surface");
    if (whole) return [];
    if (pointer !== "" && pointer[0] !== "/") throw new Error("no pointer");
    const tokens = pointer.split("/").slice(1).map((token) => {
      if (/~(?![01])/.test(token)) throw new Error("no escape");
      return token.replaceAll("~1", "/").replaceAll("~0", "~");
    });
    const fromPayload = ["surface", "catalogVersion", "reasoning"].includes(tokens[0]);
    return fromPayload ? tokens : ["surface", ...tokens];
  }

  /** The member of a container that a token names; `end` allows the place behind the last item. */
  function placeIn(node, token, end) {
    if (typeof node !== "object" || node === null) throw new Error("no container");
    if (!Array.isArray(node)) {
      if (!end && !Object.hasOwn(node, token)) throw new Error("no such member");
      return token;
    }
    if (end && token === "-") return node.length;
    const most = end ? node.length : node.length - 1;
    if (!INDEX.test(token) || Number(token) > most) throw new Error("no such item");
    return Number(token);
  }

  function parentOf(holder, tokens, end) {
    let node = holder;
    let key = "root";
    for (const token of tokens) {
      node = node[placeIn(node, key, false)];
      key = token;
    }
    return [node, placeIn(node, key, end)];
  }

  function taken(holder, tokens) {
    const [node, key] = parentOf(holder, tokens, false);
    const value = node[key];
    if (Array.isArray(node)) node.splice(key, 1);
    else delete node[key];
    return value;
  }

  function added(holder, tokens, value) {
    if (tokens.includes("__proto__")) throw new Error("no member of ours");
    const [node, key] = parentOf(holder, tokens, true);
    if (Array.isArray(node)) node.splice(key, 0, value);
    else node[key] = value;
  }

  /** A copy of the payload with a patch applied, or an error. */
  function patched(payload, patch) {
    const holder = { root: structuredClone(payload) };
    let written = 0;
    for (const { op, path, from, value } of patch) {
      const to = tokensOf(path, value);
      const source = op === "move" || op === "copy" ? tokensOf(from) : [];
      if (op === "remove") taken(holder, to);
      else if (op === "add") added(holder, to, structuredClone(value));
      else if (op === "replace") {
        const [node, key] = parentOf(holder, to, false);
        node[key] = structuredClone(value);
      } else if (op === "move") {
        if (source.length < to.length && source.every((token, at) => token === to[at])) {
          throw new Error("into itself");
        }
        added(holder, to, taken(holder, source));
      } else {
        const [node, key] = parentOf(holder, source, false);
        written += JSON.stringify(node[key]).length;
        if (written > MOST_WRITTEN) throw new Error("too much");
        added(holder, to, structuredClone(node[key]));
      }
    }
    return holder.root;
  }

  class Tree {
    constructor(event) {
      Object.assign(this, { event, payload: null, stale: false });
      Object.assign(this, { seen: new Set(), last: -Infinity });
    }

    /** Take a full payload; whether it is the one to show now. */
    full(payload, sequence) {
      if (sequence < this.last || (this.seen.has(sequence) && !this.stale)) return false;
      this.arrived(sequence);
      Object.assign(this, { payload, stale: false });
      return true;
    }

    /** Take a frame; whether it concerns this surface. */
    frame(frame, sequence) {
      if (this.payload === null || this.stale || this.seen.has(sequence)) return false;
      if (isText(frame?.surfaceRef) && frame.surfaceRef !== this.event) return false;
      const isLate = sequence < this.last;
      this.arrived(sequence ?? this.last);
      try {
        const version = this.payload.catalogVersion;
        const fits = isFrame(frame) && frame.catalogVersion === version;
        if (isLate || !fits) throw new Error("no frame for this");
        const payload = patched(this.payload, frame.patch);
        if (!isPayload1(payload) || payload.catalogVersion !== version) throw new Error("outside");
        this.payload = payload;
      } catch {
        this.stale = true;
      }
      return true;
    }

    arrived(sequence) {
      this.seen.add(sequence);
      this.last = Math.max(this.last, sequence);
    }
  }

  globalThis.openwopDelta = Object.freeze({ Tree, patched, isFrame });
})();
