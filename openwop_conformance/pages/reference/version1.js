"use strict";
/*
 * A version 1 surface as components and data of version 2: the mechanical map of RFC 0209, with the
 * placeholder that A2UI has no member for kept aside.
 */
(() => {
  /** Ids that no path names: for these the field gets another member of the data. */
  const UNNAMEABLE = ["", "__proto__", "constructor", "prototype"];

  /** A version 1 tree as components and data: the mechanical map of RFC 0209, and placeholders. */
  function converted(surface) {
    const components = new Map();
    const data = {};
    const children = [];
    const add = (component) => components.set(component.id, component);
    if (surface.title !== undefined) {
      children.push("title");
      add({ id: "title", component: "Text", text: surface.title, variant: "h1" });
    }
    surface.components.forEach((old, number) => {
      const id = `c${number}`;
      const key = UNNAMEABLE.includes(old.id) ? `field-${number}` : (old.id ?? "");
      const path = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      const check = { condition: { args: { value: { path } } }, message: `${old.label}: required` };
      const field = { id, label: old.label, value: { path }, checks: old.required ? [check] : [] };
      const empty = { "field.select": [], "field.checkbox": old.default ?? false };
      const isNew = old.component.startsWith("field.") && !Object.hasOwn(data, key);
      if (isNew) data[key] = empty[old.component] ?? "";
      children.push(id);
      if (old.component === "heading") {
        add({ id, component: "Text", text: old.text, variant: `h${Math.min(old.level ?? 2, 5)}` });
      } else if (old.component === "text") {
        add({ id, component: "Text", text: old.text });
      } else if (old.component === "field.text") {
        add({ ...field, component: "TextField", placeholder: old.placeholder });
      } else if (old.component === "field.date") {
        add({ ...field, component: "DateTimeInput", enableDate: true });
      } else if (old.component === "field.checkbox") {
        add({ ...field, component: "CheckBox" });
      } else if (old.component === "field.select") {
        const options = old.options;
        add({ ...field, component: "ChoicePicker", variant: "mutuallyExclusive", options });
      } else {
        const event = { name: old.action.target };
        add({ id, component: "Button", child: `${id}-label`, action: { event } });
        add({ id: `${id}-label`, component: "Text", text: old.label });
      }
    });
    add({ id: "root", component: "Column", children });
    return { components, data };
  }

  globalThis.openwopVersion1 = Object.freeze({ converted });
})();
