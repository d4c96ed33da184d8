"use strict";
// One cursor for all charts over time. Without it nothing is lost but reading a single second.
(() => {
  const values = JSON.parse(document.getElementById("values").textContent);
  const charts = [...document.querySelectorAll("svg.timeline")].map((svg) => {
    const figure = svg.closest("figure");
    return {
      svg,
      data: values[Number(figure.dataset.chart)],
      readout: figure.querySelector(".readout"),
      cursor: svg.querySelector(".cursor"),
      left: Number(svg.dataset.left),
      right: Number(svg.dataset.right),
      seconds: Number(svg.dataset.seconds),
    };
  });
  let current = -1;

  const text = (chart, second) => {
    const parts = chart.data.names.map((name, line) => {
      const value = chart.data.values[line][second];
      return name + " " + (value === null || value === undefined ? "-" : value);
    });
    return second + " s: " + parts.join(", ") + " (" + chart.data.unit + ")";
  };

  const show = (second, spoken) => {
    current = second;
    for (const chart of charts) {
      const x = chart.left + ((second + 0.5) / chart.seconds) * (chart.right - chart.left);
      chart.cursor.toggleAttribute("hidden", second < 0 || x > chart.right);
      chart.cursor.setAttribute("transform", "translate(" + (x - chart.left) + ")");
      chart.readout.setAttribute("aria-live", chart === spoken ? "polite" : "off");
      chart.readout.textContent = second < 0 ? "" : text(chart, second);
    }
  };

  for (const chart of charts) {
    const clamp = (second) => Math.min(Math.max(second, 0), chart.seconds - 1);
    chart.svg.addEventListener("pointermove", (event) => {
      const box = chart.svg.getBoundingClientRect();
      const x = ((event.clientX - box.left) / box.width) * chart.svg.viewBox.baseVal.width;
      show(clamp(Math.floor(((x - chart.left) / (chart.right - chart.left)) * chart.seconds)), null);
    });
    chart.svg.addEventListener("pointerleave", () => show(-1, null));
    chart.svg.addEventListener("blur", () => show(-1, null));
    chart.svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      show(clamp(current + step), chart);
    });
  }
})();
