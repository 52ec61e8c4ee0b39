// Draws the page from the data inside it: tabs, figures, tables, and the highlight that they share.
// Every text from the data reaches the page by textContent, attributes or Vega's data, never as markup.
(() => {
  "use strict";

  const doc = JSON.parse(document.getElementById("data").textContent);
  const state = { choice: doc.tabs.map(() => 0), system: "" };
  const drawn = new Map(); // figure name -> {view, width}
  const tables = new Map(); // table name -> {rows, order, filter, all}
  let generation = 0;

  const $ = (id) => document.getElementById(id);
  const make = (tag, props = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [key, value] of Object.entries(props)) {
      if (key === "class") element.className = value;
      else if (key === "text") element.textContent = value;
      else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else element.setAttribute(key, value);
    }
    element.append(...children);
    return element;
  };

  // ---- packed data -------------------------------------------------------------------------------------------

  const column = (place) => {
    const packed = doc.store.columns[place];
    return packed.w ? packed.w.map((i) => (i === null ? null : doc.store.words[i])) : packed.v;
  };

  const unpacked = (rows) => {
    const columns = rows.columns.map(column);
    return Array.from({ length: rows.n }, (_, i) =>
      Object.fromEntries(rows.names.map((name, c) => [name, columns[c][i]])),
    );
  };

  const filled = (common, filling) => {
    if (Array.isArray(common)) return common.map((inner) => filled(inner, filling));
    if (common === null || typeof common !== "object") return common;
    if ("$hole" in common) return structuredClone(filling[common.$hole]);
    return Object.fromEntries(Object.entries(common).map(([key, value]) => [key, filled(value, filling)]));
  };

  const view = () => doc.views.find((one) => one.at.every((place, i) => place === state.choice[i]));

  // ---- the verdict -------------------------------------------------------------------------------------------

  const SIGNS = {
    interchangeable: ["●", "good"],
    substitute: ["◕", "good"],
    "substitute with more topics": ["◐", "fair"],
    "clear differences only": ["▲", "poor"],
    "not a substitute": ["■", "bad"],
    "no better than random labels": ["✕", "bad"],
    undecided: ["○", "none"],
  };
  const sign = (level) => {
    const [text, kind] = SIGNS[level] || ["●", "fair"];
    return make("span", { class: `sign sign-${kind}`, "aria-hidden": "true", text });
  };

  const showVerdict = (one) => {
    const known = one.level in SIGNS;
    const level = $("level");
    level.hidden = !known;
    level.replaceChildren(sign(one.level), " ", make("span", { class: "words", text: one.level }));
    level.className = `level sign-${known ? SIGNS[one.level][1] : "fair"}`;
    $("sentence").textContent = one.sentence;
    $("numbers").replaceChildren(
      ...one.numbers.map((n) =>
        make(
          "li",
          {},
          make("span", { class: "value", text: n.value }),
          make("span", { class: "what", text: n.label }),
          make("span", { class: "around", text: n.note }),
        ),
      ),
    );
    $("reasons-box").hidden = !one.reasons.length;
    const marks = { true: ["✓", "holds: ", "good"], false: ["✗", "fails: ", "bad"], null: ["·", "not asked: ", "none"] };
    $("reasons").replaceChildren(
      ...one.reasons.map(([holds, test, text]) => {
        const [mark, said, kind] = marks[String(holds)];
        return make(
          "li",
          {},
          make("span", { class: `sign sign-${kind}`, "aria-hidden": "true", text: mark }),
          make(
            "span",
            {},
            make("span", { class: "visually-hidden", text: said }),
            test,
            make("span", { class: "found", text }),
          ),
        );
      }),
    );
    for (const box of document.querySelectorAll("[data-texts]")) {
      const said = one.texts[box.dataset.texts] || [];
      box.replaceChildren(...said.map((text) => make("p", { text })));
    }
  };

  // ---- figures -----------------------------------------------------------------------------------------------

  const tip = $("tip");
  const showTip = (_handler, event, _item, value) => {
    if (value === null || value === undefined || value === "") {
      tip.hidden = true;
      return;
    }
    const entries = typeof value === "object" ? Object.entries(value) : [["", value]];
    const list = make("dl");
    for (const [key, text] of entries) {
      if (text === null || text === undefined || text === "null") continue;
      list.append(make("dt", { text: key.trim() }), make("dd", { text: String(text) }));
    }
    tip.replaceChildren(list);
    tip.hidden = false;
    const box = tip.getBoundingClientRect();
    const x = event.clientX + 14 + box.width > innerWidth ? event.clientX - 14 - box.width : event.clientX + 14;
    const y = event.clientY + 14 + box.height > innerHeight ? event.clientY - 14 - box.height : event.clientY + 14;
    tip.style.left = `${Math.max(4, x)}px`;
    tip.style.top = `${Math.max(4, y)}px`;
  };

  const specification = (name, figure, width) => {
    const spec = filled(doc.store.specs[figure.spec], figure.filling);
    spec.datasets = Object.fromEntries(figure.data.map((rows, i) => [`data-${i}`, unpacked(rows)]));
    if (!doc.figures[name].fixed) {
      spec.width = width;
      spec.autosize = { type: "fit-x", contains: "padding" };
    }
    spec.config = structuredClone(doc.config);
    spec.config.legend.columns = Math.max(1, Math.min(4, Math.floor((width - 80) / 165)));
    return spec;
  };

  const draw = async (name, figure) => {
    const box = $(`figure-${name}`);
    const holder = box.querySelector(".chart");
    holder.setAttribute("aria-label", figure.alternative);
    box.querySelector("figcaption").textContent = figure.caption;
    const width = Math.max(240, Math.floor(holder.clientWidth));
    const before = drawn.get(name);
    const canvas = make("div");
    const { view: chart } = await vegaEmbed(canvas, specification(name, figure, width), {
      mode: "vega-lite",
      renderer: "svg",
      actions: false,
      ast: true,
      defaultStyle: false,
      logLevel: 1, // errors; what Vega remarks on is not for readers
      tooltip: showTip,
    });
    if (before) before.view.finalize();
    holder.replaceChildren(canvas);
    drawn.set(name, { view: chart, width });
    chart.addEventListener("click", (_event, item) => {
      const datum = item && item.datum;
      if (datum && typeof datum.system === "string") highlight(datum.system === state.system ? "" : datum.system);
    });
    await mark(chart);
  };

  const mark = async (chart) => {
    try {
      await chart.signal("highlighted", state.system).runAsync();
    } catch (error) {
      if (!/Unrecognized signal/.test(String(error))) throw error; // a chart without systems
    }
  };

  const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

  const drawAll = async (one) => {
    const mine = ++generation;
    delete document.documentElement.dataset.ready;
    for (const name of Object.keys(doc.figures)) $(`figure-${name}`).hidden = !(name in one.figures);
    for (const section of document.querySelectorAll("#tab-panel > section")) {
      const figures = section.querySelectorAll("figure");
      if (figures.length) section.hidden = [...figures].every((figure) => figure.hidden);
    }
    for (const name of Object.keys(doc.figures)) {
      if (!(name in one.figures)) continue;
      await pause(); // so that the page answers meanwhile
      if (mine !== generation) return;
      await draw(name, one.figures[name]);
    }
    if (mine === generation) document.documentElement.dataset.ready = "true";
  };

  // ---- tables ------------------------------------------------------------------------------------------------

  const fixed = (value, digits) => value.toFixed(digits).replace("-", "−");
  const cellText = (value, kind, digits) => {
    if (kind === "yes") return value === null ? "–" : value ? "yes" : "no";
    if (value === null || value === undefined || value === "") return "–";
    if (typeof value !== "number") return String(value);
    if (kind === "p") return value < 0.0001 ? "< 0.0001" : value.toFixed(4);
    if (kind === "signed") return (value > 0 ? "+" : "") + fixed(value, digits);
    if (kind === "share") return `${(100 * value).toFixed(1)} %`;
    if (kind === "count") return value.toLocaleString("en");
    if (kind === "rank") return String(value);
    if (kind === "steps") return (value > 0 ? "+" : "") + String(value).replace("-", "−");
    return fixed(value, digits);
  };
  const rowText = (row, one) => {
    if (one.kind !== "interval") return cellText(row[one.name], one.kind, one.digits);
    if (row[one.name] === null || row[one.to] === null) return "–";
    return `${fixed(row[one.name], one.digits)} to ${fixed(row[one.to], one.digits)}`;
  };
  const RIGHT = new Set(["number", "signed", "interval", "p", "rank", "steps", "count", "share"]);

  const compare = (a, b) => {
    const none = (value) => value === null || value === undefined || value === "";
    if (none(a) || none(b)) return none(a) - none(b);
    if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
    return a - b;
  };

  const buildTable = (name) => {
    const form = doc.tables[name];
    const box = $(`table-${name}`);
    const heads = form.columns.map((one, i) => {
      const head = make("th", { scope: "col", class: RIGHT.has(one.kind) ? "right" : "" });
      head.append(make("button", { type: "button", text: one.title, onclick: () => sortBy(name, i) }));
      return head;
    });
    const body = make("tbody");
    const filter = make("input", { type: "search", oninput: (event) => filterBy(name, event.target.value) });
    const more = make("p", { class: "more" });
    box.replaceChildren(
      make("div", { class: "table-head" }, make("h3", { text: form.title }), make("label", {}, "Filter", filter)),
      make(
        "div",
        { class: "scroll", role: "region", tabindex: "0", "aria-label": form.title },
        make(
          "table",
          {},
          make("caption", { class: "visually-hidden", text: form.title }),
          make("thead", {}, make("tr", {}, ...heads)),
          body,
        ),
      ),
      more,
    );
    filter.setAttribute("aria-label", `Filter: ${form.title}`);
    tables.set(name, { rows: [], order: null, filter: "", all: false, heads, body, more, input: filter });
  };

  const sortBy = (name, place) => {
    const table = tables.get(name);
    const numeric = RIGHT.has(doc.tables[name].columns[place].kind);
    const first = numeric && doc.tables[name].columns[place].kind !== "rank" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const way = table.order && table.order.place === place && table.order.way === first ? other : first;
    table.order = { place, way };
    fillTable(name);
  };

  const filterBy = (name, text) => {
    tables.get(name).filter = text.trim().toLowerCase();
    fillTable(name);
  };

  const fillTable = (name) => {
    const table = tables.get(name);
    const form = doc.tables[name];
    let rows = table.rows;
    if (table.filter) {
      rows = rows.filter((row) =>
        form.columns.some((one) => rowText(row, one).toLowerCase().includes(table.filter)),
      );
    }
    if (table.order) {
      const key = form.columns[table.order.place].name;
      const back = table.order.way === "descending" ? -1 : 1;
      rows = [...rows].sort((a, b) => {
        const lost = (row) => row[key] === null || row[key] === undefined || row[key] === "";
        return lost(a) || lost(b) ? compare(a[key], b[key]) : back * compare(a[key], b[key]);
      });
    }
    table.heads.forEach((head, i) => {
      if (table.order && table.order.place === i) head.setAttribute("aria-sort", table.order.way);
      else head.removeAttribute("aria-sort");
    });
    const shown = table.all ? rows : rows.slice(0, form.shown);
    table.body.replaceChildren(...shown.map((row) => buildRow(form, row)));
    const rest = rows.length - shown.length;
    table.more.replaceChildren(
      `${shown.length.toLocaleString("en")} of ${table.rows.length.toLocaleString("en")} rows`,
    );
    if (rest || (table.all && rows.length > form.shown)) {
      const text = rest ? `Show all ${rows.length.toLocaleString("en")}` : `Show ${form.shown}`;
      table.more.append(
        make("button", {
          type: "button",
          text,
          "aria-label": `${text}: ${form.title}`,
          onclick: () => {
            table.all = !table.all;
            fillTable(name);
          },
        }),
      );
    }
  };

  const buildRow = (form, row) => {
    const line = make("tr");
    const names = [];
    for (const one of form.columns) {
      const value = row[one.name];
      const text = rowText(row, one);
      const cell = make("td", { class: RIGHT.has(one.kind) ? "right" : "" });
      if (one.kind === "system" && value) {
        names.push(value);
        cell.append(
          make("button", {
            type: "button",
            class: "name",
            text,
            onclick: () => highlight(value === state.system ? "" : value),
          }),
        );
      } else if (one.kind === "tab") {
        cell.append(
          make("button", { type: "button", class: "name", text, onclick: () => choose(0, doc.tabs[0].values.indexOf(value)) }),
        );
      } else cell.textContent = text;
      line.append(cell);
    }
    line.names = names;
    markRow(line);
    return line;
  };

  const markRow = (line) => {
    const here = state.system !== "" && line.names.includes(state.system);
    line.classList.toggle("marked", here);
    for (const button of line.names.length ? line.querySelectorAll("button.name") : []) {
      button.setAttribute("aria-pressed", String(here && button.textContent === state.system));
    }
  };

  const fillTables = (one) => {
    for (const name of Object.keys(doc.tables)) {
      const rows = one.tables[name];
      $(`table-${name}`).hidden = !rows || !rows.n;
      if (!rows || !rows.n) continue;
      if (!tables.has(name)) buildTable(name);
      tables.get(name).rows = unpacked(rows);
      fillTable(name);
    }
  };

  // ---- tabs --------------------------------------------------------------------------------------------------

  const buildTabs = () => {
    doc.tabs.forEach((tabs, t) => {
      const list = document.querySelector(`[data-tabs="${tabs.name}"]`);
      if (!list) return;
      tabs.values.forEach((value, i) => {
        list.append(
          make("button", {
            type: "button",
            role: "tab",
            id: `tab-${tabs.name}-${i}`,
            title: value,
            "aria-controls": "tab-panel",
            onclick: () => choose(t, i),
          }),
        );
      });
      list.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
        const count = tabs.values.length;
        const to =
          step !== undefined
            ? (state.choice[t] + step + count) % count
            : event.key === "Home" ? 0 : event.key === "End" ? count - 1 : null;
        if (to === null) return;
        event.preventDefault();
        choose(t, to);
        list.children[to].focus();
      });
    });
  };

  const showTabs = () => {
    doc.tabs.forEach((tabs, t) => {
      const list = document.querySelector(`[data-tabs="${tabs.name}"]`);
      if (!list) return;
      [...list.children].forEach((tab, i) => {
        const here = state.choice[t] === i;
        tab.setAttribute("aria-selected", String(here));
        tab.tabIndex = here ? 0 : -1;
        const choice = state.choice.map((place, k) => (k === t ? i : place));
        const other = doc.views.find((one) => one.at.every((place, k) => place === choice[k]));
        const known = t === 0 && other && other.level in SIGNS;
        tab.replaceChildren(
          ...(known ? [sign(other.level)] : []),
          tabs.values[i],
          ...(known ? [make("span", { class: "visually-hidden", text: `, ${other.level}` })] : []),
        );
      });
    });
  };

  const choose = (t, i) => {
    if (state.choice[t] === i) return;
    state.choice[t] = i;
    history.pushState(null, "", hash());
    show();
  };

  // ---- highlight ---------------------------------------------------------------------------------------------

  const highlight = (name) => {
    state.system = name;
    history.replaceState(null, "", hash());
    showHighlight();
  };

  const showHighlight = () => {
    $("find").value = state.system;
    $("clear").hidden = !state.system;
    $("status").textContent = state.system ? `${state.system} is highlighted` : "";
    for (const table of tables.values()) for (const line of table.body.children) markRow(line);
    for (const { view: chart } of drawn.values()) mark(chart);
  };

  // ---- the address -------------------------------------------------------------------------------------------

  const hash = () => {
    const parts = doc.tabs
      .map((tabs, t) => [tabs.name, tabs.values[state.choice[t]]])
      .filter((_, t) => doc.tabs[t].values.length > 1);
    if (state.system) parts.push(["system", state.system]);
    return `#${parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
  };

  const readHash = () => {
    const given = {};
    for (const part of location.hash.slice(1).split("&")) {
      const [key, value] = part.split("=");
      if (value === undefined) continue;
      try {
        given[key] = decodeURIComponent(value);
      } catch {
        continue; // not ours
      }
    }
    doc.tabs.forEach((tabs, t) => {
      state.choice[t] = Math.max(0, tabs.values.indexOf(given[tabs.name]));
    });
    state.system = doc.systems.includes(given.system) ? given.system : "";
  };

  // ---- all together ------------------------------------------------------------------------------------------

  const show = () => {
    const one = view();
    showTabs();
    showVerdict(one);
    fillTables(one);
    showHighlight();
    return drawAll(one);
  };

  const again = () => {
    readHash();
    show();
  };

  const start = () => {
    const panel = $("tab-panel");
    buildTabs();
    const lists = document.querySelectorAll("[role=tablist]");
    if (lists.length) {
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-label", "What the chosen tabs show");
    }
    $("controls").hidden = false;
    $("clear").addEventListener("click", () => highlight(""));
    $("find").addEventListener("input", (event) => {
      const name = event.target.value;
      if (doc.systems.includes(name) || (name === "" && state.system)) highlight(name);
    });
    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      tip.hidden = true;
      if (state.system) highlight("");
    });
    addEventListener("popstate", again);
    addEventListener("scroll", () => { tip.hidden = true; }, { passive: true });
    let waiting = 0;
    new ResizeObserver(() => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        const moved = [...drawn].some(([name, { width }]) => {
          const now = Math.floor($(`figure-${name}`).querySelector(".chart").clientWidth);
          return !doc.figures[name].fixed && now > 0 && Math.abs(now - width) > 12 && now >= 240;
        });
        if (moved && !matchMedia("print").matches) drawAll(view());
      }, 200);
    }).observe(panel);
    readHash();
    show();
  };

  start();
})();
