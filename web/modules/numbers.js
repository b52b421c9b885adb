/* numbers -- every number that the engine made can be pointed at, tapped, and reached by the keyboard.
 *
 * A matrix, a paragraph or a picture is one stop of the Tab key; arrows go from number to number inside it, Enter opens the desk. */
import { all, around, make } from "./dom.js";
import { Desk, light, operandsOf, unlight } from "./desk.js";
import { numberText } from "./tokens.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

const number = "[data-at], [data-expr], [data-what]";
const group = "table.matrix, svg, pre, p, li, dd, td, th, figcaption, h1, h2, h3, h4";

/** @param {Element} e @returns {Element | null} what is one stop of the Tab key */
function groupOf(e) {
  return e.closest("table.matrix, table.cost") || e.closest("svg") || e.closest(group);
}

/** @param {HTMLElement} e @returns {string} what the engine is asked */
export function addressOf(e) {
  return e.dataset.at || e.dataset.expr || e.dataset.what || "";
}

/**
 * A row or a matrix in the prose, 0.5 0.5; 1 0: each number gets an element of its own. A column has one index, m[1], as the engine writes it.
 * @param {HTMLElement} e with data-value
 */
function splitRow(e) {
  const text = e.textContent || "", rows = text.split(";").map(r => r.trim().split(/\s+/)), base = e.dataset.value || "";
  if (e.childElementCount || !rows.flat().every(n => /^-?[\d.]+(e[+-]?\d+)?%?$/.test(n)) || rows.flat().length < 2) return;
  const [, name = base, step = ""] = /^(.*?)(@\d+)?$/.exec(base) || [];
  const at = (/** @type {number} */ r, /** @type {number} */ c) => name + (rows.length > 1 ? `[${r}]` : "") + (rows.length > 1 && rows.every(x => x.length === 1) ? "" : `[${c}]`) + step;
  e.replaceChildren(...rows.flatMap((row, r) => [...(r ? ["; "] : []), ...row.flatMap((n, c) => [...(c ? [" "] : []), make("span", { class: "n", "data-at": at(r, c) }, n)])]));
}

/** Gives a number its role and its place in the order of the Tab key. @param {HTMLElement} e */
function enlivenOne(e) {
  if (e.matches("svg text")) e.setAttribute("aria-label", `${addressOf(e)} = ${e.textContent || ""}`);
  if (e.classList.contains("alive")) return;
  const g = groupOf(e), isFirst = !g || !g.querySelector('.alive[tabindex="0"]');
  e.classList.add("alive");
  if (!e.matches("td")) e.setAttribute("role", "button");
  e.setAttribute("tabindex", isFirst ? "0" : "-1");
  if (isFirst && g?.matches("table.matrix")) g.setAttribute("role", "grid");
  if (isFirst && g?.matches("svg[role=img]")) g.setAttribute("role", "group");
}

/** @param {ParentNode} within */
export function enliven(within) {
  if (within instanceof HTMLElement && within.matches(".n[data-value]")) splitRow(within);
  for (const e of all(".n[data-value]", within)) splitRow(e);
  for (const e of all(number, within)) enlivenOne(e);
}

/** All numbers of a page, a few at a time: the page stays quick. @param {HTMLElement} within */
function enlivenSlowly(within) {
  const parts = Array.from(within.children);
  const some = () => {
    for (const end = performance.now() + 8; parts.length && performance.now() < end;) enliven(/** @type {HTMLElement} */ (parts.shift()));
    if (parts.length) setTimeout(some, 0);
  };
  some();
}

/** The number to the left, right, above or below. @param {HTMLElement} e @param {string} key @returns {HTMLElement | null} */
function neighbour(e, key) {
  const td = e.closest("table.matrix td"), row = td?.parentElement;
  if (td instanceof HTMLTableCellElement && row instanceof HTMLTableRowElement) {
    const rows = Array.from(/** @type {HTMLTableSectionElement} */ (row.parentElement).rows);
    const dy = key === "ArrowDown" ? 1 : key === "ArrowUp" ? -1 : 0, dx = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
    const to = rows[rows.indexOf(row) + dy]?.cells[key === "Home" ? firstCell(row) : key === "End" ? row.cells.length - 1 : td.cellIndex + dx];
    return to && to.matches("td") ? to : null;
  }
  const g = groupOf(e), list = g ? all(number, g) : [], i = list.indexOf(e);
  const next = key === "ArrowRight" || key === "ArrowDown" ? i + 1 : key === "ArrowLeft" || key === "ArrowUp" ? i - 1 : key === "Home" ? 0 : list.length - 1;
  return list[next] || null;
}

/** @param {HTMLTableRowElement} row @returns {number} */
function firstCell(row) {
  return Array.from(row.cells).findIndex(c => c.matches("td"));
}

/** @param {HTMLElement} from @param {HTMLElement} to */
function moveFocus(from, to) {
  from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus();
}

/**
 * The number that the reader points at. In a picture of points and curves it is the nearest one, if it is near.
 * @param {Event} event @returns {HTMLElement | null}
 */
function pointedAt(event) {
  const e = around(event, number), picture = around(event, "svg.chart, svg.curves, svg.lh-chart");
  if (!picture || !(event instanceof MouseEvent) || (e && !e.matches(".spot"))) return e;
  const reach = event instanceof PointerEvent && event.pointerType === "touch" ? 24 : 14;
  let nearest = null, least = reach * reach;
  for (const spot of all(".spot", picture)) {
    const box = spot.getBoundingClientRect();
    const dx = Math.max(box.left - event.clientX, event.clientX - box.right, 0), dy = Math.max(box.top - event.clientY, event.clientY - box.bottom, 0);
    const far = dx * dx + dy * dy + ((box.left + box.right) / 2 - event.clientX) ** 2 / 1e4 + ((box.top + box.bottom) / 2 - event.clientY) ** 2 / 1e4;
    if (far < least) { least = far; nearest = spot; }
  }
  return nearest;
}

/** The small note beside a number that is pointed at. */
class Tip {
  /** @param {Desk} desk @param {HTMLElement} home */
  constructor(desk, home) {
    this.desk = desk;
    this.home = home;
    this.box = make("div", { class: "lh-tip", role: "tooltip", id: "tip", hidden: true });
    /** @type {HTMLElement | null} */
    this.of = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    home.append(this.box);
    this.box.addEventListener("pointerleave", () => this.hide());
  }

  /** @param {Lesson} lesson @param {HTMLElement} e */
  point(lesson, e) {
    clearTimeout(this.timer);
    this.of = e;
    this.timer = setTimeout(async () => {
      const told = await lesson.engine.call("explain", addressOf(e)), across = e.dataset.across ? await lesson.engine.call("explain", e.dataset.across) : null;
      if (this.of !== e) return;
      if (!told.error) this.show(e, told, across);
      else if (e.dataset.expr) this.put(e, [make("div", {}, make("code", {}, e.dataset.expr), " = ", make("b", {}, e.textContent || ""))]);
    }, 90);
  }

  /** @param {HTMLElement} e @param {any} told @param {any} across what its place along the bottom is, of a point */
  show(e, told, across) {
    const last = told.lines[told.lines.length - 1], value = told.text || numberText(told.value);
    const lines = [make("div", {}, make("code", {}, told.address), " = ", make("b", {}, value), told.where ? make("span", { class: "quiet" }, " " + told.where) : null)];
    if (across && !across.error) lines.unshift(make("div", {}, make("code", {}, across.address), " = ", make("b", {}, across.text || numberText(across.value))));
    if (last?.given) lines.push(make("div", { class: "quiet" }, e.dataset.given ? "given: drag, or press Enter to change it" : "given"));
    else if (last) {
      lines.push(make("div", {}, make("code", {}, "= " + last.formula)));
      if (last.numbers !== last.formula) lines.push(make("div", {}, make("code", {}, "= " + last.numbers)));
    }
    this.put(e, lines);
    light(operandsOf(told), this.desk.around);
    if (e.matches(".spot")) e.classList.add("lit");
  }

  /** @param {HTMLElement} e @param {Node[]} lines */
  put(e, lines) {
    this.box.replaceChildren(...lines);
    this.box.hidden = false;
    this.place(e);
  }

  /** Above the number, else below it, and inside the window; in a notebook, inside the output. @param {HTMLElement} e */
  place(e) {
    const at = e.getBoundingClientRect(), box = this.box.getBoundingClientRect(), isPage = this.home === document.body;
    const { left: x, top: y, width } = isPage ? { left: -scrollX, top: -scrollY, width: document.documentElement.clientWidth } : this.home.getBoundingClientRect();
    const from = isPage ? 0 : x, above = at.top - box.height - 8, least = isPage ? 4 : y;
    const left = Math.max(from + 8, Math.min(at.left + at.width / 2 - box.width / 2, from + width - box.width - 8));
    this.box.style.left = left - x + "px";
    this.box.style.top = (above > least ? above : at.bottom + 8) - y + "px";
  }

  hide() {
    clearTimeout(this.timer);
    this.of = null;
    if (this.box.hidden) return;
    this.box.hidden = true;
    if (this.desk.hidden) unlight(this.desk.around);
    else this.desk.again();
  }
}

/** @param {Lesson} lesson @param {Desk} desk */
export function startNumbers(lesson, desk) {
  const tip = new Tip(desk, lesson.home), root = lesson.article;
  enlivenSlowly(root);
  lesson.addEventListener("refresh", () => { for (const e of lesson.changed) enliven(e); });
  root.addEventListener("pointermove", event => {
    if (event.pointerType !== "mouse" || event.buttons || !around(event, "svg")?.querySelector(".spot")) return;
    const e = pointedAt(event);
    if (e && e !== tip.of) tip.point(lesson, e);
    else if (!e && tip.of) tip.hide();
  });
  root.addEventListener("pointerover", event => {
    const e = around(event, number);
    if (e && !e.matches(".spot") && event.pointerType === "mouse" && !event.buttons && !e.dataset.what && !e.closest(".blank")) tip.point(lesson, e);
  });
  root.addEventListener("pointerout", event => {
    const to = event.relatedTarget instanceof Element ? event.relatedTarget : null;
    if ((around(event, number) || (tip.of?.matches(".spot") && !to?.closest("svg"))) && !to?.closest(".lh-tip, .spot")) tip.hide();
  });
  root.addEventListener("click", event => {
    const e = pointedAt(event);
    if (!e || e.dataset.what || e.closest(".blank, .editing") || event.defaultPrevented) return;
    tip.hide();
    desk.open(addressOf(e), e);
  });
  root.addEventListener("keydown", event => onKey(event, desk, tip));
  lesson.around.addEventListener("keydown", event => { if (/** @type {KeyboardEvent} */ (event).key === "Escape") tip.hide(); });
}

/** @param {KeyboardEvent} event @param {Desk} desk @param {Tip} tip */
function onKey(event, desk, tip) {
  const e = around(event, number);
  if (!e || event.target !== e || event.ctrlKey || event.metaKey || event.altKey) return;
  if (/^(Arrow|Home$|End$)/.test(event.key)) {
    const to = neighbour(e, event.key);
    if (to) moveFocus(e, to);
    event.preventDefault();
  } else if (event.key === "Enter" || event.key === " ") {
    if (e.dataset.given && event.key === "Enter") return; /* givens.js edits it */
    event.preventDefault();
    tip.hide();
    desk.open(addressOf(e), e, true);
  }
}
