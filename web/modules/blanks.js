/* blanks -- a matrix of the page with its numbers taken out, to be worked out by the reader and marked by the engine. */
import { all, announce, make, makeButton, one } from "./dom.js";
import { parseAddress } from "./address.js";
import { errorText } from "./engine.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

/** Verdicts that count as right, and their signs: a sign and a word, never a colour alone. */
const signs = /** @type {Record<string, string>} */ ({ right: "✓", "last digit": "✓", "rounded early": "✓", "another way": "✓", follows: "↪", "too few digits": "…",
  blank: "", carried: "✗", "says too little": "…", "known mistake": "✗", "slip of the pen": "✗", wrong: "✗", "not read": "?", "cannot go on": "✗" });

/** @param {string} verdict @returns {boolean} */
export function isRight(verdict) {
  return ["right", "last digit", "rounded early", "another way", "follows"].includes(verdict);
}

/** Cells to fill in. @param {string} label @param {number} [size] @returns {HTMLInputElement} */
export function makeBlank(label, size = 8) {
  return /** @type {HTMLInputElement} */ (make("input", { class: "blank-field", inputmode: "decimal", autocomplete: "off", spellcheck: "false", "aria-label": label, size: String(size) }));
}

/** Arrows and Enter go from blank to blank inside a table. @param {KeyboardEvent} event */
export function blankKey(event) {
  const input = event.target;
  if (!(input instanceof HTMLInputElement)) return;
  const td = input.closest("td"), row = td?.parentElement;
  if (!(td instanceof HTMLTableCellElement) || !(row instanceof HTMLTableRowElement)) return;
  const rows = Array.from(/** @type {HTMLTableSectionElement} */ (row.parentElement).rows), y = rows.indexOf(row);
  const isLeft = event.key === "ArrowLeft" && input.selectionStart === 0, isRightKey = event.key === "ArrowRight" && input.selectionStart === input.value.length;
  let to = null;
  if (event.key === "ArrowDown") to = rows[y + 1]?.cells[td.cellIndex];
  if (event.key === "ArrowUp") to = rows[y - 1]?.cells[td.cellIndex];
  if (isLeft) to = row.cells[td.cellIndex - 1];
  if (isRightKey) to = row.cells[td.cellIndex + 1];
  const field = to ? one("input", to) : null;
  if (field) { event.preventDefault(); field.focus(); }
}

/**
 * Shows a verdict at a blank: a sign beside it, the word for those who hear it.
 * @param {HTMLInputElement} input @param {string} verdict
 */
export function showVerdict(input, verdict) {
  const cell = /** @type {HTMLElement} */ (input.parentElement), sign = one(".sign", cell) || cell.appendChild(make("span", { class: "sign", "aria-hidden": "true" }));
  sign.textContent = signs[verdict] ?? "";
  cell.dataset.verdict = isRight(verdict) ? "right" : verdict === "blank" ? "" : verdict === "too few digits" ? "few" : "wrong";
  input.setAttribute("aria-description", verdict);
  input.setAttribute("aria-invalid", String(!isRight(verdict) && verdict !== "blank"));
}

/** @param {HTMLTableElement} table @returns {string} numbers as they are typed: rows divided by ; */
export function typedRows(table) {
  return Array.from(table.tBodies[0]?.rows || [], row => all("input", row).map(i => /** @type {HTMLInputElement} */ (i).value.trim() || "_").join(" ")).join("; ");
}

/** Puts what was typed into the answers of a sheet. @param {any} sheet @param {string} address @param {string[]} cells row by row */
export function fillAnswers(sheet, address, cells) {
  const block = sheet.asked.flatMap((/** @type {any} */ step) => step.blocks).find((/** @type {any} */ b) => b.address === address);
  const wide = block ? block.columns : cells.length;
  const rows = [];
  for (let i = 0; i < cells.length; i += wide) rows.push(cells.slice(i, i + wide));
  sheet.answers[address] = rows;
}

/** What marking says of a step, in lines. @param {any} step @returns {string[]} */
export function stepLines(step) {
  const named = (step.mistakes || []).map((/** @type {any} */ m) => `✗ A known mistake: ${m.says}${m.where ? ` (${m.where})` : ""}`);
  const lines = [...named, ...(step.advice || [])];
  if (step.follows_from) lines.push(`↪ This follows from your ${step.follows_from}, carried on correctly: full credit.`);
  if (step.other_way) lines.push(`✓ Another way to the same result: ${step.other_way}`);
  if (step.few_digits) lines.push("A digit more would be better.");
  return lines;
}

/** A line of what marking says; the lesson that it sends the reader to is a link. @param {string} text @returns {HTMLElement} */
export function saidLine(text) {
  const m = /^(.*; read: )([a-z][a-z0-9-]*)$/.exec(text);
  return make("p", {}, ...(m ? [m[1], make("a", { href: `${m[2]}.html` }, m[2])] : [text]));
}

/** @param {any} hint what `hint` answered @returns {string[]} */
export function hintLines(hint) {
  return hint.error ? [errorText(hint.error)] : [hint.title || "", ...(hint.lines || [])].filter(Boolean);
}

class Blanks {
  /** @param {Lesson} lesson @param {HTMLTableElement} table */
  constructor(lesson, table) {
    this.lesson = lesson;
    this.table = table;
    this.value = table.dataset.value || "";
    this.path = parseAddress(this.value).path;
    this.level = 0;
    /** @type {any} */
    this.sheet = null;
    /** @type {{td: HTMLElement, text: string}[]} */
    this.cells = all("tbody td", table).map(td => ({ td, text: td.textContent || "" }));
    this.said = make("div", { class: "blanks-said", role: "status" });
    this.ask = make("p", { class: "blanks-ask" });
    this.box = make("div", { class: "blanks" }, this.ask, this.said,
      make("div", { class: "buttons" }, makeButton("Check", () => this.mark(), { class: "main" }), makeButton("Hint", () => this.hint()), makeButton("Show the numbers", () => this.end())));
  }

  async begin() {
    const sheet = this.sheet = await this.lesson.engine.call("sheet", "seed=0", "digits=4", "steps=" + this.path);
    if (sheet.error) { announce(errorText(sheet.error)); return; }
    const asked = sheet.asked[0];
    this.ask.append(make("code", {}, asked ? `${this.value} = ${asked.formula}` : this.value), asked?.comment ? ` ${asked.comment}` : "",
      make("span", { class: "quiet" }, ` Fill in the blanks${asked ? `, ${asked.decimals} decimals` : ""}.`));
    for (const { td } of this.cells) {
      td.classList.add("blank");
      td.replaceChildren(makeBlank(`${td.dataset.at || this.value}, to be worked out`));
    }
    this.table.classList.add("has-blanks");
    this.table.addEventListener("keydown", blankKey);
    this.table.addEventListener("keydown", event => { if (event.key === "Enter") { event.preventDefault(); event.stopPropagation(); this.mark(); } });
    (this.table.closest(".value") || this.table).after(this.box);
    one("input", this.table)?.focus();
  }

  async mark() {
    const fields = this.cells.map(({ td }) => /** @type {HTMLInputElement} */ (one("input", td)));
    const block = this.block();
    fillAnswers(this.sheet, block.address, fields.map(f => f.value.trim()));
    const marked = await this.lesson.engine.call("mark", JSON.stringify(this.sheet));
    if (marked.error) { this.say([errorText(marked.error)]); return; }
    const step = marked.sheets[0].steps.find((/** @type {any} */ s) => s.path === this.sheet.asked[0].path) || marked.sheets[0].steps[0];
    const verdicts = /** @type {string[]} */ (step.blocks.find((/** @type {any} */ b) => b.address === block.address).verdicts.flat());
    fields.forEach((f, i) => showVerdict(f, verdicts[i] || "blank"));
    const right = verdicts.filter(isRight).length, lines = stepLines(step);
    if (right === verdicts.length) lines.unshift("✓ All right.");
    else if (!lines.length) lines.push(`${right} of ${verdicts.length} are right.`);
    this.say(lines);
  }

  /** The part of the sheet that is this matrix: of the same example and head. */
  block() {
    const blocks = this.sheet.asked[0].blocks, a = parseAddress(this.value);
    return blocks.find((/** @type {any} */ b) => b.example === a.example && b.head === a.head) || blocks[0];
  }

  async hint() {
    const hint = await this.lesson.engine.call("hint", this.path, ++this.level, "seed=0");
    this.say(hintLines(hint));
  }

  /** @param {string[]} lines */
  say(lines) {
    this.said.replaceChildren(...lines.map(saidLine));
  }

  /** The numbers come back. */
  end() {
    for (const { td, text } of this.cells) {
      td.classList.remove("blank");
      delete td.dataset.verdict;
      td.textContent = text;
    }
    this.table.classList.remove("has-blanks");
    this.box.remove();
    /* Something may have been changed meanwhile. */
    this.lesson.shown.delete(Number(/** @type {HTMLElement | null} */ (this.table.closest("[data-show]"))?.dataset.show));
    this.lesson.refresh();
    this.cells[0]?.td.focus();
    announce(`${this.value} is shown again`);
  }
}

/** @param {Lesson} lesson @param {HTMLElement} desk */
export function startBlanks(lesson, desk) {
  desk.addEventListener("blanks", event => {
    if (/** @type {any} */ (desk).lesson !== lesson) return;
    const what = /** @type {CustomEvent<HTMLTableElement | string>} */ (event).detail;
    if (typeof what === "string") desk.dispatchEvent(new CustomEvent("sheet", { detail: what }));
    else if (!what.classList.contains("has-blanks")) new Blanks(lesson, what).begin();
  });
}
