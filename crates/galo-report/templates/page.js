"use strict";
// Language, colours, copying and printing. Nothing is kept outside of the page, so nothing of that can fail.
(() => {
  const root = document.documentElement;
  const changed = () => document.dispatchEvent(new Event("lookchange"));

  const offered = ["en", "pt"];
  const asked = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  if (!("fixed" in root.dataset)) root.lang = asked.find((tag) => offered.includes(tag)) ?? "en";

  const choose = (name, chosen, apply) => {
    for (const input of document.querySelectorAll(`input[name=${name}]`)) {
      input.checked = input.value === chosen;
      input.addEventListener("change", () => {
        apply(input.value);
        changed();
      });
    }
  };
  choose("language", root.lang, (language) => { root.lang = language; });
  choose("theme", "system", (theme) => { root.dataset.theme = theme; });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  for (const hidden of document.querySelectorAll(".controls, .with-charts, #copy")) hidden.hidden = false;

  const command = document.getElementById("command");
  document.getElementById("copy")?.addEventListener("click", async () => {
    getSelection().selectAllChildren(command);
    try {
      await navigator.clipboard.writeText(command.textContent);
    } catch {
      // Where the clipboard is not for pages from files; the command is selected now, in any case.
      if (!document.execCommand("copy")) return;
    }
    document.getElementById("copied").hidden = false;
  });

  // Paper is light and of another width, so charts are drawn for it; and everything is unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    root.dataset.printing = "";
    changed();
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
    delete root.dataset.printing;
    changed();
  });

  // A link to something folded, or to a finding, shows it.
  const unfold = () => {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (target) for (const details of target.querySelectorAll("details")) details.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
})();
