"use strict";
(() => {
  const form = document.getElementById("filter");
  const rows = [...document.querySelectorAll("tbody tr")];
  const words = rows.map((row) => row.textContent.toLowerCase());
  const fields = [...form.elements].filter((field) => field.name);
  const output = form.querySelector("output");

  const values = () => Object.fromEntries(fields.map((field) => [field.name, field.value.trim()]));

  const shows = (row, index, wanted) =>
    (!wanted.outcome || row.dataset.outcome === wanted.outcome) &&
    (!wanted.subject || row.dataset.subject === wanted.subject) &&
    (!wanted.source || row.dataset.sources.includes(`|${wanted.source}|`)) &&
    wanted.text.toLowerCase().split(/\s+/).every((word) => words[index].includes(word));

  const filter = () => {
    const wanted = values();
    rows.forEach((row, index) => { row.hidden = !shows(row, index, wanted); });
    const left = rows.filter((row) => !row.hidden).length;
    output.textContent = left === rows.length ? `${left} rules` : `${left} of ${rows.length} rules`;
    document.getElementById("nothing").hidden = left > 0;
  };

  const remember = () => {
    const set = Object.entries(values()).filter(([, value]) => value);
    const hash = set.length ? `#${new URLSearchParams(set)}` : "#rules";
    history.replaceState(null, "", hash);
  };

  // A hash with "=" in it is a filter, any other the id of a place.
  const follow = () => {
    const hash = location.hash.slice(1);
    if (hash.includes("=")) {
      const wanted = new URLSearchParams(hash);
      for (const field of fields) field.value = wanted.get(field.name) ?? "";
      filter();
      return;
    }
    const place = document.getElementById(decodeURIComponent(hash));
    if (!place) return;
    if (place.hidden) { form.reset(); filter(); }
    if (place.matches("details")) place.open = true;
    for (const inner of place.querySelectorAll(":scope > details, :scope > td > details")) inner.open = true;
    for (let outer = place.closest("details"); outer; outer = outer.parentElement.closest("details")) outer.open = true;
    place.scrollIntoView();
  };

  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => { filter(); remember(); });
  form.addEventListener("reset", () => setTimeout(() => { filter(); remember(); }));
  addEventListener("hashchange", follow);
  filter();
  follow();

  for (const link of document.querySelectorAll("a[data-outcome]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      for (const field of fields) field.value = field.name === "outcome" ? link.dataset.outcome : "";
      filter();
      remember();
      const heading = document.getElementById("rules");
      heading.scrollIntoView();
      heading.focus({ preventScroll: true });
    });
  }

  for (const button of document.querySelectorAll("[data-toggle]")) {
    const all = [...document.querySelectorAll(button.dataset.toggle)];
    const name = () => { button.textContent = all.every((each) => each.open) ? "Close all" : "Open all"; };
    button.hidden = false;
    button.addEventListener("click", () => {
      const open = !all.every((each) => each.open);
      for (const each of all) each.open = open;
      name();
    });
    for (const each of all) each.addEventListener("toggle", name);
    name();
  }

  for (const button of document.querySelectorAll("[data-copy]")) {
    const text = button.parentElement.nextElementSibling;
    if (!text.matches("pre")) continue;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const each of opened) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of opened) each.open = false;
  });
})();
