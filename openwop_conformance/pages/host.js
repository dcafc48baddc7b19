/*
 * What a host page does around a renderer of A2UI, and no more: it holds each payload to the
 * profile before delivery, folds by sequence, takes a deleted surface away, and submits.
 *
 * A renderer knows neither partial envelopes nor trust. So actions are withheld here: all of a
 * surface, by making it inert, while its last envelope is partial, and an approval on an untrusted
 * one for ever. Checks it knows, and they are left to it. An
 * envelope that was late has its surface rendered anew, without what was typed. What a renderer
 * makes of a surface is left as it is. With `?protections=off` all goes straight to the renderer,
 * and every event is submitted as the renderer tells it.
 */
import "./reference/profile.js";
import "./reference/fold.js";

const { isPayload2, agrees } = globalThis.openwopProfile;
const { Fold } = globalThis.openwopFold;
const TARGET = { resume: "interrupt", exchange: "turn" };
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "base-uri 'none'; form-action 'none'";

/**
 * Define `window.openwop` over a renderer: `makeProcessor(onAction)` makes web_core's
 * MessageProcessor, `show(surface, element)` renders a surface into an element and returns what
 * takes it away again.
 */
export function serve({ name, version, makeProcessor, show }) {
  const isProtected = new URLSearchParams(location.search).get("protections") !== "off";
  const runs = new Map();
  const submissions = [];
  if (isProtected) {
    const policy = document.createElement("meta");
    policy.httpEquiv = "Content-Security-Policy";
    policy.content = POLICY;
    document.head.append(policy);
  }

  function runOf(id) {
    if (runs.has(id)) return runs.get(id);
    const run = { folds: new Map(), shown: new Map() };
    run.processor = makeProcessor((action) => submit(id, run, action));
    run.processor.onSurfaceCreated((surface) => {
      const element = document.createElement("section");
      element.dataset.surfaceId = surface.id;
      document.querySelector("#surfaces").append(element);
      const hide = show(surface, element);
      run.shown.set(surface.id, { element, hide: () => (hide?.(), element.remove()) });
    });
    run.processor.onSurfaceDeleted((surfaceId) => {
      if (!isProtected) return;
      run.shown.get(surfaceId)?.hide();
      run.shown.delete(surfaceId);
    });
    runs.set(id, run);
    return run;
  }

  function deliver(envelope) {
    const { schemaVersion, payload, type = "ui.a2ui-surface" } = envelope;
    const run = runOf(envelope.run);
    if (!isProtected) return process(run, payload?.messages ?? []);
    if (type !== "ui.a2ui-surface" || schemaVersion !== 2) return;
    if (!isPayload2(payload) || !agrees(payload)) return;
    const { surfaceId, messages } = payload;
    if (!run.folds.has(surfaceId)) run.folds.set(surfaceId, new Fold());
    const fold = run.folds.get(surfaceId);
    const entry = {
      sequence: envelope.sequence,
      untrusted: envelope.trust === "untrusted",
      partial: envelope.partial === true,
      node: envelope.node,
      messages,
    };
    const order = fold.take(entry);
    if (order === "next" && entry.applied) process(run, messages);
    if (order === "late") {
      const gone = { version: "v0.9", deleteSurface: { surfaceId } };
      if (run.shown.has(surfaceId)) process(run, [gone]);
      process(run, fold.entries.flatMap((one) => (one.applied ? one.messages : [])));
    }
    const shown = run.shown.get(surfaceId);
    if (shown) shown.element.inert = fold.partial;
  }

  /** One message after the other: one that the renderer throws at does not keep the rest away. */
  function process(run, messages) {
    for (const message of structuredClone(messages)) {
      try {
        run.processor.processMessages([message]);
      } catch (error) {
        console.warn(error);
      }
    }
  }

  function submit(id, run, action) {
    const { name: event, surfaceId, sourceComponentId, timestamp, context } = action;
    const fold = run.folds.get(surfaceId);
    let data = context;
    if (isProtected) {
      if (!Object.hasOwn(TARGET, event) || fold.partial) return;
      if (fold.untrusted && event === "resume") return;
      const asked = fold.components.get(sourceComponentId)?.action.event.context;
      if (asked === undefined) data = run.processor.model.getSurface(surfaceId).dataModel.get("/");
    }
    submissions.push({
      to: Object.hasOwn(TARGET, event) ? TARGET[event] : "other",
      surface: surfaceId,
      event,
      component: sourceComponentId,
      timestamp: String(timestamp),
      data: JSON.parse(JSON.stringify(data ?? {})),
      ...(fold?.node !== undefined && { node: fold.node }),
      ...(id !== undefined && { run: id }),
    });
  }

  globalThis.openwop = {
    hello: () => ({ name, version, features: ["dates"] }),
    deliver,
    submissions: () => submissions,
  };
}
