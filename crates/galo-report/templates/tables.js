"use strict";
// Long tables: rows are found by what stands in them, and sorted by a column. Without a script they stand as they were written.
(() => {
  for (const table of document.querySelectorAll("table[data-long]")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];

    const search = document.getElementById(`${table.caption.id}-search`);
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      for (const row of rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });

    // What was not seen stands last, whichever way the others are sorted.
    const sort = (at, sign) => {
      const keyed = rows.map((row) => {
        const { dataset, innerText } = row.cells[at];
        return { row, text: innerText, key: "key" in dataset ? Number(dataset.key) : null };
      });
      const isUnseen = ({ key, text }) => key === null && (text === "" || text === "-");
      keyed.sort((a, b) => {
        if (isUnseen(a) || isUnseen(b)) return isUnseen(a) - isUnseen(b);
        const order = a.key !== null && b.key !== null ? a.key - b.key : a.text.localeCompare(b.text, undefined, { numeric: true });
        return sign * order;
      });
      body.append(...keyed.map(({ row }) => row));
    };

    for (const [at, head] of heads.entries()) {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const rises = head.ariaSort !== "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.ariaSort = rises ? "ascending" : "descending";
        sort(at, rises ? 1 : -1);
      });
    }
  }
})();
