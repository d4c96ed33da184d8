"use strict";
// How charts are drawn, by uPlot. A group of charts shares one axis and one cursor, which pointer and keys move. What is drawn is
// also written: each chart has a label that sums it up, and each group a table. Which charts there are says drawings.js.
const galoCharts = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const inLanguage = (pair) => pair[root.lang === "pt" ? 1 : 0];
  const word = (name) => inLanguage(data.words[name]);
  const figure = (value, digits = 4) =>
    value === null || value === undefined ? "–" : value.toLocaleString(root.lang, { maximumSignificantDigits: digits });
  const element = (tag, properties, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // A canvas knows no variables of the style sheet: an element resolves them. Paper is always light.
  const printing = () => "printing" in root.dataset;
  const probe = document.body.appendChild(element("span", { hidden: true }));
  const colour = (name) => {
    probe.style.colorScheme = printing() ? "light" : "";
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const PAPER_WIDTH = 680;
  // Of a chart that shows nothing but zeros.
  const FLAT_HEIGHT = 72;

  // Colour is never alone in telling lines apart.
  const DASHES = [[], [7, 4], [2, 3], [12, 3, 2, 3]];
  const MARKERS = ["solid", "dashed", "dotted", "double"];

  const seen = (values) => values.filter((value) => value !== null && value !== undefined);
  // 1, 2 or 5 times a power of ten: the nearest one below, or above.
  const round = (value, up) => {
    const power = 10 ** Math.floor(Math.log10(value));
    const steps = [1, 2, 5, 10].map((step) => step * power);
    return up ? steps.find((step) => step >= value * 0.999) : steps.findLast((step) => step <= value * 1.001);
  };
  const range = (panels) => {
    const of = (lines) => seen(lines.flatMap((line) => line.values));
    const lines = panels.flatMap((panel) => panel.lines);
    const values = of(lines.filter((line) => !line.limit));
    // A limit that nothing comes near would press all else to the ground.
    const limit = Math.max(...of(lines.filter((line) => line.limit)), 0);
    const used = Math.max(...values, 0);
    const most = used > limit / 5 ? Math.max(used, limit) : used;
    if (!panels[0].log) return [0, most > 0 ? most * 1.06 : 1];
    const above = values.filter((value) => value > 0);
    return above.length ? [round(Math.min(...above), false), round(most * 1.01, true)] : [0.1, 10];
  };

  const summary = ({ values }, across) => {
    const there = seen(values);
    if (!there.length) return null;
    const [least, most] = [Math.min(...there), Math.max(...there)];
    const mean = there.reduce((sum, value) => sum + value, 0) / there.length;
    return { least, most, mean, at: across.text(across.xs[values.indexOf(most)]) };
  };
  const measured = (panel) => panel.lines.filter((line) => !line.limit);
  const label = (panel, across) => {
    const told = measured(panel).map((line) => {
      const sum = summary(line, across);
      return `${line.name}: ${sum ? `${figure(sum.least)} – ${figure(sum.most)}` : "–"}`;
    });
    return `${panel.title}. ${told.join("; ")}`;
  };
  const table = (columns, across, open) => {
    const heads = [word("line"), word("least"), word("mean"), word("most"), word("mostAt")];
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col", textContent: text })));
    const body = element("tbody", {});
    for (const panel of columns.flat()) {
      for (const line of measured(panel)) {
        const sum = summary(line, across);
        const cells = sum ? [figure(sum.least), figure(sum.mean), figure(sum.most), sum.at] : ["–", "–", "–", "–"];
        const name = element("th", { scope: "row", textContent: `${line.name}: ${panel.title}` });
        body.append(element("tr", {}, name, ...cells.map((text) => element("td", { textContent: text }))));
      }
    }
    const whole = element("table", {}, element("thead", {}, head), body);
    const scroll = element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: word("asATable") }, whole);
    return element("details", { open }, element("summary", { textContent: word("asATable") }), scroll);
  };

  const plot = (panel, across, width, box, moved) => {
    const axis = {
      stroke: colour("faint"),
      grid: { stroke: colour("rule"), width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
    };
    const place = (_, x) => (x === null || x === undefined ? "–" : across.text(x));
    const isFlat = !panel.log && !panel.lines.some(({ values }) => values.some((value) => value > 0));
    const series = panel.lines.map((line) => ({
      label: line.name,
      stroke: colour(line.colour),
      width: line.width ?? 2,
      dash: DASHES[line.dash ?? 0],
      points: { size: 5, show: line.limit ? false : undefined },
      spanGaps: across.spanGaps ?? false,
      value: (_, value) => figure(value),
    }));
    const options = {
      width,
      height: isFlat ? FLAT_HEIGHT : panel.height,
      series: [{ label: across.name, value: place }, ...series],
      scales: { x: { time: false, ...across.scale }, y: { distr: panel.log ? 3 : 1, range: () => panel.range } },
      axes: [
        { ...axis, size: 28, ...across.axis },
        { ...axis, size: 58, values: (_, splits) => splits.map((value) => (value === null ? "" : figure(value))) },
      ],
      cursor: { sync: { key: across.key }, y: false, drag: { x: across.zooms ?? false, y: false } },
      legend: { markers: { width: 2, dash: (_, index) => MARKERS[panel.lines[index - 1]?.dash ?? 0] } },
      hooks: { setCursor: [(u) => moved(u.cursor.idx)] },
    };
    return new uPlot(options, [across.xs, ...panel.lines.map((line) => line.values)], box);
  };

  // Charts in columns. `make` says which, each time anew: { across, columns: [[panel]] }.
  const group = (id, make) => {
    const box = document.getElementById(id);
    if (!box) return () => {};
    let plots = [];
    let across = null;
    let columns = [];
    let at = -1;
    const status = element("p", { className: "hidden", role: "status" });
    const grid = element("div", { className: "columns", tabIndex: 0, role: "group" });
    grid.setAttribute("aria-labelledby", box.closest("section").getAttribute("aria-labelledby"));
    const below = element("div", {});
    box.append(grid, status, below);

    const width = (holder) => (printing() ? PAPER_WIDTH / columns.length : holder.clientWidth);
    const draw = () => {
      plots.forEach((one) => one.destroy());
      ({ across, columns } = make());
      grid.replaceChildren();
      grid.dataset.columns = columns.length;
      const panels = columns.flat();
      for (const panel of panels) panel.range = range(panels.filter((other) => other.kind === panel.kind));
      const holders = columns.map(() => grid.appendChild(element("div", {})));
      plots = columns.flatMap((column, index) => column.map((panel) => {
        const canvas = element("div", { className: "plot", role: "img", ariaLabel: label(panel, across) });
        holders[index].append(element("figure", {}, element("figcaption", { textContent: panel.title }), canvas));
        return plot(panel, across, width(holders[index]), canvas, (index) => { at = index ?? at; });
      }));
      const wasOpen = below.firstElementChild?.open ?? false;
      below.replaceChildren(table(columns, across, wasOpen));
    };

    const tell = () => {
      const value = (line) => `${line.name} ${figure(line.values[at])}`;
      const told = columns.flat().map((panel) => `${panel.title}: ${measured(panel).map(value).join(", ")}`);
      status.textContent = `${across.name} ${across.text(across.xs[at])}. ${told.join("; ")}`;
    };
    const zoom = (factor) => {
      const [first, last] = [across.xs[0], across.xs.at(-1)];
      const { min, max } = plots[0].scales.x;
      const half = Math.min((max - min) * factor, last - first) / 2;
      const middle = Math.min(Math.max(across.xs[at] ?? first, first + half), last - half);
      for (const one of plots) one.setScale("x", { min: middle - half, max: middle + half });
    };
    const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
    const ZOOMS = { "+": 0.5, "-": 2 };
    grid.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !across.xs.length) return;
      if (event.key in STEPS) {
        event.preventDefault();
        at = Math.min(Math.max(at + STEPS[event.key], 0), across.xs.length - 1);
        for (const one of plots) one.setCursor({ left: one.valToPos(across.xs[at], "x"), top: 0 });
        tell();
      } else if (across.zooms && event.key in ZOOMS) {
        zoom(ZOOMS[event.key]);
      }
    });
    new ResizeObserver(() => {
      if (printing()) return;
      for (const one of plots) {
        const room = one.root.parentElement.clientWidth;
        if (room && room !== one.width) one.setSize({ width: room, height: one.height });
      }
    }).observe(grid);
    return draw;
  };

  return { data, word, inLanguage, figure, element, group };
})();
