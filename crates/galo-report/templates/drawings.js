"use strict";
// Which charts there are: of a fight over time and by percentile, of a duel pair by pair; and the choice of what they show.
(() => {
  const { data, word, inLanguage, figure, element, group } = galoCharts;

  // Which round of whom is shown, and whether all in one chart or each in one of its own.
  const shown = [...data.shown];
  let overlaid = true;
  const rounds = () => shown.filter((index) => index !== null).map((index) => data.rounds[index]);
  const nameOf = (round) => data.contenders[round.contender];
  const colourOf = (round) => `c${round.contender % 4}`;
  const alone = data.contenders.length === 1;

  // What came to the contenders, and what they answered.
  const load = (all) => {
    const line = (round, name, values, more) => ({
      name: alone ? name : `${nameOf(round)} ${name}`, values, colour: colourOf(round), ...more,
    });
    const latency = all.flatMap((round) => [line(round, "p50", round.p50, { dash: 1 }), line(round, "p99", round.p99)]);
    const arrivals = { name: word("arrivals"), values: all[0].arrivals, colour: "arrivals", width: 6 };
    const done = all.map((round) => line(round, word("done"), round.done));
    const notRight = all.map((round) => line(round, word("notRight"), round.not_ok));
    return [
      { kind: "latency", title: word("latencyAxis"), log: true, height: 220, lines: latency },
      { kind: "rate", title: word("rateAxis"), height: 160, lines: [arrivals, ...done] },
      { kind: "errors", title: word("errorsAxis"), height: 110, lines: notRight },
    ];
  };

  // What their services used of what they may: as a share of each one's limit, or as it is where any has none.
  const services = (round) => {
    const all = round.services;
    if (!all.length) return [];
    const title = (text) => (alone ? text : `${nameOf(round)}: ${text}`);
    const line = (service, index, values) => ({ name: service.name, values, colour: `s${index % 4}`, dash: index % 4 });
    const panel = (kind, text, height, lines) => ({ kind, title: title(text), height, lines });
    const used = (kind, values, limit, unit, ofLimit, asItIs) => {
      if (!all.every((service) => limit(service) !== null)) {
        return panel(kind, asItIs, 160, all.map((service, index) => line(service, index, values(service))));
      }
      const percent = (service) => values(service).map((value) => (value === null ? null : (value / limit(service)) * 100));
      const hundred = values(all[0]).map(() => 100);
      const full = { name: word("limit"), values: hundred, colour: "bad", dash: 1, width: 1.5, limit: true };
      const bounded = (service) => ({ ...service, name: `${service.name} (${figure(limit(service))} ${unit})` });
      const lines = all.map((service, index) => line(bounded(service), index, percent(service)));
      return panel(`${kind} of limit`, ofLimit, 160, [...lines, full]);
    };
    const throttled = all.map((service, index) => line(service, index, service.throttled));
    return [
      used("cpu", (one) => one.cpu, (one) => one.cpus, "CPU", word("cpuAxis"), word("cpuAxisUnlimited")),
      panel("throttled", word("throttledAxis"), 120, throttled),
      used("memory", (one) => one.memory, (one) => one.memory_mib, "MiB", word("memoryAxis"), word("memoryAxisUnlimited")),
    ];
  };

  const drawTimeline = group("timeline", () => {
    const all = rounds();
    const lengths = all.flatMap((round) => [round.p50.length, ...round.services.map((service) => service.cpu.length)]);
    const xs = Array.from({ length: Math.max(0, ...lengths) }, (_, second) => second);
    const across = {
      key: "time", xs, name: word("second"), text: (x) => figure(x), zooms: true,
      axis: { values: (_, splits) => splits.map((x) => `${figure(x)} s`) },
    };
    const together = () => (all.length ? [[...load(all), ...all.flatMap(services)]] : []);
    const columns = overlaid ? together() : all.map((round) => [...load([round]), ...services(round)]);
    // Rounds need not be of one length.
    for (const line of columns.flat().flatMap((panel) => panel.lines)) line.values = xs.map((x) => line.values[x] ?? null);
    return { across, columns };
  });

  const drawPercentiles = group("percentiles", () => {
    const all = rounds();
    const ofAll = all.flatMap((round) => [...round.latency[0], ...round.service_time[0]]);
    const xs = [...new Set(ofAll)].sort((a, b) => a - b);
    const most = xs.at(-1) ?? 10;
    const nines = [2, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7].filter((oneIn) => oneIn < most);
    const text = (oneIn) => `${figure(100 - 100 / oneIn, 7)} %`;
    const across = {
      key: "percentile", xs, name: word("percentile"), text, spanGaps: true,
      scale: { distr: 3, range: () => [1, most] },
      axis: { splits: () => nines, filter: (_, splits) => splits, values: (_, splits) => splits.map(text) },
    };
    const curve = (round, name, [at, ms], dash) => {
      const known = new Map(at.map((oneIn, index) => [oneIn, ms[index]]));
      const values = xs.map((oneIn) => known.get(oneIn) ?? null);
      return { name: `${nameOf(round)}: ${name}`, values, colour: colourOf(round), dash };
    };
    const lines = all.flatMap((round) => [
      curve(round, word("latency"), round.latency, 0),
      curve(round, word("serviceTime"), round.service_time, 1),
    ]);
    return { across, columns: [[{ kind: "percentile", title: word("percentileAxis"), log: true, height: 300, lines }]] };
  });

  const drawPairs = group("pairs", () => {
    const length = Math.max(0, ...data.levels.flatMap((level) => level.p99.map((side) => side.length)));
    const xs = Array.from({ length }, (_, pair) => pair + 1);
    const axis = { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500] };
    const across = { key: "pair", xs, name: word("pair"), text: (x) => figure(x), axis };
    const panels = data.levels.map((level) => ({
      kind: "pair", title: `${word("pairAxis")}: ${inLanguage(level.name)}`, log: true, height: 220,
      lines: level.p99.map((values, side) => ({ name: data.contenders[side], values, colour: `c${side}`, dash: side })),
    }));
    return { across, columns: [panels] };
  });

  const choiceOfRound = (name, contender) => {
    const select = element("select", { name: `round-of-${contender}` });
    const offer = (text, value) => select.append(element("option", { textContent: text, value }));
    data.rounds.forEach((round, index) => {
      if (round.contender === contender) offer(`${word("round")} ${round.number}: ${inLanguage(round.standing)}`, index);
    });
    if (!alone) offer(word("notShown"), "");
    select.value = shown[contender] ?? "";
    select.addEventListener("change", () => {
      shown[contender] = select.value === "" ? null : Number(select.value);
      drawTimeline();
      drawPercentiles();
    });
    return element("label", {}, element("bdi", { textContent: name }), select);
  };
  const choiceOfWay = (text, value) => {
    const input = element("input", { type: "radio", name: "way", checked: overlaid === value });
    input.addEventListener("change", () => {
      overlaid = value;
      drawTimeline();
    });
    return element("label", {}, input, text);
  };
  const drawChoices = () => {
    const ways = alone ? [] : [element("span", {}, choiceOfWay(word("overlaid"), true), choiceOfWay(word("sideBySide"), false))];
    document.getElementById("rounds-shown")?.replaceChildren(...data.contenders.map(choiceOfRound), ...ways);
  };

  const draw = () => [drawChoices, drawTimeline, drawPercentiles, drawPairs].forEach((one) => one());
  document.addEventListener("lookchange", draw);
  draw();
})();
