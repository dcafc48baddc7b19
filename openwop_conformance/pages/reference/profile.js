"use strict";
/*
 * The closed OpenWOP profile as tables: is this a payload of version 2, or of version 1?
 *
 * Written from RFC 0209 §A.2 and §B for version 2, RFC 0102 for version 1. It knows no schema
 * language: a check is a function from a value to true or false, and an object has just the members
 * that its table names. Own members alone count, so that no name reaches into a prototype.
 */
(() => {
  const CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json";

  const anything = () => true;
  const text = (value) => typeof value === "string";
  const number = (value) => typeof value === "number";
  const flag = (value) => typeof value === "boolean";
  const isArray = (value) => Array.isArray(value);
  const isObject = (value) => typeof value === "object" && value !== null && !isArray(value);
  const oneOf = (...words) => (value) => words.includes(value);
  const either = (...checks) => (value) => checks.some((check) => check(value));
  const matching = (pattern) => (value) => text(value) && pattern.test(value);
  const shorter = (most) => (value) => text(value) && [...value].length <= most;
  const list = (item, least = 0, most = Infinity) => (value) =>
    isArray(value) && value.length >= least && value.length <= most && value.every(item);

  /** An object with exactly these members; a name that ends in "?" may be missing. */
  function closed(table) {
    const members = new Map();
    const needed = [];
    for (const [name, check] of Object.entries(table)) {
      const plain = name.replace(/\?$/, "");
      members.set(plain, check);
      if (plain === name) needed.push(name);
    }
    return (value) =>
      isObject(value) &&
      needed.every((name) => Object.hasOwn(value, name)) &&
      Object.keys(value).every((name) => members.has(name) && members.get(name)(value[name]));
  }
  const mapOf = (check) => (value) => isObject(value) && Object.values(value).every(check);

  // ------------------------------------------------------------------ version 2: components

  const binding = closed({ path: text });
  const words = either(text, binding);
  const context = mapOf(either(text, number, flag, isArray, binding));
  const required = closed({
    call: oneOf("required"),
    args: closed({ value: binding }),
    "returnType?": oneOf("boolean"),
  });
  const checks = list(closed({ condition: required, message: text }));
  const accessibility = closed({ "label?": words, "description?": words });
  const event = closed({ name: oneOf("resume", "exchange"), "context?": context });
  const option = closed({ label: words, value: text });
  const align = oneOf("start", "center", "end", "stretch");
  const justify = oneOf(
    "start", "center", "end", "spaceBetween", "spaceAround", "spaceEvenly", "stretch",
  );
  const lane = { children: list(text), "justify?": justify, "align?": align };

  const MEMBERS = {
    Text: { text: words, "variant?": oneOf("h1", "h2", "h3", "h4", "h5", "caption", "body") },
    TextField: {
      label: words,
      "value?": words,
      "variant?": oneOf("longText", "number", "shortText"),
      "validationRegexp?": shorter(256),
      "checks?": checks,
    },
    CheckBox: { label: words, value: either(flag, binding), "checks?": checks },
    ChoicePicker: {
      "label?": words,
      "variant?": oneOf("multipleSelection", "mutuallyExclusive"),
      options: list(option, 1),
      value: either(list(text), binding),
      "displayStyle?": oneOf("checkbox", "chips"),
      "filterable?": flag,
      "checks?": checks,
    },
    DateTimeInput: {
      "label?": words,
      value: words,
      "enableDate?": flag,
      "enableTime?": flag,
      "checks?": checks,
    },
    Button: {
      child: text,
      action: closed({ event }),
      "variant?": oneOf("default", "primary", "borderless"),
    },
    Column: lane,
    Row: lane,
    Card: { child: text },
    Divider: { "axis?": oneOf("horizontal", "vertical") },
  };

  /** An object that is held to the table which one of its members names. */
  function named(member, tables, common) {
    const kinds = new Map(
      Object.entries(tables).map(([kind, table]) => [
        kind,
        closed({ ...common, ...table, [member]: text }),
      ]),
    );
    return (value) =>
      isObject(value) &&
      Object.hasOwn(value, member) &&
      kinds.has(value[member]) &&
      kinds.get(value[member])(value);
  }
  const component = named("component", MEMBERS, {
    id: text,
    "accessibility?": accessibility,
    "weight?": number,
  });

  // -------------------------------------------------------------------- version 2: messages

  const theme = closed({
    "primaryColor?": matching(/^#[0-9a-fA-F]{6}$/),
    "agentDisplayName?": text,
  });
  const surfaceId = text;
  const BODIES = {
    createSurface: closed({ surfaceId, catalogId: text, "theme?": theme }),
    updateComponents: closed({ surfaceId, components: list(component, 1, 512) }),
    updateDataModel: closed({ surfaceId, "path?": matching(/^\//), "value?": anything }),
    deleteSurface: closed({ surfaceId }),
  };
  const KINDS = Object.keys(BODIES);
  const message = either(
    ...KINDS.map((kind) => closed({ version: oneOf("v0.9"), [kind]: BODIES[kind] })),
  );
  const isPayload2 = closed({
    "reasoning?": text,
    version: oneOf("v0.9"),
    catalogId: oneOf(CATALOG),
    surfaceId,
    messages: list(message, 1, 64),
  });

  /** The kind of a message of the profile. */
  const kindOf = (aMessage) => KINDS.find((kind) => Object.hasOwn(aMessage, kind));

  /** Does every message name the payload's surface and catalog (RFC 0209 §A.2)? */
  const agrees = (payload) =>
    payload.messages.every((aMessage) => {
      const body = aMessage[kindOf(aMessage)];
      const catalog = Object.hasOwn(body, "catalogId") ? body.catalogId : payload.catalogId;
      return body.surfaceId === payload.surfaceId && catalog === payload.catalogId;
    });

  // ------------------------------------------------------------------------------ version 1

  const field = { id: text, label: text };
  const choice = closed({ value: text, label: text });
  const level = (value) => Number.isInteger(value) && value >= 1 && value <= 6;
  const TREE = {
    heading: { text, "level?": level },
    text: { text },
    "field.text": { ...field, "placeholder?": text, "required?": flag },
    "field.date": { ...field, "required?": flag },
    "field.select": { ...field, "required?": flag, options: list(choice, 1) },
    "field.checkbox": { ...field, "default?": flag },
    "action.button": { ...field, action: closed({ target: oneOf("resume", "exchange") }) },
  };
  const isPayload1 = closed({
    "reasoning?": text,
    catalogVersion: oneOf("0.9.1"),
    surface: closed({ "title?": text, components: list(named("component", TREE, {})) }),
  });

  globalThis.openwopProfile = Object.freeze({ isPayload1, isPayload2, agrees, kindOf });
})();
