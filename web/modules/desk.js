/* desk -- the panel at the foot of the page: one number, how it came about, and the way back to where the reader began.
 *
 *     desk.open("P[1][0]", element)     by a tap or Enter; a tap on an operand goes one deeper
 *
 * It covers nothing that it speaks of: the page can be scrolled below it, and the operands light up where they are. */
import { all, announce, isStill, make, makeButton, one } from "./dom.js";
import { addressKey, parseAddress } from "./address.js";
import { errorText } from "./engine.js";
import { numberText, workLine } from "./tokens.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

/** Every place where the number is; a point of a picture is the place of two. @param {string} at @param {ParentNode} within a page, or an output of a notebook @returns {HTMLElement[]} */
export function placesOf(at, within) {
  const text = CSS.escape(at);
  return all(`[data-at="${text}"], [data-across="${text}"]`, within);
}

/** @param {ParentNode} within @param {string} [name] of the class */
export function unlight(within, name = "lit") {
  for (const e of all("." + name, within)) e.classList.remove(name);
}

/** @param {Iterable<string>} addresses @param {ParentNode} within @param {string} [name] of the class */
export function light(addresses, within, name = "lit") {
  unlight(within, name);
  for (const at of addresses) for (const e of placesOf(at, within)) e.classList.add(name);
}

/** @param {any} told what `explain` answered @returns {string[]} addresses of every number that it is made of */
export function operandsOf(told) {
  /** @type {Set<string>} */
  const found = new Set();
  for (const line of told.lines || []) for (const o of line.operands || []) found.add(o.at);
  return [...found];
}

export class Desk extends HTMLElement {
  constructor() {
    super();
    /** @type {Lesson | null} */
    this.lesson = null;
    /** @type {string[]} addresses from where the reader began down to the present one */
    this.trail = [];
    /** @type {HTMLElement | null} the number that was touched */
    this.from = null;
    this.asked = 0;
    this.isDeep = false;
    /** Blanks are offered for what was computed. */
    this.hasBlanks = true;
    this.addEventListener("keydown", event => { if (event.key === "Escape") { this.close(); event.stopPropagation(); } });
    this.addEventListener("pointerover", event => this.point(event));
    this.addEventListener("focusin", event => this.point(event));
    this.addEventListener("pointerout", () => unlight(this.around, "pointed"));
  }

  connectedCallback() {
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", "How a number came about");
    if (!this.trail.length) this.hidden = true;
  }

  /** The page, or the output of a notebook, that it is part of. @returns {Document | ShadowRoot} */
  get around() {
    const root = this.getRootNode();
    return root instanceof ShadowRoot ? root : document;
  }

  /** An operand under the pointer is shown where it stands. @param {Event} event */
  point(event) {
    const e = event.target instanceof Element ? event.target.closest("[data-to]") : null;
    if (e instanceof HTMLElement) light([e.dataset.to || ""], this.around, "pointed");
  }

  /**
   * @param {string} at
   * @param {HTMLElement | null} from
   * @param {boolean} [isKey] opened by the keyboard: then the focus goes into the panel
   */
  async open(at, from, isKey = false) {
    this.trail = [at];
    this.from = from;
    this.isDeep = false;
    this.dispatchEvent(new CustomEvent("opens", { detail: from }));
    await this.show();
    if (isKey) one("button, input", this)?.focus();
  }

  /** One deeper. @param {string} at */
  async go(at) {
    this.trail.push(at);
    await this.show();
    one(".desk-trail [aria-current]", this)?.focus();
  }

  /** @param {number} i back to this place of the trail */
  async back(i) {
    this.trail.length = i + 1;
    await this.show();
    one(".desk-trail [aria-current]", this)?.focus();
  }

  close() {
    this.hidden = true;
    document.documentElement.classList.remove("has-desk");
    for (const name of ["lit", "chosen", "pointed"]) unlight(this.around, name);
    this.from?.focus({ preventScroll: true });
    this.dispatchEvent(new Event("close"));
  }

  /** What it shows, again: the numbers have changed. */
  async again() {
    if (!this.hidden && this.trail.length && !this.contains(this.around.activeElement)) await this.show();
  }

  async show() {
    const at = this.trail[this.trail.length - 1], lesson = this.lesson, turn = ++this.asked;
    if (!at || !lesson) return;
    if (this.hidden) {
      this.hidden = false;
      document.documentElement.classList.add("has-desk");
      this.replaceChildren(make("p", { class: "desk-wait" }, "The engine is on its way…"));
    }
    const told = await lesson.engine.call("explain", at, ...(this.isDeep ? ["deep"] : []));
    if (turn !== this.asked) return;
    if (told.error && this.from?.dataset.expr === at) { this.fillExpression(at); return; }
    if (told.error) this.replaceChildren(this.head(at), make("p", { class: "desk-error" }, errorText(told.error)));
    else this.fill(at, told);
  }

  /** @param {string} at @returns {HTMLElement} the trail and the button that closes */
  head(at) {
    const trail = make("ol", { class: "desk-trail" });
    this.trail.forEach((a, i) => {
      const isLast = i === this.trail.length - 1;
      trail.append(make("li", {}, makeButton(a, () => this.back(i), { class: "plain", "aria-current": isLast && "step" })));
    });
    return make("div", { class: "desk-head" }, make("nav", { "aria-label": "Trail" }, trail),
      makeButton("Close", () => this.close(), { class: "desk-close", "aria-label": `Close the explanation of ${at}` }));
  }

  /** @param {string} at @param {any} told */
  fill(at, told) {
    const value = told.text || numberText(told.value), own = told.lines.length === 1 && told.lines[0].given;
    const title = make("p", { class: "desk-title" }, make("code", {}, at), " = ", make("b", {}, value));
    if (told.where) title.append(make("span", { class: "quiet" }, " " + told.where));
    if (told.comment) title.append(make("span", { class: "desk-comment" }, told.comment));
    const lines = make("ol", { class: "work-lines", ...(this.isDeep ? { class: "work-lines deep" } : {}) });
    for (const line of told.lines) {
      const li = workLine(line, line.text || numberText(line.value), a => this.go(a));
      if (this.isDeep) li.style.paddingLeft = Math.min(line.depth, 8) * 1.2 + "rem";
      lines.append(li);
    }
    const body = make("div", { class: "desk-body", tabindex: "-1" }, title, own ? this.given(at) : lines);
    this.replaceChildren(this.head(at), body, this.ways(at, told));
    light(operandsOf(told), this.around);
    light([at], this.around, "chosen");
    this.reveal(at);
    announce(`${at} is ${value}${told.where ? ", " + told.where : ""}. ${own ? "It is given." : told.lines.map((/** @type {any} */ l) => `${l.label} = ${l.formula}`).join("; ")}`);
    this.dispatchEvent(new CustomEvent("shown", { detail: { at, told } }));
  }

  /** A number that the prose or a bill works out from others: those can be opened, and so can sizes that stand on the page. @param {string} expression */
  fillExpression(expression) {
    const of = this.from?.closest("figure")?.dataset.of, whole = (/** @type {string} */ name) => of && !/[:[]/.test(name) ? `${of}:${name}` : name;
    const parts = expression.split(/((?:[A-Za-z_][\w-]*:)?[A-Za-z_][\w.]*(?:\{[^}]*\})?(?:\[\d+\])*(?:@\d+)?)/).map((p, i) => i % 2 && (/[[@]/.test(p) || placesOf(whole(p), this.around).length) ? { at: whole(p), text: p } : p);
    const shown = parts.map(p => typeof p === "string" ? p : makeButton(p.text, () => this.go(p.at), { class: "operand", "data-to": p.at }));
    this.replaceChildren(this.head(expression), make("div", { class: "desk-body" }, make("p", { class: "desk-title" }, make("code", {}, ...shown), " = ", make("b", {}, this.from?.textContent || ""))));
    light(parts.flatMap(p => typeof p === "string" ? [] : [p.at]), this.around);
    light([], this.around, "chosen");
    this.from?.classList.add("chosen");
    announce(`${expression} is ${this.from?.textContent || ""}`);
  }

  /** @param {string} at @returns {HTMLElement} */
  given(at) {
    const place = placesOf(at, this.around).find(e => e.dataset.given);
    return make("p", { class: "desk-given" }, "This number is given. ",
      place ? makeButton("Change it", () => this.dispatchEvent(new CustomEvent("edit", { detail: place }))) : null);
  }

  /** Where one can go from here. @param {string} at @param {any} told @returns {HTMLElement} */
  ways(at, told) {
    const ways = make("div", { class: "desk-ways" }), across = this.trail.length === 1 && this.from?.dataset.at === at ? this.from.dataset.across : "";
    if (across) ways.append(makeButton(`Its place along the bottom, ${across}`, () => this.go(across)));
    if (told.gradient) ways.append(makeButton(`Its gradient ${told.gradient}`, () => this.go(told.gradient)));
    if (told.gradient_of) ways.append(makeButton(`The value ${told.gradient_of}`, () => this.go(told.gradient_of)));
    const isMistaken = /^with | with /.test(at); /* a number as a mistake makes it: it is in no program of the lesson */
    if (told.learns && !isMistaken) ways.append(this.stepField(at));
    if (!told.lines[0]?.given) ways.append(makeButton(this.isDeep ? "This line only" : "All the way down", () => { this.isDeep = !this.isDeep; this.show(); }));
    const path = parseAddress(at).path, matrix = /** @type {HTMLElement | undefined} */ (placesOf(at, this.around).map(e => e.closest("table.matrix[data-value]")).find(Boolean));
    if (this.hasBlanks && !isMistaken && !told.given && !told.lines[0]?.given && path && !parseAddress(at).step)
      ways.append(makeButton(`Work out ${matrix?.dataset.value || path} yourself`, () => {
        if (matrix) this.close();
        this.dispatchEvent(new CustomEvent("blanks", { detail: matrix || at }));
      }));
    return ways;
  }

  /** The same number after n steps of training. @param {string} at @returns {HTMLElement} */
  stepField(at) {
    const a = parseAddress(at), input = /** @type {HTMLInputElement} */ (make("input", { type: "number", min: "0", max: "10000", value: String(a.step), class: "desk-step" }));
    input.addEventListener("change", () => {
      a.step = Math.max(0, Math.floor(Number(input.value)) || 0);
      this.trail[this.trail.length - 1] = addressKey(a);
      this.show().then(() => one(".desk-step", this)?.focus());
    });
    return make("label", { class: "desk-steps" }, "after ", input, " steps of training");
  }

  /** The number itself is not hidden behind the panel. Of several places the one nearest to what the reader sees. @param {string} at */
  reveal(at) {
    const top = this.getBoundingClientRect().top, middle = top / 2;
    const boxes = (this.from && this.trail.length === 1 ? [this.from] : placesOf(at, this.around)).map(e => e.getBoundingClientRect()).filter(b => b.width);
    if (!boxes.length || boxes.some(b => b.top > 8 && b.bottom < top - 8)) return;
    const near = boxes.reduce((a, b) => Math.abs(b.top - middle) < Math.abs(a.top - middle) ? b : a);
    scrollBy({ top: near.top - middle, behavior: isStill() ? "auto" : "smooth" });
  }
}
