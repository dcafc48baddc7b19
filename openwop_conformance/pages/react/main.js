/* The A2UI renderer of npm's @a2ui/react on a page: each surface is a React root. */
import { A2uiSurface, MarkdownContext, basicCatalog } from "@a2ui/react/v0_9";
import { renderMarkdown } from "@a2ui/markdown-it";
import { MessageProcessor } from "@a2ui/web_core/v0_9";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { serve } from "../host.js";

serve({
  name: "@a2ui/react",
  version: "0.11.1",
  makeProcessor: (onAction) => new MessageProcessor([basicCatalog], onAction),
  show(surface, element) {
    const root = createRoot(element);
    const shown = createElement(A2uiSurface, { surface });
    root.render(createElement(MarkdownContext.Provider, { value: renderMarkdown }, shown));
    return () => root.unmount();
  },
});
