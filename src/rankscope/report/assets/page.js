// Draws the page from the data inside it: tabs, figures, tables, and the system highlighted in all of them.
// Every text from the data reaches the page by textContent, attributes or Vega's data, never as markup.
(() => {
  "use strict";

  const doc = JSON.parse(document.getElementById("data").textContent);
  const state = { choice: doc.tabs.map(() => 0), system: "" };
  const drawn = new Map(); // figure name -> {chart, width}
  const tables = new Map(); // table name -> {form, order, filter, all, heads, body, more}
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

  const column = (index) => {
    const packed = doc.store.columns[index];
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

  const viewAt = (choice) => doc.views.find((view) => view.at.every((place, i) => place === choice[i]));

  // ---- the verdict and texts -------------------------------------------------------------------------------------------

  const SIGNS = doc.signs; // by verdict: a sign and its tone
  const sign = (level) => {
    const [text, kind] = SIGNS[level] || ["●", "fair"];
    return make("span", { class: `sign sign-${kind}`, "aria-hidden": "true", text });
  };

  const showTexts = (view) => {
    $("verdict").hidden = !view.sentence;
    if (doc.views.length > 1) $("verdict-title").textContent = view.at.map((i, t) => doc.tabs[t].values[i]).join(", ");
    const known = view.level in SIGNS;
    const level = $("level");
    level.hidden = !known;
    level.replaceChildren(sign(view.level), " ", make("span", { class: "words", text: view.level }));
    level.className = `level sign-${known ? SIGNS[view.level][1] : "fair"}`;
    $("sentence").textContent = view.sentence;
    $("numbers").replaceChildren(
      ...view.numbers.map((n) =>
        make(
          "li",
          {},
          make("span", { class: "value", text: n.value }),
          make("span", { class: "what", text: n.label }),
          make("span", { class: "around", text: n.note }),
        ),
      ),
    );
    $("reasons-box").hidden = !view.reasons.length;
    const marks = { true: ["✓", "holds: ", "good"], false: ["✗", "fails: ", "bad"], null: ["·", "not asked: ", "none"] };
    $("reasons").replaceChildren(
      ...view.reasons.map(([holds, test, text]) => {
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
            make("span", { class: "answer", text }),
          ),
        );
      }),
    );
    for (const section of document.querySelectorAll("[data-section]")) {
      const texts = view.texts[section.dataset.section] || [];
      section.querySelector(".texts").replaceChildren(...texts.map((text) => make("p", { text })));
      const figures = [...section.querySelectorAll("figure")];
      for (const figure of figures) figure.hidden = !(figure.id.replace("figure-", "") in view.figures);
      section.hidden = !texts.length && figures.every((figure) => figure.hidden);
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
    spec.config = structuredClone(doc.config);
    if (!doc.figures[name].fixed) {
      spec.width = width;
      wrapTitles(spec, { x: width - 90, y: spec.height });
      if (width < 480) {
        spec.config.axisX = { titleAnchor: "end" }; // long titles have room below the labels of rows
        spec.config.style.label.limit = Math.floor((width - 110) / 2); // names stand on both sides of the ranks
      }
      spec.autosize = { type: "fit-x", contains: "padding" };
      spec.config.legend.columns = Math.max(1, Math.min(4, Math.floor((width - 80) / 165)));
    }
    return spec;
  };

  // Titles of axes that are longer than the axis, in lines.
  const wrapTitles = (node, room) => {
    if (node === null || typeof node !== "object") return;
    for (const channel of ["x", "y"]) {
      const title = node.encoding && node.encoding[channel] && node.encoding[channel].title;
      if (typeof title === "string" && room[channel] > 0) node.encoding[channel].title = inLines(title, room[channel] / 6.2);
    }
    for (const layer of node.layer || []) wrapTitles(layer, room);
  };

  const inLines = (text, most) => {
    const lines = [""];
    for (const word of text.split(/ (?!%)/)) {
      const last = lines.at(-1);
      if (last && last.length + 1 + word.length > most) lines.push(word);
      else lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
    return lines.length > 1 ? lines : text;
  };

  const widthOf = (name, holder) => Math.max(240, doc.figures[name].least, Math.floor(holder.clientWidth));

  const draw = async (name, figure) => {
    const box = $(`figure-${name}`);
    const holder = box.querySelector(".chart");
    holder.setAttribute("aria-label", figure.alternative);
    box.querySelector("figcaption").textContent = figure.caption;
    const width = widthOf(name, holder);
    const before = drawn.get(name);
    const canvas = make("div");
    const { view: chart } = await vegaEmbed(canvas, specification(name, figure, width), {
      mode: "vega-lite",
      renderer: "svg",
      actions: false,
      ast: true,
      defaultStyle: false,
      logLevel: 1, // errors only; Vega's other remarks are not for readers
      tooltip: showTip,
    });
    if (before) before.chart.finalize();
    holder.replaceChildren(canvas);
    drawn.set(name, { chart, width });
    if (doc.figures[name].saved) holder.after(saveButtons(name, chart));
    chart.addEventListener("click", (_event, item) => {
      const datum = item && item.datum;
      if (datum && typeof datum.system === "string") highlight(datum.system === state.system ? "" : datum.system);
    });
    await mark(chart);
  };

  // Buttons that save a chart as a file; only a page of one chart has colours that a file can have too.
  const saveButtons = (name, chart) => {
    const save = async (kind) => {
      const link = make("a", { download: `${name}.${kind}`, href: await chart.toImageURL(kind, kind === "png" ? 2 : 1) });
      link.click();
    };
    const button = (kind) => make("button", { type: "button", text: `Save as ${kind.toUpperCase()}`, onclick: () => save(kind) });
    return make("p", { class: "save" }, button("svg"), button("png"));
  };

  const mark = async (chart) => {
    try {
      await chart.signal("highlighted", state.system).runAsync();
    } catch (error) {
      if (!/Unrecognized signal/.test(String(error))) throw error; // a chart without systems
    }
  };

  const pause = () => new Promise((resolve) => setTimeout(resolve, 0));

  const drawAll = async (view) => {
    const mine = ++generation;
    delete document.documentElement.dataset.ready;
    for (const name of Object.keys(doc.figures)) {
      if (!(name in view.figures)) continue;
      await pause(); // so that the page stays responsive
      if (mine !== generation) return;
      await draw(name, view.figures[name]);
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
  const rowText = (row, i, form) => {
    const { kind, digits } = form.columns[i];
    if (kind !== "interval") return cellText(row[i], kind, digits);
    return row[i] === null ? "–" : `${fixed(row[i][0], digits)} to ${fixed(row[i][1], digits)}`;
  };
  const RIGHT = new Set(["number", "signed", "interval", "p", "rank", "steps", "count", "share"]);

  const none = (value) => value === null || value === "";
  const compare = (a, b) => {
    if (Array.isArray(a)) return a[0] - b[0];
    if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
    return a - b;
  };

  // The rows of a packed table, each with a value per column; an interval is the pair of its ends.
  const rowsOf = (form) => {
    const columns = form.columns.map(({ values, to }) => {
      const low = column(values);
      return to === undefined ? low : low.map((value, i) => (value === null ? null : [value, column(to)[i]]));
    });
    return Array.from({ length: form.n }, (_, i) => columns.map((values) => values[i]));
  };

  // Tables of the same name in other views keep their order, filter and length.
  const buildTable = (name, form) => {
    const heads = form.columns.map(({ title, kind }, i) => {
      const head = make("th", { scope: "col", class: RIGHT.has(kind) ? "right" : "" });
      head.append(make("button", { type: "button", text: title, onclick: () => sortBy(name, i) }));
      setRoom(head, title);
      return head;
    });
    const before = tables.get(name) || { order: null, filter: "", all: false };
    const same = before.form && before.form.columns.length === form.columns.length;
    const table = { ...before, order: same ? before.order : null, form, rows: rowsOf(form), heads };
    table.body = make("tbody");
    table.more = make("p", { class: "more" });
    const filter = make("input", { type: "search", oninput: (event) => filterBy(name, event.target.value) });
    filter.setAttribute("aria-label", `Filter: ${form.title}`);
    filter.value = table.filter;
    tables.set(name, table);
    fillTable(name);
    return make(
      "div",
      { class: "table", id: `table-${name}` },
      make("div", { class: "table-head" }, make("h3", { text: form.title }), make("label", {}, "Filter", filter)),
      make(
        "div",
        { class: "scroll", role: "region", tabindex: "0", "aria-label": form.title },
        make(
          "table",
          {},
          make("caption", { class: "visually-hidden", text: form.title }),
          make("thead", {}, make("tr", {}, ...heads)),
          table.body,
        ),
      ),
      table.more,
    );
  };

  const sortBy = (name, place) => {
    const table = tables.get(name);
    const { kind } = table.form.columns[place];
    const first = RIGHT.has(kind) && kind !== "rank" ? "descending" : "ascending";
    const other = first === "ascending" ? "descending" : "ascending";
    const way = table.order && table.order.place === place && table.order.way === first ? other : first;
    table.order = { place, way };
    fillTable(name);
  };

  const filterBy = (name, text) => {
    tables.get(name).filter = text;
    fillTable(name);
  };

  const fillTable = (name) => {
    const table = tables.get(name);
    const { form, order } = table;
    const wanted = table.filter.trim().toLowerCase();
    let rows = table.rows;
    if (wanted) rows = rows.filter((row) => row.some((_, i) => rowText(row, i, form).toLowerCase().includes(wanted)));
    if (order) {
      const back = order.way === "descending" ? -1 : 1;
      rows = [...rows].sort(({ [order.place]: a }, { [order.place]: b }) =>
        none(a) || none(b) ? none(a) - none(b) : back * compare(a, b), // rows without a value come last
      );
    }
    table.heads.forEach((head, i) => {
      if (order && order.place === i) head.setAttribute("aria-sort", order.way);
      else head.removeAttribute("aria-sort");
    });
    const shown = table.all ? rows : rows.slice(0, form.shown);
    table.body.replaceChildren(...shown.map((row) => buildRow(form, row)));
    const rest = rows.length - shown.length;
    table.more.replaceChildren(
      `${shown.length.toLocaleString("en")} of ${(form.total || table.rows.length).toLocaleString("en")} rows`,
      ...(form.total > table.rows.length ? [` (the page has the first ${table.rows.length.toLocaleString("en")})`] : []),
    );
    if (rest || (table.all && rows.length > form.shown)) {
      const text = rest ? `Show all ${rows.length.toLocaleString("en")}` : `Show ${form.shown}`;
      const toggle = () => {
        table.all = !table.all;
        fillTable(name);
      };
      table.more.append(make("button", { type: "button", text, "aria-label": `${text}: ${form.title}`, onclick: toggle }));
    }
  };

  // Long texts of a table that is scrolled on a telephone: in a narrow column out of sight they would make its rows tall.
  const setRoom = (cell, text) => {
    if (text.length > 24) cell.classList.add(text.length > 90 ? "very-long" : "long");
    else if (/^[\d–]+$/.test(text)) cell.classList.add("range"); // ranks such as 3–12 stay on a line
  };

  const buildRow = (form, row) => {
    const line = make("tr");
    line.names = [];
    form.columns.forEach(({ kind }, i) => {
      const value = row[i];
      const text = rowText(row, i, form);
      const cell = make("td", { class: RIGHT.has(kind) ? "right" : "" });
      const act = {
        system: () => highlight(value === state.system ? "" : value),
        tab: () => choose(0, doc.tabs[0].values.indexOf(value)),
      }[kind];
      if (kind === "system") line.names.push(value);
      const length = text.length <= 30 ? "short" : "long";
      if (!RIGHT.has(kind)) setRoom(cell, text);
      if (act) cell.append(make("button", { type: "button", class: `name ${length}`, text, onclick: act }));
      else cell.textContent = text;
      line.append(cell);
    });
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

  const showTables = (view) => {
    const built = Object.entries(view.tables).map(([name, form]) => buildTable(name, form));
    $("section-tables").hidden = !built.length;
    $("tables").replaceChildren(...built);
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
    for (const line of document.querySelectorAll("[data-at]")) {
      line.classList.toggle("chosen", line.dataset.at === state.choice.join(","));
    }
    doc.tabs.forEach((tabs, t) => {
      const list = document.querySelector(`[data-tabs="${tabs.name}"]`);
      if (!list) return;
      [...list.children].forEach((tab, i) => {
        const here = state.choice[t] === i;
        tab.setAttribute("aria-selected", String(here));
        tab.tabIndex = here ? 0 : -1;
        const choice = state.choice.map((place, k) => (k === t ? i : place));
        const other = viewAt(choice);
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
    for (const { chart } of drawn.values()) mark(chart);
  };

  // ---- the address -------------------------------------------------------------------------------------------

  const hash = () => {
    const parts = doc.tabs
      .map((tabs, t) => [tabs.name, tabs.values[state.choice[t]]])
      .filter((_, t) => doc.tabs[t].values.length > 1);
    if (state.system) parts.push(["system", state.system]);
    return `#${parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&")}`;
  };

  // The system of this name, else the only one that ends with it, else the only one that has it in its name.
  const systemLike = (text) => {
    if (!text || doc.systems.includes(text)) return text;
    const wanted = text.toLowerCase();
    for (const fits of [(name) => name === wanted, (name) => name.endsWith(wanted), (name) => name.includes(wanted)]) {
      const found = doc.systems.filter((name) => fits(name.toLowerCase()));
      if (found.length === 1) return found[0];
    }
    return "";
  };

  const readHash = () => {
    const given = {};
    for (const part of location.hash.slice(1).split("&")) {
      const [key, ...rest] = part.split("="); // a value such as AP(rel=1) may have the sign itself
      if (!rest.length) continue;
      const value = rest.join("=");
      try {
        given[key] = decodeURIComponent(value);
      } catch {
        continue; // not ours
      }
    }
    doc.tabs.forEach((tabs, t) => {
      state.choice[t] = Math.max(0, tabs.values.indexOf(given[tabs.name]));
    });
    state.system = systemLike(given.system || "");
  };

  // ---- all together ------------------------------------------------------------------------------------------

  const show = () => {
    const view = viewAt(state.choice);
    showTabs();
    showTexts(view);
    showTables(view);
    showHighlight();
    return drawAll(view);
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
    $("controls").hidden = !doc.systems.length;
    $("clear").addEventListener("click", () => highlight(""));
    $("find").addEventListener("input", (event) => {
      const name = event.target.value;
      if (doc.systems.includes(name) || (name === "" && state.system)) highlight(name);
    });
    $("find").addEventListener("change", (event) => {
      const name = systemLike(event.target.value);
      if (name && name !== state.system) highlight(name);
    });
    for (const cell of document.querySelectorAll("[data-level]")) {
      if (cell.dataset.level in SIGNS) cell.prepend(sign(cell.dataset.level), " ");
    }
    for (const button of document.querySelectorAll("[data-answer]")) {
      button.addEventListener("click", () => {
        state.choice = button.dataset.answer.split(",").map(Number);
        history.pushState(null, "", hash());
        show();
        $("verdict").scrollIntoView();
      });
    }
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
          const holder = $(`figure-${name}`).querySelector(".chart");
          const shown = holder.clientWidth > 0 && !doc.figures[name].fixed;
          return shown && Math.abs(widthOf(name, holder) - width) > 12;
        });
        if (moved && !matchMedia("print").matches) drawAll(viewAt(state.choice));
      }, 200);
    }).observe(panel);
    readHash();
    show();
  };

  start();
})();
