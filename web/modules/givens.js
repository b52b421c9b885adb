/* givens -- numbers that are given can be changed where they stand: typed, with the arrow keys, or dragged to the left and right.
 *
 *     Enter, F2 or a digit    type another value; Enter takes it, Escape leaves it as it was
 *     + and -                 a little more, a little less; with Shift ten times as much
 *     drag                    as far as the pointer goes */
import { around, announce, make, makeButton, one } from "./dom.js";
import { followCode } from "./code.js";
import { Desk } from "./desk.js";
import { addressOf } from "./numbers.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

/** What one press of a key adds: a unit of the last digit that is written, of a tenth at most. @param {string} text @returns {number} */
export function stepOf(text) {
  const digits = /[.,](\d+)/.exec(text), n = digits ? (digits[1] || "").length : 0;
  return n > 1 ? 10 ** -n : Math.abs(Number(text)) >= 10 ? 1 : 0.1;
}

/** @param {number} x @param {number} step @returns {string} without the dust of binary fractions */
export function rounded(x, step) {
  const n = Math.max(0, Math.round(-Math.log10(step)));
  return String(Number(x.toFixed(n)));
}

/** What the reader typed, as the notation wants it; 1/2 and 0,5 too. @param {string} text @returns {string | null} */
export function readNumber(text) {
  const t = text.trim().replace(",", ".").replace("−", "-");
  const fraction = /^(-?[\d.]+)\s*\/\s*([\d.]+)$/.exec(t);
  if (fraction) return String(Number(fraction[1]) / Number(fraction[2]));
  return t !== "" && Number.isFinite(Number(t)) ? String(Number(t)) : null;
}

class Givens {
  /** @param {Lesson} lesson @param {Desk} desk */
  constructor(lesson, desk) {
    this.lesson = lesson;
    this.desk = desk;
    /** @type {{e: HTMLElement, x: number, start: number, step: number, moved: boolean, text: string} | null} */
    this.drag = null;
  }

  /** @param {HTMLElement} e @param {string} value @param {boolean} [isDrag] @returns {Promise<boolean>} */
  async put(e, value, isDrag = false) {
    const at = addressOf(e), wrong = await this.lesson.change(at, value, isDrag);
    if (wrong) announce(`${at} cannot be ${value}: ${wrong}`);
    else if (!isDrag) this.say(at, value);
    return !wrong;
  }

  /** @param {string} at @param {string} value */
  say(at, value) {
    const broken = this.lesson.broken();
    announce(`${at} is now ${value}. The numbers on the page follow.${broken ? ` ${broken} sentence${broken > 1 ? "s" : ""} no longer hold.` : ""}`);
  }

  /** @param {HTMLElement} e @param {number} by how many steps */
  async nudge(e, by) {
    const text = e.textContent || "0", step = stepOf(text);
    this.lesson.mark();
    if (await this.put(e, rounded(Number(text) + by * step, step), true)) this.say(addressOf(e), e.textContent || "");
  }

  /** Types another value in place. @param {HTMLElement} e @param {string} [first] */
  edit(e, first) {
    const old = e.textContent || "";
    const input = /** @type {HTMLInputElement} */ (make("input", { class: "in-place", inputmode: e.dataset.what ? "text" : "decimal", autocomplete: "off", spellcheck: "false", "aria-label": `${addressOf(e)}, given ${old}`, value: first ?? old }));
    const role = e.getAttribute("role"); /* a button holds no field */
    let isDone = false;
    const finish = async (/** @type {boolean} */ isTaken) => {
      if (isDone) return;
      const value = isTaken ? (e.dataset.what ? input.value.trim() || null : readNumber(input.value)) : null;
      if (isTaken && value === null && input.value.trim() !== old) { this.refuse(input); return; }
      isDone = true;
      e.classList.remove("editing");
      e.textContent = old;
      if (role) e.setAttribute("role", role);
      e.focus({ preventScroll: true });
      if (value !== null && value !== old) await this.put(e, value);
    };
    e.classList.add("editing");
    e.removeAttribute("role");
    e.replaceChildren(input);
    input.style.width = Math.max(4, old.length + 1) + "ch";
    input.focus();
    if (first === undefined) input.select();
    input.addEventListener("input", () => { input.style.width = Math.max(4, input.value.length + 1) + "ch"; });
    input.addEventListener("keydown", event => this.typing(event, input, finish));
    input.addEventListener("blur", () => finish(!!e.dataset.what || readNumber(input.value) !== null));
  }

  /** @param {KeyboardEvent} event @param {HTMLInputElement} input @param {(isTaken: boolean) => void} finish */
  typing(event, input, finish) {
    event.stopPropagation();
    if (event.key === "Enter") { event.preventDefault(); finish(true); }
    if (event.key === "Escape") finish(false);
    if ((event.key !== "ArrowUp" && event.key !== "ArrowDown") || !Number.isFinite(Number(readNumber(input.value) ?? NaN))) return;
    event.preventDefault();
    const step = stepOf(input.value), by = (event.key === "ArrowUp" ? 1 : -1) * (event.shiftKey ? 10 : 1);
    input.value = rounded(Number(readNumber(input.value) ?? 0) + by * step, step);
    input.dispatchEvent(new Event("input"));
  }

  /** @param {HTMLInputElement} input */
  refuse(input) {
    input.setAttribute("aria-invalid", "true");
    announce(`${input.value} is not a number`);
    input.select();
  }

  /** @param {PointerEvent} event */
  down(event) {
    const e = around(event, "[data-given]");
    if (!e || event.button || e.closest(".editing, .blank")) return;
    const text = e.textContent || "";
    if (!Number.isFinite(Number(text))) return;
    this.drag = { e, x: event.clientX, start: Number(text), step: stepOf(text), moved: false, text };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const d = this.drag;
    if (!d) return;
    const far = event.clientX - d.x;
    if (!d.moved && Math.abs(far) < 6) return;
    if (!d.moved) {
      d.moved = true;
      this.lesson.mark();
      d.e.setPointerCapture(event.pointerId);
      document.documentElement.classList.add("dragging");
    }
    event.preventDefault();
    const value = rounded(d.start + Math.round(far / 6) * d.step, d.step);
    if (value !== d.text) { d.text = value; this.put(d.e, value, true); }
  }

  up() {
    const d = this.drag;
    this.drag = null;
    if (!d?.moved) return;
    document.documentElement.classList.remove("dragging");
    this.say(addressOf(d.e), d.text);
    /* The click that follows belongs to the drag. */
    d.e.addEventListener("click", e => { e.preventDefault(); e.stopPropagation(); }, { capture: true, once: true });
    setTimeout(() => d.e.dispatchEvent(new Event("dragged")), 0);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const e = around(event, "[data-given]");
    if (!e || event.target !== e || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" || event.key === "F2") this.edit(e);
    else if (e.dataset.what) return;
    else if (event.key === "+" || event.key === "=") this.nudge(e, event.shiftKey && event.key !== "+" ? 10 : 1);
    else if (event.key === "-" || event.key === "_") this.nudge(e, event.key === "_" ? -10 : -1);
    else if (/^[\d.,]$/.test(event.key)) this.edit(e, event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** What was changed, with undo and reset, at the foot of the page. @param {Lesson} lesson @returns {HTMLElement} */
function changesBar(lesson) {
  /* Where it would lie over what the reader is changing, it goes to the other end of the screen until the page is scrolled. */
  const makeRoom = () => {
    const at = document.activeElement?.getBoundingClientRect(), box = bar.getBoundingClientRect();
    if (at && document.activeElement !== document.body && !bar.contains(document.activeElement) && at.bottom > box.top && at.top < box.bottom) bar.classList.add("is-above");
  };
  addEventListener("scroll", () => bar.classList.remove("is-above"), { passive: true });
  const said = make("span", { class: "changes-said" }), broken = make("span", { class: "changes-broken" });
  const undo = makeButton("Undo", () => lesson.undo().then(() => announce("Undone")));
  const reset = makeButton("Reset", () => lesson.reset().then(() => announce(`The numbers are the ${lesson.whose}’s again`)));
  const copy = makeButton("Copy link", async () => {
    try { await navigator.clipboard.writeText(lesson.link()); copy.textContent = "Copied"; } catch { copy.textContent = "It is in the address bar"; }
    announce("The link has your numbers");
    setTimeout(() => { copy.textContent = "Copy link"; }, 1500);
  });
  const bar = make("div", { class: "changes", role: "region", "aria-label": "Your numbers", hidden: true }, said, broken, undo, reset, lesson.link() ? copy : null);
  lesson.addEventListener("change", () => {
    const n = lesson.state.settings.length, b = lesson.broken();
    bar.hidden = n === 0 && lesson.before.length === 0;
    said.textContent = n ? `${n} number${n > 1 ? "s" : ""} changed` : `The ${lesson.whose}’s numbers`;
    broken.textContent = b ? `⚠ ${b} sentence${b > 1 ? "s" : ""} no longer hold${b > 1 ? "" : "s"}` : "";
    /** @type {HTMLButtonElement} */ (undo).disabled = lesson.before.length === 0;
    /** @type {HTMLButtonElement} */ (reset).disabled = n === 0;
    if (!bar.hidden) makeRoom();
  });
  return bar;
}

/** @param {Lesson} lesson @param {Desk} desk */
export function startGivens(lesson, desk) {
  const givens = new Givens(lesson, desk), root = lesson.article;
  lesson.addEventListener("refresh", () => followCode(root, lesson.state.settings));
  root.addEventListener("pointerdown", event => givens.down(event));
  root.addEventListener("pointermove", event => givens.move(event));
  root.addEventListener("pointerup", () => givens.up());
  root.addEventListener("pointercancel", () => givens.up());
  root.addEventListener("keydown", event => givens.key(event));
  root.addEventListener("click", event => {
    const e = around(event, "[data-what]");
    if (e && !e.closest(".editing")) givens.edit(e);
  });
  root.addEventListener("dblclick", event => {
    const e = around(event, "[data-given]");
    if (e && !e.closest(".editing")) { event.preventDefault(); givens.edit(e); }
  });
  desk.addEventListener("edit", event => desk.lesson === lesson && givens.edit(/** @type {CustomEvent<HTMLElement>} */ (event).detail));
  lesson.around.addEventListener("keydown", e => {
    const event = /** @type {KeyboardEvent} */ (e), isUndo = (event.ctrlKey || event.metaKey) && event.key === "z" && !around(event, "input, textarea, [contenteditable]");
    if (isUndo && lesson.before.length) { event.preventDefault(); lesson.undo(); }
  });
  lesson.home.append(changesBar(lesson));
  lesson.addEventListener("change", () => desk.again());
  if (one("[data-given]", root)) root.classList.add("has-givens");
}
