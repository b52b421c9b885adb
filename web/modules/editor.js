/* editor -- a text field for the notation: a textarea, which knows selection, undo and screen readers, over a copy of its text with colours.
 *
 * Beside each line is its shape; below the line of an error is the error with its cure; Ctrl+Space or typing a name offers names. */
import { make, makeButton } from "./dom.js";

/** @typedef {import("./engine.js").EngineError} EngineError */

const keywords = new Set("vocab const param state size input example examples text repeat next backward fn grad end each mistake seed generate".split(" "));

/** A line of notation in colours. @param {string} line @returns {DocumentFragment} */
export function colourLine(line) {
  const out = document.createDocumentFragment(), hash = line.indexOf("#"), code = hash < 0 ? line : line.slice(0, hash);
  for (const piece of code.split(/(\b[A-Za-z_]\w*\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?)/)) {
    if (keywords.has(piece)) out.append(make("b", {}, piece));
    else if (/^\d/.test(piece)) out.append(make("span", { class: "number" }, piece));
    else out.append(piece);
  }
  if (hash >= 0) out.append(make("i", {}, line.slice(hash)));
  return out;
}

export class Editor {
  /** @param {string} label @param {(text: string) => void} changed */
  constructor(label, changed) {
    this.area = /** @type {HTMLTextAreaElement} */ (make("textarea", { class: "editor-area", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": label, rows: "14", "aria-describedby": "editor-help" }));
    this.colours = make("pre", { class: "editor-colours", "aria-hidden": "true" });
    this.shapes = make("div", { class: "editor-shapes", "aria-hidden": "true" });
    this.list = make("ul", { class: "editor-names", role: "listbox", id: "editor-names", hidden: true, "aria-label": "Names" });
    this.box = make("div", { class: "editor" }, make("div", { class: "editor-text" }, this.colours, this.area, this.list), this.shapes);
    /** @type {{name: string, says: string}[]} */
    this.names = [];
    this.chosen = 0;
    this.changed = changed;
    this.area.addEventListener("input", () => { this.paint(); this.changed(this.area.value); this.offer(false); });
    this.area.addEventListener("scroll", () => this.scroll());
    this.area.addEventListener("keydown", event => this.key(event));
    this.area.addEventListener("blur", () => setTimeout(() => this.hideNames(), 150));
  }

  /** @param {string} text */
  set text(text) {
    this.area.value = text;
    this.paint();
  }

  get text() { return this.area.value; }

  /** @param {EngineError | null} [error] */
  paint(error = null) {
    const lines = this.area.value.split("\n");
    this.area.rows = Math.max(8, Math.min(28, lines.length + 1));
    this.colours.replaceChildren(...lines.flatMap((line, i) => {
      const row = make("div", { class: "editor-line" }, colourLine(line), "\u200b");
      if (error && error.line === i + 1) row.classList.add("has-error");
      return [row];
    }));
    this.scroll();
  }

  scroll() {
    this.colours.scrollTop = this.shapes.scrollTop = this.area.scrollTop;
    this.colours.scrollLeft = this.area.scrollLeft;
  }

  /** Shapes beside their lines. @param {{line: number, shape: string}[]} lines */
  showShapes(lines) {
    const n = this.area.value.split("\n").length, of = new Map(lines.map(l => [l.line, l.shape]));
    this.shapes.replaceChildren(...Array.from({ length: n }, (_, i) => make("div", {}, of.get(i + 1) || "\u200b")));
    this.scroll();
  }

  /** The name before the caret. @returns {{word: string, from: number}} */
  word() {
    const to = this.area.selectionStart, before = this.area.value.slice(0, to), m = /[A-Za-z_][\w.]*$/.exec(before);
    return { word: m ? m[0] : "", from: m ? to - m[0].length : to };
  }

  /** @param {boolean} isAsked by the reader: then also without a letter */
  offer(isAsked) {
    const { word } = this.word(), line = this.area.value.slice(0, this.area.selectionStart).split("\n").pop() || "";
    const fit = line.includes("#") ? [] : this.names.filter(n => n.name.startsWith(word) && n.name !== word).slice(0, 8);
    if (!fit.length || (!isAsked && word.length < 2)) { this.hideNames(); return; }
    this.chosen = 0;
    this.list.replaceChildren(...fit.map((n, i) => {
      const li = make("li", { role: "option", id: `editor-name-${i}`, "aria-selected": i === 0 ? "true" : "false", "data-name": n.name }, n.name, n.says ? make("span", { class: "quiet" }, "  " + n.says) : null);
      li.addEventListener("pointerdown", event => { event.preventDefault(); this.take(n.name); });
      return li;
    }));
    this.placeNames();
    this.list.hidden = false;
    this.area.setAttribute("aria-controls", "editor-names");
    this.area.setAttribute("aria-activedescendant", "editor-name-0");
  }

  /** Under the caret: letters are all as wide as one ch. */
  placeNames() {
    const before = this.area.value.slice(0, this.word().from).split("\n"), style = getComputedStyle(this.area);
    const line = parseFloat(style.lineHeight), ch = parseFloat(style.fontSize) * 0.602;
    this.list.style.top = parseFloat(style.paddingTop) + before.length * line - this.area.scrollTop + "px";
    this.list.style.left = parseFloat(style.paddingLeft) + (before[before.length - 1] || "").length * ch - this.area.scrollLeft + "px";
  }

  hideNames() {
    this.list.hidden = true;
    this.area.removeAttribute("aria-activedescendant");
    this.area.removeAttribute("aria-controls");
  }

  /** @param {string} name */
  take(name) {
    const { from } = this.word();
    this.area.setRangeText(name, from, this.area.selectionStart, "end");
    this.hideNames();
    this.paint();
    this.changed(this.area.value);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key === " " && event.ctrlKey) { event.preventDefault(); this.offer(true); return; }
    if (this.list.hidden) return;
    const items = Array.from(this.list.children), move = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); this.hideNames(); }
    else if (event.key === "Enter" || event.key === "Tab") { event.preventDefault(); this.take(items[this.chosen]?.getAttribute("data-name") || ""); }
    else if (move) {
      event.preventDefault();
      items[this.chosen]?.setAttribute("aria-selected", "false");
      this.chosen = (this.chosen + move + items.length) % items.length;
      items[this.chosen]?.setAttribute("aria-selected", "true");
      this.area.setAttribute("aria-activedescendant", `editor-name-${this.chosen}`);
    }
  }

  /** @param {number} line @param {number} column */
  goTo(line, column) {
    const before = this.area.value.split("\n").slice(0, line - 1).join("\n"), at = (line > 1 ? before.length + 1 : 0) + Math.max(0, column - 1);
    this.area.focus();
    this.area.setSelectionRange(at, at);
  }
}

/**
 * An error as the program prints it: the line, a mark under the place, what is wrong and the cure.
 * @param {EngineError} e @param {Editor} editor
 * @returns {HTMLElement}
 */
export function errorBox(e, editor) {
  const line = e.line ? editor.text.split("\n")[e.line - 1] || "" : "", column = e.column || 1;
  const box = make("div", { class: "error-box" });
  if (e.line) {
    box.append(makeButton(`Line ${e.line}`, () => editor.goTo(e.line, column), { class: "plain" }),
      make("pre", {}, line + "\n" + " ".repeat(Math.max(0, column - 1)) + "^" + "~".repeat(Math.max(0, (e.length || 1) - 1))));
  }
  box.append(make("p", {}, make("b", {}, e.what)));
  if (e.cure) box.append(make("p", { class: "cure" }, e.cure));
  return box;
}
