"use strict";
/*
 * What a surface is after its envelopes: a fold by sequence, and the data model within it.
 *
 * Nothing here touches the page. Whatever cannot be applied throws inside `apply` and leaves the
 * surface as it was, an envelope as a whole (RFC 0209 §C.9).
 */
(() => {
  const { kindOf } = globalThis.openwopProfile;
  const INDEX = /^(0|[1-9][0-9]*)$/;
  const MOST_ITEMS = 10000;
  const REFUSED = ["__proto__", "constructor", "prototype"];

  /** The segments of an A2UI path: empty ones are dropped, "/" is the whole model. */
  function segmentsOf(path = "/") {
    return path.split("/").filter(Boolean).map((part) => {
      const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (/~(?![01])/.test(part) || REFUSED.includes(name)) throw new Error(`no path: ${path}`);
      return name;
    });
  }

  /** The value at a path, or undefined. */
  function read(model, path) {
    let node = model;
    try {
      for (const part of segmentsOf(path)) {
        const there = Array.isArray(node) ? INDEX.test(part) : typeof node === "object";
        if (node === null || !there || !Object.hasOwn(node, part)) return undefined;
        node = node[part];
      }
    } catch {
      return undefined;
    }
    return node;
  }

  /** The model with a value written at a path, or, where `gone`, with what is there removed. */
  function write(model, path, value, gone = false) {
    const parts = segmentsOf(path);
    if (parts.length === 0) return gone ? {} : value;
    const holder = { model };
    let node = holder;
    let key = "model";
    for (const part of parts) {
      let below = Object.hasOwn(node, key) ? node[key] : null;
      if (below === null) {
        if (gone) return holder.model;
        below = INDEX.test(part) ? [] : {};
        put(node, key, below);
      }
      if (typeof below !== "object") throw new Error(`a primitive stands in the way of ${path}`);
      const index = INDEX.test(part) && Number(part) <= MOST_ITEMS;
      if (Array.isArray(below) && !index) throw new Error(`no index of a list: ${path}`);
      node = below;
      key = part;
    }
    if (!gone) put(node, key, value);
    else if (!Array.isArray(node)) delete node[key];
    else if (Number(key) < node.length) node[key] = null;
    return holder.model;
  }

  function put(node, key, value) {
    if (Array.isArray(node)) while (node.length < Number(key)) node.push(null);
    node[key] = value;
  }

  class Fold {
    constructor() {
      this.untrusted = false; // for ever, once one envelope was (RFC 0209 §C.12)
      this.entries = [];
      this.seen = new Set();
      this.clear();
    }

    clear() {
      Object.assign(this, { live: false, theme: {}, components: new Map(), data: {} });
      Object.assign(this, { partial: false, node: undefined });
    }

    /**
     * Take an envelope's {sequence, messages, untrusted, partial, node}; once, in its place.
     * Returns "again", "late" or, where it came in order, "next".
     */
    take(envelope) {
      if (this.seen.has(envelope.sequence)) return "again";
      this.seen.add(envelope.sequence);
      this.untrusted ||= envelope.untrusted;
      let place = this.entries.length;
      while (place > 0 && this.entries[place - 1].sequence > envelope.sequence) place -= 1;
      this.entries.splice(place, 0, envelope);
      if (place === this.entries.length - 1) {
        this.apply(envelope);
        return "next";
      }
      this.clear();
      for (const entry of this.entries) this.apply(entry);
      return "late";
    }

    /** Write what a person entered. It stands after the envelopes that they had before them. */
    edit(path, value) {
      const last = this.entries.at(-1);
      const edit = { sequence: last.sequence, path, value };
      if (last.path === path) this.entries.pop();
      this.entries.push(edit);
      this.apply(edit);
    }

    /** Apply an entry, or leave it out whole; `entry.applied` tells. */
    apply(entry) {
      entry.applied = true;
      try {
        if (entry.messages) this.fold(entry);
        else if (this.live) this.data = write(this.data, entry.path, entry.value);
      } catch {
        entry.applied = false;
      }
    }

    fold({ messages, partial, node }) {
      const next = { live: this.live, theme: this.theme, data: this.data };
      let fresh = false; // whether the components so far are those of an earlier life
      let cloned = false;
      const updates = [];
      for (const message of messages) {
        const kind = kindOf(message);
        const body = message[kind];
        if ((kind === "createSurface") === next.live) throw new Error(`${kind} out of turn`);
        if (kind === "createSurface") {
          Object.assign(next, { live: true, theme: body.theme ?? {}, data: {} });
          fresh = cloned = true;
          updates.length = 0;
        } else if (kind === "deleteSurface") {
          Object.assign(next, { live: false, theme: {}, data: {} });
          fresh = cloned = true;
          updates.length = 0;
        } else if (kind === "updateComponents") {
          updates.push(...body.components);
        } else {
          if (!cloned) next.data = structuredClone(next.data);
          cloned = true;
          const gone = !Object.hasOwn(body, "value");
          next.data = write(next.data, body.path, structuredClone(body.value), gone);
        }
      }
      Object.assign(this, next, { partial, node: node ?? this.node });
      if (fresh) this.components = new Map();
      for (const component of updates) this.components.set(component.id, component);
    }
  }

  /** The ids that a component refers to. */
  const childrenOf = (component) =>
    component.children ?? (Object.hasOwn(component, "child") ? [component.child] : []);

  /** Is there a root, and no cycle that it reaches? */
  function isRenderable(components) {
    if (!components.has("root")) return false;
    const open = new Set(["root"]);
    const done = new Set();
    const stack = [["root", [...childrenOf(components.get("root"))]]];
    while (stack.length) {
      const [name, rest] = stack.at(-1);
      const child = rest.pop();
      if (child === undefined) {
        stack.pop();
        open.delete(name);
        done.add(name);
      } else if (open.has(child)) {
        return false;
      } else if (components.has(child) && !done.has(child)) {
        open.add(child);
        stack.push([child, [...childrenOf(components.get(child))]]);
      }
    }
    return true;
  }

  // --------------------------------------------------------------------------------- values

  /** Is a dynamic value bound, and not literal? */
  const isBinding = (dynamic) =>
    typeof dynamic === "object" && dynamic !== null && !Array.isArray(dynamic);

  /** What the function `required` refuses. */
  const isEmpty = (value) =>
    value === undefined || value === null || value === "" ||
    (Array.isArray(value) && value.length === 0);

  /** A value where a text is wanted (A2UI v0.9, type coercion). */
  function textOf(value) {
    if (value === undefined || value === null) return "";
    return typeof value === "object" ? JSON.stringify(value) : String(value);
  }

  globalThis.openwopFold = Object.freeze({
    Fold, read, childrenOf, isRenderable, isBinding, isEmpty, textOf,
  });
})();
