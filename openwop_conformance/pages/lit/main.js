/* The A2UI renderer of npm's @a2ui/lit on a page: each surface is an <a2ui-surface>. */
import { Context, basicCatalog } from "@a2ui/lit/v0_9";
import { renderMarkdown } from "@a2ui/markdown-it";
import { MessageProcessor } from "@a2ui/web_core/v0_9";
import { ContextProvider } from "@lit/context";
import { serve } from "../host.js";

new ContextProvider(document.body, { context: Context.markdown, initialValue: renderMarkdown });

serve({
  name: "@a2ui/lit",
  version: "0.11.0",
  makeProcessor: (onAction) => new MessageProcessor([basicCatalog], onAction),
  show(surface, element) {
    const shown = document.createElement("a2ui-surface");
    shown.surface = surface;
    element.append(shown);
  },
});
