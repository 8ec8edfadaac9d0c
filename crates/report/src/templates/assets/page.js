"use strict";
(() => {
  const root = document.documentElement;
  const remembered = (() => { try { return localStorage.getItem("pqlab-theme"); } catch { return null; } })();
  if (remembered === "dark" || remembered === "light") root.dataset.theme = remembered;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = document.getElementById("theme");
  const name = () => {
    const now = { dark: "Dark", light: "Light" }[root.dataset.theme] || "System";
    button.querySelector("span").textContent = now;
    button.setAttribute("aria-label", `Theme: ${now.toLowerCase()}`);
  };
  // The first click always changes the colours: system, then the opposite, then the other theme, then system again.
  button.addEventListener("click", () => {
    const [own, opposite] = system.matches ? ["dark", "light"] : ["light", "dark"];
    const next = { [opposite]: own, [own]: "" }[root.dataset.theme || ""] ?? opposite;
    if (next) root.dataset.theme = next; else delete root.dataset.theme;
    try {
      if (next) localStorage.setItem("pqlab-theme", next); else localStorage.removeItem("pqlab-theme");
    } catch { /* a page from disk may have no storage */ }
    name();
  });
  name();

  // Clicks on a heading sort the table by that column: ascending, then descending, then grouped by
  // operation again. Rows without a figure come last in both directions.
  const value = (row, column) => {
    const cell = row.cells[column];
    if (!cell || (row.classList.contains("failed") && column > 1)) return null;
    if (cell.dataset.v !== undefined) return cell.dataset.v === "" ? null : Number(cell.dataset.v);
    return cell.classList.contains("num") ? null : cell.textContent.trim() || null;
  };
  const sorted = (rows, column, descending) => {
    const valued = rows.map((row) => [value(row, column), row]);
    valued.sort(([one], [other]) => {
      if (one === null || other === null) return (one === null) - (other === null);
      const order = typeof one === "number" ? one - other : one.localeCompare(other, undefined, { numeric: true });
      return descending ? -order : order;
    });
    return valued.map(([, row]) => row);
  };
  const areas = [];
  for (const area of document.querySelectorAll(".area")) {
    const table = area.querySelector("table.cases");
    const body = table.tBodies[0];
    const listed = [...body.rows];
    const cases = listed.filter((row) => row.classList.contains("case"));
    let operation = "";
    for (const row of listed) {
      if (!row.classList.contains("case")) {
        operation = row.textContent;
        continue;
      }
      row.cells[0].textContent = operation;
      const open = row.cells[1].firstChild;
      open.setAttribute("aria-label", `${open.textContent}, ${operation}`);
    }
    // Show ratios as bars. The policy forbids styles in the markup, but not here.
    let most = 1;
    for (const row of cases) if (row.cells[4]) most = Math.max(most, Number(row.cells[4].dataset.v) || 0);
    for (const row of cases) {
      const ratio = Number(row.cells[4] && row.cells[4].dataset.v);
      if (ratio) row.cells[4].style.setProperty("--w", `${(100 * Math.log1p(ratio - 1) / Math.log1p(most - 1) || 0).toFixed(1)}%`);
    }
    const columns = area.querySelector(".columns");
    columns.addEventListener("click", () => {
      const all = !table.classList.toggle("brief");
      columns.setAttribute("aria-pressed", String(all));
    });
    // Estimate the height of a table before its layout, so that the scroll bar is right.
    table.parentElement.style.containIntrinsicBlockSize = `auto ${table.rows.length * 2.05}rem`;
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => head.querySelector("button").addEventListener("click", () => {
      const next = { none: "ascending", ascending: "descending", descending: "none" }[head.getAttribute("aria-sort")];
      heads.forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", next);
      table.classList.toggle("grouped", next === "none");
      const groups = listed.filter((row) => !row.classList.contains("case"));
      body.append(...(next === "none" ? listed : [...sorted(cases, column, next === "descending"), ...groups]));
    }));
    const [text, provider, form] = [".filter-text", ".filter-provider", ".filter-form"].map((one) => area.querySelector(one));
    const count = area.querySelector(".count");
    const contents = new Map();
    const content = (row) => {
      if (!contents.has(row)) contents.set(row, row.textContent.toLowerCase());
      return contents.get(row);
    };
    const filter = (searched = "") => {
      const words = `${text.value} ${searched}`.toLowerCase().split(/\s+/).filter(Boolean);
      let [shown, group] = [0, null];
      for (const row of listed) {
        if (!row.classList.contains("case")) {
          // Hide the heading until one of its cases is shown.
          group = row;
          group.hidden = true;
          continue;
        }
        row.hidden = !(words.every((word) => content(row).includes(word))
          && (!provider.value || row.cells[1].textContent === provider.value)
          && (!form.value || row.dataset.form === form.value));
        shown += !row.hidden;
        if (!row.hidden) group.hidden = false;
      }
      count.textContent = shown === cases.length ? `${cases.length} cases` : `${shown} of ${cases.length} cases`;
    };
    const search = document.getElementById("search");
    for (const field of [text, provider, form]) field.addEventListener("input", () => filter(search.value));
    areas.push((searched) => {
      filter(searched);
      const shown = cases.filter((row) => !row.hidden).length;
      area.classList.toggle("searched", searched !== "");
      area.hidden = searched !== "" && shown === 0;
      return shown;
    });
  }

  // Searches the cases of all areas. While a search is active, only areas with matching cases are shown.
  const search = document.getElementById("search");
  if (search) {
    search.addEventListener("input", () => {
      const words = search.value.trim();
      const shown = areas.map((one) => one(words)).reduce((sum, count) => sum + count, 0);
      document.getElementById("found").textContent = words ? `${shown} cases match` : "";
      document.body.classList.toggle("searching", words !== "");
    });
  }

  // Copies tables and downloads pictures.
  const escapes = {
    latex: (text) => text.replace(/[\\{}]/g, "").replace(/([%&#_$])/g, "\\$1").replace(/±/g, "$\\pm$").replace(/×/g, "$\\times$").replace(/µ/g, "\\textmu{}").replace(/≈/g, "$\\approx$"),
    markdown: (text) => text.replace(/\|/g, "\\|"),
    csv: (text) => /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text,
  };
  const cellText = (cell) => cell.textContent.replace(/\s+/g, " ").trim();
  const origin = document.title.replace(/^pqlab: /, "");
  const written = (table, format) => {
    const visible = (cell) => getComputedStyle(cell).display !== "none" || cell.classList.contains("job");
    const heads = [...table.tHead.rows[0].cells].map((cell) => [visible(cell), cellText(cell), cell.classList.contains("num")]).filter(([shown]) => shown);
    const rows = [...table.tBodies[0].rows].filter((row) => !row.hidden && !row.classList.contains("group"));
    const escape = escapes[format];
    const lines = rows.map((row) => {
      const texts = [...row.cells].filter(visible).map((cell) => escape(cellText(cell)));
      while (texts.length < heads.length) texts.push("");
      return texts;
    });
    const names = heads.map(([, text]) => escape(text));
    if (format === "csv") return [names, ...lines].map((line) => line.join(",")).join("\n") + "\n";
    if (format === "markdown") {
      const rule = heads.map(([,, right]) => right ? "---:" : "---");
      return [names, rule, ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n") + `\n\n${origin}\n`;
    }
    const sides = heads.map(([,, right]) => right ? "r" : "l").join("");
    const body = [names, ...lines].map((line) => `  ${line.join(" & ")} \\\\`);
    body.splice(1, 0, "  \\midrule");
    return `% Needs booktabs. ${origin}\n\\begin{tabular}{${sides}}\n  \\toprule\n${body.join("\n")}\n  \\bottomrule\n\\end{tabular}\n`;
  };
  const box = document.getElementById("text");
  const copy = (button, text, what) => {
    const shown = () => {
      document.getElementById("text-title").textContent = what;
      const area = box.querySelector("textarea");
      area.value = text;
      box.showModal();
      area.select();
    };
    if (!navigator.clipboard) return shown();
    const label = button.textContent;
    navigator.clipboard.writeText(text).then(() => {
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = label; }, 1500);
    }, shown);
  };
  const download = (svg, file) => {
    const text = new XMLSerializer().serializeToString(svg);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    link.download = `${file}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy button");
    if (!button) return;
    if (button.dataset.svg) return download(button.closest(".picture").querySelector("svg[role=img]"), button.dataset.svg);
    const within = button.closest(".tools") ? button.closest(".area").querySelector("table.cases") : button.closest(".copy").nextElementSibling;
    if (button.dataset.copy === "text") return copy(button, within.textContent, "Copy");
    const table = within.matches("table") ? within : within.querySelector("table");
    copy(button, written(table, button.dataset.copy), button.textContent);
  });

  // Shows the figure of a mark under the pointer, or of the mark next to a touch.
  const tip = document.getElementById("tip");
  const labels = new WeakMap();
  const label = (mark) => {
    if (!labels.has(mark)) {
      const title = mark.querySelector(":scope > title");
      labels.set(mark, title ? title.textContent : "");
    }
    return labels.get(mark);
  };
  let marked = null;
  const point = (mark, x, y) => {
    if (marked && marked !== mark) marked.classList.remove("at");
    marked = mark;
    tip.hidden = !mark;
    if (!mark) return;
    mark.classList.add("at");
    tip.textContent = label(mark);
    tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - tip.offsetWidth - 8))}px`;
    tip.style.top = `${y + 18 + tip.offsetHeight > innerHeight ? y - tip.offsetHeight - 12 : y + 18}px`;
  };
  const near = (svg, x, y) => {
    let [best, least] = [null, 24];
    for (const mark of svg.querySelectorAll("path, rect")) {
      if (!label(mark)) continue;
      const { left, right, top, bottom } = mark.getBoundingClientRect();
      const away = Math.hypot(Math.max(left - x, 0, x - right), Math.max(top - y, 0, y - bottom));
      if (away < least) [best, least] = [mark, away];
    }
    return best;
  };
  if (tip) {
    document.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") return;
      const mark = event.target.closest && event.target.closest("figure svg path, figure svg rect, .bars rect");
      point(mark && label(mark) ? mark : null, event.clientX, event.clientY);
    }, { passive: true });
    document.addEventListener("click", (event) => {
      const svg = event.target.closest && event.target.closest("figure svg, .bars");
      if (svg) point(near(svg, event.clientX, event.clientY), event.clientX, event.clientY);
      else if (marked) point(null);
    });
    document.addEventListener("scroll", () => { if (marked) point(null); }, { passive: true });
  }

  // Prints everything, including folded sections.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")].filter((one) => !one.classList.contains("alt"));
    for (const one of folded) one.open = true;
  });
  addEventListener("afterprint", () => { for (const one of folded) one.open = false; });

  // Marks frames that are narrower than their content. The stylesheet then shows on which side
  // content is hidden.
  const hint = (frame) => {
    frame.classList.toggle("wide", frame.scrollWidth > frame.clientWidth + 1);
    frame.classList.toggle("end", frame.scrollLeft + frame.clientWidth >= frame.scrollWidth - 1);
  };
  const FRAMES = "nav, figure, .scroll";
  const sizes = new ResizeObserver((entries) => {
    for (const frame of new Set(entries.map(({ target }) => target.closest(FRAMES)))) if (frame) hint(frame);
  });
  const watch = (frame) => {
    for (const observed of [frame, ...frame.children]) sizes.observe(observed);
    frame.addEventListener("scroll", () => hint(frame), { passive: true });
  };
  document.querySelectorAll(FRAMES).forEach(watch);

  // Details of a case.
  const dialog = document.getElementById("case");
  const link = document.getElementById("case-link");
  const source = document.getElementById("data");
  let data = null;
  const make = (name, attributes, ...children) => {
    const element = document.createElement(name);
    for (const [key, text] of Object.entries(attributes || {})) element.setAttribute(key, text);
    element.append(...children);
    return element;
  };
  const draw = (name, attributes, ...children) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, text] of Object.entries(attributes || {})) element.setAttribute(key, text);
    element.append(...children);
    return element;
  };
  const time = (ns) => {
    const [divisor, unit] = Math.abs(ns) < 999.5 ? [1, "ns"] : Math.abs(ns) < 999.5e3 ? [1e3, "µs"] : Math.abs(ns) < 999.5e6 ? [1e6, "ms"] : [1e9, "s"];
    const scaled = ns / divisor;
    return `${scaled === 0 ? "0" : scaled >= 1000 ? scaled.toFixed(0) : scaled.toPrecision(4)} ${unit}`;
  };
  const number = (count) => count.toLocaleString("en-US");
  const facts = (pairs) => make("dl", { class: "facts" }, ...pairs.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
  const heading = (text) => make("h3", {}, text);
  const framed = (wide) => make("div", { class: "scroll" }, wide);
  // Draws bars, and a line for each number of attempts if single operations show it.
  const histogram = ([from, step, beyond, counts], batch, attempts) => {
    const [width, height, left, bottom] = [720, 190, 46, 160];
    const most = Math.max(...counts, 1);
    const unit = (width - left - 8) / counts.length;
    const bars = counts.map((count, index) => {
      const tall = count ? Math.max(1, (bottom - 12) * count / most) : 0;
      const label = draw("title", {}, `${time(from + step * index)} to ${time(from + step * (index + 1))}: ${count}`);
      return draw("rect", { class: "f0", x: left + index * unit, y: bottom - tall, width: Math.max(1, unit - 1), height: tall }, label);
    });
    const teeth = [];
    for (let at = attempts ? attempts[1] : Infinity; at <= from + step * counts.length; at += attempts[2]) {
      const x = left + (at - from) / step * unit;
      teeth.push(draw("line", { class: "rule", x1: x, x2: x, y1: 12, y2: bottom }, draw("title", {}, `${teeth.length + 1} attempts: ${time(at)}`)));
    }
    const text = (x, y, anchor, words) => draw("text", { class: "t faint", x, y, "font-size": 11, "text-anchor": anchor }, words);
    const marks = [0, 0.5, 1].map((share) => text(left + share * counts.length * unit, bottom + 16, ["start", "middle", "end"][share * 2], time(from + step * counts.length * share)));
    const words = `Histogram of ${batch > 1 ? `means of ${number(batch)} operations` : "single operations"}, ${time(from)} to ${time(from + step * counts.length)}, at most ${number(most)} per bar`;
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words },
      ...teeth, ...bars, ...marks, text(left - 6, 20, "end", number(most)), text(left - 6, bottom, "end", "0"),
      draw("line", { class: "rule", x1: left, x2: width - 8, y1: bottom, y2: bottom }),
      ...(beyond ? [text(width - 8, 12, "end", `${number(beyond)} beyond the right edge`)] : []));
  };
  // Draws points with their intervals, one line for each process or run.
  const dots = (points, words) => {
    const all = points.flat();
    const [low, high] = [Math.min(...all), Math.max(...all)];
    const room = (high - low) * 0.08 || high * 0.01 || 1;
    const [width, line, left] = [720, 18, 70];
    const at = (ns) => left + 8 + (width - left - 24) * (ns - low + room) / (high - low + 2 * room);
    const height = points.length * line + 24;
    const rows = points.flatMap(([estimate, from, to], index) => {
      const y = 10 + index * line;
      const parts = [draw("text", { class: "t faint", x: left - 8, y: y + 4, "font-size": 11, "text-anchor": "end" }, words(index)),
        draw("line", { class: "rule", x1: left, x2: width, y1: y, y2: y })];
      if (from !== undefined) parts.push(draw("line", { class: "whisker", x1: at(from), x2: at(to), y1: y, y2: y }));
      parts.push(draw("circle", { class: "m0", cx: at(estimate), cy: y, r: 4.5 }, draw("title", {}, time(estimate))));
      return parts;
    });
    return draw("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${points.length} times from ${time(low)} to ${time(high)}` }, ...rows,
      draw("text", { class: "t faint", x: at(low), y: height - 4, "font-size": 11, "text-anchor": "start" }, time(low)),
      draw("text", { class: "t faint", x: at(high), y: height - 4, "font-size": 11, "text-anchor": "end" }, high > low ? time(high) : ""));
  };
  const all = () => (data ||= JSON.parse(source.textContent)).cases;
  const show = (entry) => {
    document.getElementById("case-title").textContent = entry.i;
    link.href = address(entry.i);
    link.textContent = "Link";
    const body = document.getElementById("case-body");
    body.replaceChildren();
    if (entry.e !== undefined) body.append(make("p", {}, make("span", { class: "flag bad" }, "failed"), ` ${entry.e}`));
    if (entry.m) {
      const [samples, processes, batch, left] = entry.n;
      const pairs = [["median", `${time(entry.m[0])}, 95% interval ${time(entry.m[1])} to ${time(entry.m[2])}`],
        [entry.b ? "mean at the expected attempts" : "mean", `${time(entry.a[0])}, 95% interval ${time(entry.a[1])} to ${time(entry.a[2])}`],
        ...(entry.b ? [["attempts", `${entry.b[0].toPrecision(3)} expected; the first takes ${time(entry.b[1])}, each further one ${time(entry.b[2])}`]] : []),
        ["rate", entry.o],
        ["samples", `${number(samples)} from ${processes} processes${batch > 1 ? `, each the mean of ${number(batch)} operations` : ""}${left ? `, ${number(left)} disturbed ones excluded` : ""}`]];
      if (entry.y) pairs.push(["core cycles", `${number(entry.y[0][0])}, 95% interval ${number(entry.y[0][1])} to ${number(entry.y[0][2])}, ${entry.y[1]}`]);
      if (entry.f) pairs.push(["relative to fastest", entry.f]);
      if (entry.t) pairs.push(["counted", `${number(entry.t[0])} ${entry.t[1]}`]);
      body.append(facts(pairs));
    }
    if (entry.k) body.append(make("ul", {}, ...entry.k.map((place) => make("li", {}, data.texts[place]))));
    if (entry.h) body.append(heading(entry.n[2] > 1 ? "Distribution of batch means" : "Distribution of single operations"), framed(histogram(entry.h, entry.n[2], entry.b)));
    if (entry.q) {
      const names = ["minimum", "p5", "p25", "p75", "p95", "p99", "maximum", "mean", "standard deviation"];
      body.append(framed(make("table", { class: "plain" },
        make("thead", {}, make("tr", {}, ...names.map((name) => make("th", { class: "num", scope: "col" }, name)))),
        make("tbody", {}, make("tr", {}, ...entry.q.map((ns) => make("td", { class: "num" }, ns === null ? "-" : time(ns))))))));
    }
    if (entry.p) body.append(heading("Process medians"), framed(dots(entry.p.map((ns) => [ns]), (index) => `process ${index}`)));
    if (entry.r && entry.r.some(Boolean) && entry.m) {
      const runs = [...entry.r.map((point, index) => [point, data.runs[index].slice(0, 10)]), [entry.u ? entry.a : entry.m, "this run"]].filter(([point]) => point);
      body.append(heading("Runs, oldest first"), framed(dots(runs.map(([point]) => point), (index) => runs[index][1])));
    }
    if (entry.x) {
      const columns = ["n", "min", "median", "mean", "p95", "p99", "max"];
      body.append(heading("Measured by the workload"), framed(make("table", { class: "plain" },
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, ""), ...columns.map((name) => make("th", { class: "num", scope: "col" }, name)))),
        make("tbody", {}, ...Object.entries(entry.x).map(([name, values]) => make("tr", {}, make("th", { scope: "row" }, name),
          ...columns.map((column) => make("td", { class: "num" }, number(Number(values[column].toPrecision(5)))))))))));
    }
    if (entry.s) body.append(heading("Lengths"), facts(entry.s.map(([name, bytes]) => [name, `${number(bytes)} B`])));
    body.append(heading("Reproduce this case"), make("pre", {}, make("code", {}, entry.c)), heading("Environment"));
    const environment = document.querySelector("#environment .facts");
    if (environment) body.append(environment.cloneNode(true));
    body.querySelectorAll(".scroll").forEach(watch);
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
  };

  // The URL of a case ends with `#` and the case's id. The Back button closes an open case, and
  // closing it goes back in the history.
  const address = (id) => `#${encodeURI(id).replaceAll("#", "%23")}`;
  const named = () => {
    try { return decodeURIComponent(location.hash.slice(1)); } catch { return ""; }
  };
  const addressed = () => source && named().includes("@") ? all().find((entry) => entry.i === named()) : undefined;
  const follow = () => {
    const entry = addressed();
    if (entry) show(entry);
    else if (dialog && dialog.open) dialog.close();
  };
  if (dialog) {
    document.addEventListener("click", (event) => {
      const open = event.target.closest(".open");
      if (open) {
        const entry = all()[Number(open.dataset.case)];
        show(entry);
        history.pushState({ opened: true }, "", address(entry.i));
      } else if (event.target === dialog) dialog.close();
    });
    dialog.addEventListener("close", () => {
      // The event can come after the dialog was opened again.
      if (dialog.open || !addressed()) return;
      if (history.state && history.state.opened) history.back();
      else history.replaceState(null, "", location.pathname + location.search);
    });
    link.addEventListener("click", (event) => {
      event.preventDefault();
      // Browsers deny clipboard access to pages opened from disk. Users can then copy the link
      // itself.
      navigator.clipboard?.writeText(link.href).then(() => { link.textContent = "Copied"; }, () => {});
    });
    addEventListener("hashchange", follow);
    follow();
  }

  // A served page polls for new results, but never changes without a click.
  const live = document.body.dataset.live;
  if (live) {
    let known = null;
    const ask = async () => {
      try {
        const answer = await fetch(live, { cache: "no-store" });
        const state = await answer.text();
        if (known !== null && state !== known && !document.querySelector(".news")) {
          const news = make("button", { class: "news", type: "button" }, "New results: reload");
          news.addEventListener("click", () => location.reload());
          document.body.append(news);
        }
        known = state;
      } catch { /* the server is gone: keep the page as it is */ }
    };
    ask();
    setInterval(ask, 3000);
  }
})();
