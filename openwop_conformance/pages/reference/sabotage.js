"use strict";
/*
 * With `?sabotage=NAME` the page breaks one rule, as a real client might; without, it does nothing.
 */
(() => {
  const rules = globalThis.openwopRules;
  const { Fold } = globalThis.openwopFold;
  const { Tree } = globalThis.openwopDelta;
  const right = { ...rules };
  const { take } = Fold.prototype;
  const changed = (change) => {
    Fold.prototype.take = function (entry) {
      return take.call(this, change(entry, this));
    };
  };

  /** Open, once, what is found in a text that is shown. */
  const opening = (pattern) => {
    const opened = new Set();
    rules.say = (element, text) => {
      right.say(element, text);
      const [, address] = pattern.exec(text) ?? [];
      if (address !== undefined && !opened.has(address)) open(address);
      opened.add(address);
    };
  };

  const SABOTAGES = {
    "page-root-unneeded": () => {
      rules.isRenderable = (components) => {
        if (!components.has("root") && components.size) {
          const children = [...components.keys()];
          return right.isRenderable(
            components.set("root", { id: "root", component: "Column", children }),
          );
        }
        return right.isRenderable(components);
      };
    },
    "page-partial-enabled": () => changed((entry) => ({ ...entry, partial: false })),
    "page-trust-latest": () => {
      Fold.prototype.take = function (entry) {
        const order = take.call(this, entry);
        this.untrusted = entry.untrusted;
        return order;
      };
    },
    "page-deleted-stays": () => {
      rules.hide = (view) => (view.fold.live || view.tree) && right.hide(view);
    },
    "page-profile-unchecked": () => {
      rules.branch = (version, payload) =>
        Array.isArray(payload?.messages) ? version === 2 && 2 : right.branch(version, payload);
    },
    "page-version-guessed": () => {
      rules.branch = (version, payload) => right.branch(2, payload) || right.branch(1, payload);
    },
    "page-text-as-markup": () => {
      rules.say = (element, text) => (element.innerHTML = text);
    },
    "page-as-it-arrives": () => {
      let last = 0;
      changed((entry) => ({ ...entry, sequence: (last += 1) }));
    },
    "page-exchange-to-interrupt": () => {
      rules.target = () => "interrupt";
    },
    "page-context-unresolved": () => {
      rules.submitted = (view, context) => context ?? right.submitted(view, context);
    },
    "page-context-as-empty": () => {
      rules.submitted = (view, context) => right.submitted(view, context ?? {});
    },
    "page-checks-ignored": () => {
      rules.failing = () => "";
    },
    "page-typed-is-lost": () => {
      rules.entered = () => {};
    },
    "page-obscured-shown": () => {
      const plain = (payload) =>
        JSON.parse(
          JSON.stringify(payload, (name, value) =>
            name === "variant" && value === "obscured" ? undefined : value,
          ),
        );
      rules.branch = (version, payload) => right.branch(version, plain(payload));
    },
    "page-message-unsaid": () => {
      const { setAttribute } = Element.prototype;
      Element.prototype.setAttribute = function (name, value) {
        if (name !== "aria-describedby") setAttribute.call(this, name, value);
      };
    },
    "page-image-fetched": () => opening(/!\[[^\]]*\]\(([^)]+)\)/),
    "page-address-opened": () => opening(/^(https?:\S+)$/),
    "page-entry-opened": () => {
      rules.entered = (view, component, value) => {
        if (/^https?:/.test(value)) open(value);
        right.entered(view, component, value);
      };
    },
    "page-press-tracked": () => {
      rules.target = (event) => {
        open("http://127.0.0.1:9/pressed");
        return right.target(event);
      };
    },
    "page-expression-run": () => {
      const run = new Set();
      rules.say = (element, text) => {
        right.say(element, text);
        const [, said] = /\{\{.*alert\((\d+)\).*\}\}/.exec(text) ?? [];
        if (said !== undefined && !run.has(said)) alert(said);
        run.add(said);
      };
    },
    "page-patch-fetches": () => {
      const { frame } = Tree.prototype;
      Tree.prototype.frame = function (sent, sequence) {
        for (const { value } of sent.patch) if (value?.url) open(value.url);
        return frame.call(this, sent, sequence);
      };
    },
    "page-patch-unseen": () => {
      const { frame } = Tree.prototype;
      Tree.prototype.frame = function (...sent) {
        const { payload } = this;
        const taken = frame.apply(this, sent);
        if (this.stale) Object.assign(this, { payload, stale: false });
        return taken;
      };
    },
    "page-undefined-shown": () => {
      rules.say = (element, text) => right.say(element, text || "undefined");
    },
  };

  const name = new URLSearchParams(location.search).get("sabotage");
  if (name !== null) SABOTAGES[name]();
})();
