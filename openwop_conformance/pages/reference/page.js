"use strict";
/*
 * A right OpenWOP consumer in plain DOM script: the ten components of the profile, and the version
 * 1 tree by way of them. An envelope is checked whole before anything of it is used.
 *
 * What the sources leave open is read like this: a binding of `context` that has no value is left
 * out; a failing check of a field blocks every button of its surface; text is shown as it is
 * written, without Markdown; `validationRegexp` is not run, for it could take for ever; a version 1
 * surface has the id of its event.
 */
(() => {
  const { isPayload1, isPayload2, agrees } = globalThis.openwopProfile;
  const { Fold, read, childrenOf, isRenderable, isBinding, isEmpty, textOf } =
    globalThis.openwopFold;
  const { converted } = globalThis.openwopVersion1;
  const { Tree } = globalThis.openwopDelta;
  const KIND = "ui.a2ui-surface";
  const TARGET = { resume: "interrupt", exchange: "turn" };
  const MOST_SHOWN = 12000;
  const DEEPEST = 1000;

  const views = new Map();
  const taintedRuns = new Set();
  const submissions = [];
  let count = 0;

  // ------------------------------------------------------------------------------- delivery

  function deliver(envelope) {
    const { type = KIND, schemaVersion = 0, payload, run = "" } = envelope;
    if (type !== KIND) return;
    const entry = {
      sequence: envelope.sequence,
      untrusted: envelope.trust === "untrusted",
      partial: envelope.partial === true,
      node: envelope.node,
    };
    const branch = rules.branch(schemaVersion, payload);
    if (branch === 2) {
      const view = viewOf(envelope.run, payload.surfaceId);
      view.fold.take({ ...entry, messages: payload.messages });
      draw(view);
    } else if (branch === 1) {
      if (entry.untrusted) taintedRuns.add(run);
      const view = viewOf(envelope.run, envelope.event ?? "v1", true);
      if (view.tree.full(payload, entry.sequence)) showTree(view, entry);
      view.fold.untrusted = taintedRuns.has(run);
      draw(view);
    }
  }

  /** A frame names its surface by an event; its run may go without saying. */
  function frame(frame, sequence, run) {
    for (const view of views.values()) {
      if (!view.tree || (run !== undefined && view.run !== run)) continue;
      if (view.tree.frame(frame, sequence)) showTree(view, view.fold);
      draw(view);
    }
  }

  /** The tree as a surface of version 2. What was typed stays while its field does. */
  function showTree(view, { sequence, untrusted, partial, node }) {
    const { tree, fold: before } = view;
    view.fold = new Fold();
    const entry = { sequence, untrusted, partial, node };
    Object.assign(view.fold, entry, converted(tree.payload.surface), { live: !tree.stale });
    view.fold.entries.push(entry);
    for (const { path, value } of before.entries) {
      const stays = path !== undefined && read(view.fold.data, path) !== undefined;
      if (stays) view.fold.edit(path, value);
    }
  }

  function viewOf(run, surfaceId, isTree = false) {
    const key = JSON.stringify([run ?? null, surfaceId, isTree]);
    if (!views.has(key)) {
      const element = make("section", { class: "surface", "data-surface-id": surfaceId });
      const view = { run, surfaceId, element, fold: new Fold(), local: new Map() };
      views.set(key, isTree ? { ...view, tree: new Tree(surfaceId) } : view);
    }
    return views.get(key);
  }

  // -------------------------------------------------------------------------------- drawing

  /** Show a surface anew, or nothing of it; whatever had the focus gets it back. */
  function draw(view) {
    const { fold, element } = view;
    if (!fold.live || !rules.isRenderable(fold.components)) {
      rules.hide(view);
      if (!fold.live) view.local.clear();
      return;
    }
    const focused = element.contains(document.activeElement) && document.activeElement.dataset.key;
    Object.assign(view, { watching: [], checks: [], shown: 0 });
    element.style.setProperty("--primary", fold.theme.primaryColor ?? "#2f5fd0");
    element.replaceChildren(...built(view, "root", 0));
    if (!element.isConnected) document.querySelector("#surfaces").append(element);
    refresh(view);
    if (!focused) return;
    [...element.querySelectorAll("[data-key]")].find((e) => e.dataset.key === focused)?.focus();
  }

  /** Bring everything that is bound up to the data model. */
  const refresh = (view) => view.watching.forEach((update) => update());

  function built(view, id, depth) {
    const component = view.fold.components.get(id);
    view.shown += 1;
    if (component === undefined || depth > DEEPEST || view.shown > MOST_SHOWN) return [];
    const element = BUILD[component.component](view, component, depth + 1);
    element.dataset.componentId = id;
    return [element];
  }

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  /** Call `show` with the value of something dynamic, now and whenever the data changes. */
  function bind(view, dynamic, show) {
    view.watching.push(() => show(valueOf(view, dynamic)));
  }

  const valueOf = (view, dynamic) =>
    isBinding(dynamic) ? read(view.fold.data, dynamic.path) : dynamic;

  const bound = (view, dynamic, element) =>
    bind(view, dynamic, (value) => rules.say(element, textOf(value)));

  /** What is for assistive technology: a label, and a hint to show. */
  function spoken(view, component, element) {
    const { label, description } = component.accessibility ?? {};
    if (label !== undefined) {
      if (/^(DIV|P|SPAN)$/.test(element.tagName)) element.setAttribute("role", "group");
      bind(view, label, (value) => element.setAttribute("aria-label", textOf(value)));
    }
    if (description === undefined) return [];
    const hint = make("p", { class: "hint", id: `hint-${(count += 1)}` });
    bound(view, description, hint);
    describe(element, hint);
    return [hint];
  }

  function describe(element, hint) {
    const before = element.getAttribute("aria-describedby");
    element.setAttribute("aria-describedby", before ? `${before} ${hint.id}` : hint.id);
  }

  // ------------------------------------------------------------------------------ the fields

  /** A field's value lies at its path, or, where it is bound to none, with the page alone. */
  function valueIn(view, component) {
    if (isBinding(component.value)) return valueOf(view, component.value);
    return view.local.has(component.id) ? view.local.get(component.id) : component.value;
  }

  function entered(view, component, value) {
    if (isBinding(component.value)) view.fold.edit(component.value.path, value);
    else view.local.set(component.id, value);
    refresh(view);
  }

  /** The message of the first check that fails, or nothing. The one check is `required`. */
  function failing(view, checks = []) {
    const failed = checks.find((check) => isEmpty(valueOf(view, check.condition.args.value)));
    return failed === undefined ? "" : failed.message;
  }

  /** The frame of a field: its label, its hint, and what its checks say. */
  function field(view, component, input, ...around) {
    const alert = make("p", { role: "alert", id: `alert-${(count += 1)}` });
    const frame = make("div", { class: "field" }, ...around);
    frame.append(...spoken(view, component, input), alert);
    if (component.checks?.length) {
      view.checks.push(component.checks);
      describe(input, alert);
    }
    view.watching.push(() => {
      const message = rules.failing(view, component.checks);
      if (alert.textContent !== message) alert.textContent = message;
      alert.hidden = message === "";
      input.setAttribute("aria-invalid", String(message !== ""));
    });
    return frame;
  }

  function labelFor(view, component, input) {
    input.id = `field-${(count += 1)}`;
    input.dataset.key = component.id;
    const label = make("label", { for: input.id });
    bound(view, component.label, label);
    return label;
  }

  function typed(view, component, input, shown) {
    input.addEventListener("input", () => rules.entered(view, component, input.value));
    view.watching.push(() => {
      const value = shown(textOf(valueIn(view, component)));
      if (input.value !== value) input.value = value;
    });
    return field(view, component, input, labelFor(view, component, input), input);
  }

  function picker(view, component) {
    const one = component.variant !== "multipleSelection";
    const group = make("fieldset", { role: one ? "radiogroup" : "group" });
    const legend = make("legend");
    bound(view, component.label, legend);
    const name = `choice-${(count += 1)}`;
    const chosen = () => {
      const value = valueIn(view, component);
      return Array.isArray(value) ? value : isEmpty(value) ? [] : [value];
    };
    const inputs = component.options.map((option) => {
      const input = make("input", { type: one ? "radio" : "checkbox", name, value: option.value });
      input.dataset.key = `${component.id} ${option.value}`;
      input.addEventListener("change", () => {
        const others = one ? [] : chosen().filter((value) => value !== option.value);
        rules.entered(view, component, input.checked ? [...others, option.value] : others);
      });
      view.watching.push(() => (input.checked = chosen().includes(option.value)));
      const label = make("span");
      bound(view, option.label, label);
      return make("label", {}, input, label);
    });
    group.append(legend, ...inputs);
    return field(view, component, group, group);
  }

  const MOMENTS = {
    date: /^\d{4}-\d\d-\d\d/,
    time: /\d\d:\d\d/,
    "datetime-local": /^\d{4}-\d\d-\d\dT\d\d:\d\d/,
  };

  // -------------------------------------------------------------------------------- actions

  /** Why a button may not be pressed now, in words for a person; empty where it may. */
  function blocked(view, event) {
    const { fold } = view;
    if (fold.partial) return "This is not complete yet.";
    if (fold.untrusted && event.name === "resume") return "This comes from an untrusted source.";
    return rules.failing(view, view.checks.flat());
  }

  function fire(view, component) {
    const { event } = component.action;
    if (rules.blocked(view, event)) return;
    const { node } = view.fold;
    submissions.push({
      to: rules.target(event.name),
      surface: view.surfaceId,
      event: event.name,
      component: component.id,
      timestamp: new Date().toISOString(),
      data: structuredClone(rules.submitted(view, event.context)),
      ...(node !== undefined && { node }),
      ...(view.run !== undefined && { run: view.run }),
    });
  }

  /** The context with its bindings as they are now, or without one the whole data model. */
  function submitted(view, context) {
    if (context === undefined) return view.fold.data;
    const pairs = Object.entries(context).map(([name, value]) => [name, valueOf(view, value)]);
    return Object.fromEntries(pairs.filter(([, value]) => value !== undefined));
  }

  function button(view, component, depth) {
    const pressed = make("button", { type: "button", class: component.variant });
    pressed.dataset.key = component.id;
    pressed.append(...worded(view, component.child, depth));
    pressed.addEventListener("click", () => fire(view, component));
    const why = make("p", { class: "hint", id: `why-${(count += 1)}` });
    const frame = make("div", {}, pressed, ...spoken(view, component, pressed), why);
    describe(pressed, why);
    view.watching.push(() => {
      const reason = rules.blocked(view, component.action.event);
      pressed.disabled = reason !== "";
      why.textContent = reason;
      why.hidden = reason === "";
    });
    return frame;
  }

  /** The texts below a button's child: a button holds words alone. */
  function worded(view, id, depth) {
    const component = view.fold.components.get(id);
    view.shown += 1;
    if (component === undefined || depth > DEEPEST || view.shown > MOST_SHOWN) return [];
    if (component.component !== "Text") {
      return childrenOf(component).flatMap((child) => worded(view, child, depth + 1));
    }
    const text = make("span");
    bound(view, component.text, text);
    return [text];
  }

  // ----------------------------------------------------------------------- the ten components

  const box = (view, component, depth, ...classes) => {
    const element = make("div", { class: classes.filter(Boolean).join(" ") });
    element.append(...spoken(view, component, element));
    element.append(...childrenOf(component).flatMap((id) => built(view, id, depth)));
    return element;
  };

  const BUILD = {
    Text(view, component) {
      const { variant = "body" } = component;
      const element = make(variant[0] === "h" ? variant : "p", { class: variant });
      bound(view, component.text, element);
      const hints = spoken(view, component, element);
      return hints.length ? make("div", {}, element, ...hints) : element;
    },
    TextField(view, component) {
      const { variant, placeholder } = component;
      const mode = variant === "number" ? "decimal" : undefined;
      const tag = variant === "longText" ? "textarea" : "input";
      const type = tag === "input" ? "text" : undefined;
      const input = make(tag, { type, inputmode: mode, placeholder, autocomplete: "off" });
      return typed(view, component, input, (text) => text);
    },
    CheckBox(view, component) {
      const input = make("input", { type: "checkbox" });
      input.addEventListener("change", () => rules.entered(view, component, input.checked));
      view.watching.push(() => (input.checked = valueIn(view, component) === true));
      return field(view, component, input, input, labelFor(view, component, input));
    },
    ChoicePicker: picker,
    DateTimeInput(view, component) {
      const both = component.enableDate && component.enableTime && "datetime-local";
      const type = both || (component.enableTime ? "time" : "date");
      const input = make("input", { type });
      return typed(view, component, input, (text) => MOMENTS[type].exec(text)?.[0] ?? "");
    },
    Button: button,
    Column: (view, component, depth) => box(view, component, depth, "column"),
    Row: (view, component, depth) => box(view, component, depth, "row", component.justify),
    Card: (view, component, depth) => box(view, component, depth, "card"),
    Divider: (view, component) => {
      const element = make("hr", { "aria-orientation": component.axis });
      spoken(view, component, element);
      return element;
    },
  };

  /** The rules that a consumer could get wrong, each in one place, where a test can break it. */
  const rules = {
    branch: (version, payload) =>
      version === 2
        ? isPayload2(payload) && agrees(payload) && 2
        : (version === 0 || version === 1) && isPayload1(payload) && 1,
    target: (event) => TARGET[event],
    say: (element, text) => (element.textContent = text),
    hide: ({ element }) => (element.remove(), element.replaceChildren()),
    isRenderable, failing, blocked, submitted, entered,
  };
  globalThis.openwopRules = rules;
  globalThis.openwop = {
    hello: () => ({ name: "OpenWOP reference page", version: "1", features: ["major-1", "dates"] }),
    deliver,
    frame,
    submissions: () => submissions,
  };
})();
