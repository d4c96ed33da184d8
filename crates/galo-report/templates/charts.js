"use strict";
// The charts, drawn by uPlot from the columns in #data. A group of charts shares one axis and one cursor, which pointer and
// keys move. What is drawn is also written: each chart has a label that sums it up, and each group a table.
(() => {
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
  const label = (panel, across) => {
    const told = panel.lines.filter((line) => !line.limit).map((line) => {
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
      for (const line of panel.lines.filter((line) => !line.limit)) {
        const sum = summary(line, across);
        const cells = sum ? [figure(sum.least), figure(sum.mean), figure(sum.most), sum.at] : ["–", "–", "–", "–"];
        const name = element("th", { scope: "row", textContent: `${line.name}: ${panel.title}` });
        body.append(element("tr", {}, name, ...cells.map((text) => element("td", { textContent: text }))));
      }
    }
    const scroll = element("div", { className: "scroll", tabIndex: 0 }, element("table", {}, element("thead", {}, head), body));
    return element("details", { open }, element("summary", { textContent: word("asATable") }), scroll);
  };

  const plot = (panel, across, width, box, moved) => {
    const axis = { stroke: colour("faint"), grid: { stroke: colour("rule"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
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
      height: panel.log || panel.lines.some(({ values }) => values.some((value) => value > 0)) ? panel.height : FLAT_HEIGHT,
      series: [{ label: across.name, value: (_, value) => (value === null || value === undefined ? "–" : across.text(value)) }, ...series],
      scales: { x: { time: false, ...across.scale }, y: { distr: panel.log ? 3 : 1, range: () => panel.range } },
      axes: [
        { ...axis, size: 28, ...across.axis },
        { ...axis, size: 58, values: (_, splits) => splits.map((value) => (value === null ? "" : figure(value))) },
      ],
      cursor: { sync: { key: across.key }, y: false, drag: { x: true, y: false } },
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
    const status = element("p", { className: "hidden" });
    status.setAttribute("role", "status");
    const grid = element("div", { className: "columns", tabIndex: 0 });
    grid.setAttribute("role", "group");
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
        const canvas = element("div", { className: "plot" });
        canvas.setAttribute("role", "img");
        canvas.setAttribute("aria-label", label(panel, across));
        holders[index].append(element("figure", {}, element("figcaption", { textContent: panel.title }), canvas));
        return plot(panel, across, width(holders[index]), canvas, (index) => { at = index ?? at; });
      }));
      const wasOpen = below.firstElementChild?.open ?? false;
      below.replaceChildren(table(columns, across, wasOpen));
    };

    const tell = () => {
      const value = (line) => `${line.name} ${figure(line.values[at])}`;
      const told = columns.flat().map((panel) => `${panel.title}: ${panel.lines.filter((line) => !line.limit).map(value).join(", ")}`);
      status.textContent = `${across.name} ${across.text(across.xs[at])}. ${told.join("; ")}`;
    };
    const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
    grid.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in STEPS) || !across.xs.length) return;
      event.preventDefault();
      at = Math.min(Math.max(at + STEPS[event.key], 0), across.xs.length - 1);
      for (const one of plots) one.setCursor({ left: one.valToPos(across.xs[at], "x"), top: 0 });
      tell();
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

  // Over time: which round of whom is shown, and whether in one chart or in one each.
  const shown = [...data.shown];
  let overlaid = true;
  const rounds = () => shown.filter((index) => index !== null).map((index) => data.rounds[index]);
  const byContender = (round) => `c${round.contender % 4}`;
  const load = (all) => {
    const named = (round, name) => (data.contenders.length > 1 ? `${data.contenders[round.contender]} ${name}` : name);
    const lines = (make) => all.flatMap((round) => make(round, byContender(round)));
    const panels = [
      { kind: "latency", title: word("latencyAxis"), log: true, height: 220,
        lines: lines((round, colour) => [{ name: named(round, "p50"), values: round.p50, colour, dash: 1 }, { name: named(round, "p99"), values: round.p99, colour }]) },
      { kind: "rate", title: word("rateAxis"), height: 160,
        lines: [{ name: word("arrivals"), values: all[0].arrivals, colour: "arrivals", width: 6 }, ...lines((round, colour) => [{ name: named(round, word("done")), values: round.done, colour }])] },
      { kind: "errors", title: word("errorsAxis"), height: 110,
        lines: lines((round, colour) => [{ name: named(round, word("notRight")), values: round.not_ok, colour }]) },
    ];
    return panels;
  };
  const services = (round) => {
    const title = (text) => (shown.length > 1 ? `${data.contenders[round.contender]}: ${text}` : text);
    const line = (values) => (service, index) => ({ name: service.name, values: values(service), colour: `s${index % 4}`, dash: index % 4 });
    const against = (kind, limited, unlimited, values, limit) => {
      const bounded = round.services.every((service) => limit(service) !== null);
      const shares = (service) => values(service).map((value) => (value === null || !bounded ? value : (value / limit(service)) * 100));
      const lines = round.services.map(line(shares));
      if (bounded) lines.push({ name: word("limit"), values: values(round.services[0]).map(() => 100), colour: "bad", dash: 1, width: 1.5, limit: true });
      return { kind: kind + bounded, title: title(bounded ? limited : unlimited), height: 160, lines };
    };
    return round.services.length === 0 ? [] : [
      against("cpu", word("cpuAxis"), word("cpuAxisUnlimited"), (service) => service.cpu, (service) => service.cpus),
      { kind: "throttled", title: title(word("throttledAxis")), height: 120, lines: round.services.map(line((service) => service.throttled)) },
      against("memory", word("memoryAxis"), word("memoryAxisUnlimited"), (service) => service.memory, (service) => service.memory_mib),
    ];
  };
  const drawTimeline = group("timeline", () => {
    const all = rounds();
    const length = Math.max(0, ...all.map((round) => Math.max(round.p50.length, ...round.services.map((service) => service.cpu.length))));
    const xs = Array.from({ length }, (_, second) => second);
    const across = { key: "time", xs, name: word("second"), text: (x) => figure(x), axis: { values: (_, splits) => splits.map((x) => `${figure(x)} s`) } };
    const together = all.length ? [[...load(all), ...all.flatMap(services)]] : [];
    const columns = overlaid ? together : all.map((round) => [...load([round]), ...services(round)]);
    for (const line of columns.flat(2).flatMap((panel) => panel.lines)) line.values = xs.map((x) => line.values[x] ?? null);
    return { across, columns };
  });
  const drawPercentiles = group("percentiles", () => {
    const all = rounds();
    const xs = [...new Set(all.flatMap((round) => [...round.latency[0], ...round.service_time[0]]))].sort((a, b) => a - b);
    const text = (oneIn) => `${figure(100 - 100 / oneIn, 7)} %`;
    const most = xs.at(-1) ?? 10;
    const splits = [1, 2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((oneIn) => oneIn < most);
    const across = { key: "percentile", xs, name: word("percentile"), text, spanGaps: true, scale: { distr: 3, range: () => [1, most] },
      axis: { splits: () => splits, filter: (_, all) => all, values: (_, all) => all.map(text) } };
    const curve = ([at, ms], name, colour, dash) => {
      const known = new Map(at.map((oneIn, index) => [oneIn, ms[index]]));
      return { name, values: xs.map((oneIn) => known.get(oneIn) ?? null), colour, dash };
    };
    const lines = all.flatMap((round) => [
      curve(round.latency, `${data.contenders[round.contender]}: ${word("latency")}`, byContender(round), 0),
      curve(round.service_time, `${data.contenders[round.contender]}: ${word("serviceTime")}`, byContender(round), 1),
    ]);
    return { across, columns: [[{ kind: "percentile", title: word("percentileAxis"), log: true, height: 300, lines }]] };
  });
  // Of a duel: both sides, pair by pair.
  const drawPairs = group("pairs", () => {
    const xs = Array.from({ length: Math.max(0, ...data.levels.flatMap((level) => level.p99.map((side) => side.length))) }, (_, pair) => pair + 1);
    const across = { key: "pair", xs, name: word("pair"), text: (x) => figure(x), axis: { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500] } };
    const panels = data.levels.map((level) => ({
      kind: "pair", title: `${word("pairAxis")}: ${inLanguage(level.name)}`, log: true, height: 220,
      lines: level.p99.map((values, side) => ({ name: data.contenders[side], values, colour: `c${side}`, dash: side })),
    }));
    return { across, columns: [panels] };
  });

  const controls = document.getElementById("rounds-shown");
  const drawControls = () => {
    if (!controls) return;
    const again = () => { drawTimeline(); drawPercentiles(); };
    const ofContender = (name, contender) => {
      const select = element("select", { name: `round-of-${contender}` });
      const option = (text, value) => select.append(element("option", { textContent: text, value, selected: shown[contender] === value || (value === "" && shown[contender] === null) }));
      data.rounds.forEach((round, index) => { if (round.contender === contender) option(`${word("round")} ${round.number}: ${inLanguage(round.standing)}`, index); });
      if (data.contenders.length > 1) option(word("notShown"), "");
      select.value = shown[contender] ?? "";
      select.addEventListener("change", () => { shown[contender] = select.value === "" ? null : Number(select.value); again(); });
      return element("label", {}, element("bdi", { textContent: name }), select);
    };
    const way = (text, value) => {
      const input = element("input", { type: "radio", name: "way", checked: overlaid === value });
      input.addEventListener("change", () => { overlaid = value; drawTimeline(); });
      return element("label", {}, input, text);
    };
    const ways = data.contenders.length > 1 ? [element("span", {}, way(word("overlaid"), true), way(word("sideBySide"), false))] : [];
    controls.replaceChildren(...data.contenders.map(ofContender), ...ways);
  };

  const draw = () => [drawControls, drawTimeline, drawPercentiles, drawPairs].forEach((one) => one());
  document.addEventListener("lookchange", draw);
  draw();
})();
