/* notebook -- an output of the Python module in a notebook, alive: its numbers can be opened, and changed where they are given.
 *
 *     <longhand-output data-program='{"text": "...", "settings": [["rate", "1"]], "step": 3}'> what is seen without this script </longhand-output>
 *
 * What is seen moves into a shadow tree: no style of the notebook reaches it, and none of ours leaves it. The engine begins with the first
 * touch: it opens the program, makes the same changes, and computes every number that is shown. Where one differs (a file that a page cannot
 * read), the output stays as it was and says so. The program in Python is never changed. */
import { all, make, one, speakIn } from "./dom.js";
import { parseAddress } from "./address.js";
import { Engine, errorText, handedOver } from "./engine.js";
import { Lesson } from "./lesson.js";
import { Desk } from "./desk.js";
import { startNumbers } from "./numbers.js";
import { startGivens } from "./givens.js";

const programFile = "notebook.lh";

/** @typedef {{text: string, settings: [string, string][], step: number}} NotebookProgram */
/** @typedef {{e: HTMLElement, row: number, column: number}} PlacedNumber */

/** The styles of the page, for a shadow tree: what they say of the page's root is said of the output. @returns {string} */
function notebookStyle() {
  return String(handedOver("style") || "").replace(/:root\[([^\]]*)\]/g, ":host([$1])").replace(/:root:not\(([^)]*)\)/g, ":host(:not($1))").replace(/:root/g, ":host");
}

/** Is the text around it light? Notebooks say that they are dark in many ways; this one they share. @param {Element} e @returns {boolean} */
function isOnDark(e) {
  const [r = 0, g = 0, b = 0] = (getComputedStyle(e).color.match(/[\d.]+/g) || []).map(Number);
  return 0.299 * r + 0.587 * g + 0.114 * b > 140;
}

/** P[1] of a column is row 1, of a row column 1. @param {number[]} cell @param {{rows: number}} value @returns {[number, number]} */
function placeOf(cell, value) {
  if (cell.length > 1) return [cell[0] || 0, cell[1] || 0];
  return value.rows > 1 ? [cell[0] || 0, 0] : [0, cell[0] || 0];
}

/** Does the text show this number, rounded? @param {string} text @param {number | string} x @returns {boolean} */
export function showsNumber(text, x) {
  const m = /^-?\d*\.?(\d*)(?:e([+-]?\d+))?$/.exec(text.trim());
  if (!m || text.trim() === "") return text.trim() === String(x);
  return Math.abs(Number(text) - Number(x)) <= 10 ** (Number(m[2] || 0) - (m[1] || "").length) + 1e-12;
}

/** What is written there; of a point of a picture, its label says it: L@3 = 1.38. @param {HTMLElement} e @returns {string} */
function writtenAt(e) {
  return e.matches(".spot") ? (e.getAttribute("aria-label") || "").replace(/^.* = /, "") : e.textContent || "";
}

/** The numbers of an output by their matrices. @param {ParentNode} within @returns {Map<string, HTMLElement[]>} */
function byMatrix(within) {
  /** @type {Map<string, HTMLElement[]>} */
  const found = new Map();
  for (const e of all("[data-at]", within)) {
    const matrix = (e.dataset.at || "").replace(/(\[\d+\])+(@\d+)?$/, "$2"), list = found.get(matrix);
    if (list) list.push(e);
    else found.set(matrix, [e]);
  }
  return found;
}

/** Its program is the notebook's: other changes and the step of training come on top of it. */
class NotebookEngine extends Engine {
  /** @param {NotebookProgram} program @param {() => Promise<string>} compare */
  constructor(program, compare) {
    super(programFile);
    this.program = program;
    this.compare = compare;
    this.isCompared = false;
    this.useTexts(new Map([[programFile, program.text]]));
  }

  async prepare() {
    const own = this.settings;
    this.settings = [];
    await super.prepare();
    const words = [...this.program.settings.map(([what, value]) => ["set", what, value]), ["step", String(this.program.step)], ...own.map(([what, value]) => ["set", what, value])];
    for (const call of words) {
      const answer = await this.send({ call });
      if (answer.error) throw new Error(errorText(answer.error));
    }
    this.settings = own;
    if (this.isCompared) return;
    const wrong = await this.compare();
    if (wrong) throw new Error(wrong);
    this.isCompared = true;
  }
}

/** What one output shows, as a lesson: its numbers follow what the reader changes. */
class NotebookLesson extends Lesson {
  /** @param {HTMLElement} article @param {HTMLElement} home @param {NotebookProgram} program */
  constructor(article, home, program) {
    super(article, new NotebookEngine(program, () => this.compare()));
    this.program = program;
    this.place = home;
    this.whose = "notebook";
    this.state = { settings: [], step: program.step };
    /** What Python wrote: the reader may be typing while the engine is on its way. */
    this.told = new Map(all("[data-at]", article).map(e => /** @type {[HTMLElement, string]} */ ([e, writtenAt(e)])));
  }

  get home() { return this.place; }
  link() { return ""; }
  remember() { /* the address bar is the notebook's */ }
  async restore() { /* likewise */ }
  reset() { return this.go({ settings: [], step: this.program.step }); }

  /** What the notebook has set comes back when the reader's own value goes. @param {import("./lesson.js").State} from @param {import("./lesson.js").State} to @returns {Promise<string>} */
  async apply(from, to) {
    const wrong = await super.apply(from, to), has = (/** @type {import("./lesson.js").State} */ state, /** @type {string} */ what) => state.settings.some(s => s[0] === what);
    for (const [what, value] of wrong ? [] : this.program.settings)
      if (has(from, what) && !has(to, what)) await this.engine.call("set", what, value);
    return wrong;
  }

  /** Asks for every number that is shown. @param {(words: string[]) => Promise<any>} ask @param {(e: HTMLElement, value: any, at: [number, number]) => void} take @returns {Promise<string>} */
  async eachNumber(ask, take) {
    const matrices = [...byMatrix(this.article)];
    while (matrices.length) {
      const some = matrices.splice(0, 200), told = await ask(["values", ...some.map(([name]) => name)]);
      if (told.error) return errorText(told.error);
      some.forEach(([, list], i) => { for (const e of list) take(e, told.values[i], placeOf(parseAddress(e.dataset.at || "").cell, told.values[i])); });
    }
    return "";
  }

  /** Does the engine have the numbers that Python has? @returns {Promise<string>} "" or what differs */
  async compare() {
    let differs = "";
    const wrong = await this.eachNumber(words => this.engine.send({ call: words }), (e, value, [r, c]) => {
      const x = value.numbers[r]?.[c], text = this.told.get(e) ?? "";
      if (!differs && !showsNumber(text, x)) differs = `${e.dataset.at} is ${text} in Python and ${x} here`;
    });
    return wrong || differs;
  }

  /** @returns {Promise<string>} */
  async refresh() {
    this.changed = [];
    const wrong = await this.eachNumber(words => this.engine.call(...words), (e, value, [r, c]) => {
      const text = value.cells[r]?.[c] ?? "";
      if (e.matches(".editing, .spot") || e.textContent === text) return;
      e.textContent = text;
      e.classList.add("changed");
      this.changed.push(e);
    });
    this.dispatchEvent(new Event("refresh"));
    setTimeout(() => { for (const e of this.changed) e.classList.remove("changed"); }, 900);
    return wrong;
  }
}

class NotebookOutput extends HTMLElement {
  connectedCallback() {
    /* The parser calls before the children are there. */
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => this.wake(), { once: true });
    else setTimeout(() => this.wake(), 0);
  }

  wake() {
    if (this.shadowRoot || !this.isConnected) return;
    const program = JSON.parse(this.dataset.program || "{}"), root = this.attachShadow({ mode: "open" });
    const article = make("article", { "data-lesson": "", class: "longhand" }), home = make("div", { class: "output is-alive" }, article);
    article.append(...this.childNodes);
    for (const style of all("style", article)) if (!style.closest("svg")) style.remove();
    root.append(make("style", {}, notebookStyle()), home);
    this.follow();
    const lesson = new NotebookLesson(article, home, program), desk = /** @type {Desk} */ (document.createElement("lh-desk"));
    desk.lesson = lesson;
    desk.hasBlanks = false;
    desk.reveal = () => {};
    home.append(desk);
    desk.addEventListener("opens", event => this.seat(desk, /** @type {CustomEvent<HTMLElement | null>} */ (event).detail));
    startNumbers(lesson, desk);
    startGivens(lesson, desk);
    this.listen(lesson, home);
  }

  /** The colours of the notebook, which its reader may switch. */
  follow() {
    this.dataset.theme = isOnDark(this) ? "dark" : "light";
  }

  /** The panel comes below the step whose number was touched, and stays there while it goes deeper. @param {Desk} desk @param {HTMLElement | null} from */
  seat(desk, from) {
    const part = from?.closest("article > .longhand > *, article > *");
    if (part && part.nextElementSibling !== desk) part.after(desk);
  }

  /** @param {NotebookLesson} lesson @param {HTMLElement} home */
  listen(lesson, home) {
    const touched = () => {
      if (!home.classList.contains("is-alive")) return;
      this.follow();
      speakIn(home);
      lesson.engine.ready().catch(e => this.giveUp(e));
    };
    this.addEventListener("pointerenter", touched);
    this.addEventListener("focusin", touched);
    /* Keys that are pressed here are for the numbers, not commands of the notebook. JupyterLab looks for the attribute, others listen above. */
    this.setAttribute("data-lm-suppress-shortcuts", "true");
    this.addEventListener("keydown", event => { if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); });
  }

  /** As it was without this script, with the reason. @param {unknown} e */
  giveUp(e) {
    const home = one(".output", /** @type {ShadowRoot} */ (this.shadowRoot)), article = home && one("article", home);
    if (!home || !article || !home.classList.contains("is-alive")) return;
    for (const n of all("[data-at]", article)) for (const name of ["data-at", "data-given", "tabindex", "role"]) n.removeAttribute(name);
    for (const desk of all("lh-desk", home)) desk.remove();
    home.classList.remove("is-alive");
    home.append(make("p", { class: "quiet" }, `These numbers cannot be opened here: ${e instanceof Error ? e.message : String(e)}`));
  }
}

/* A cell that is run again hands all of this over again. */
if (!customElements.get("lh-desk")) {
  customElements.define("lh-desk", Desk);
  /* What follows this script hands over engine and styles; outputs that wait for it come after. */
  setTimeout(() => customElements.define("longhand-output", NotebookOutput), 0);
}
