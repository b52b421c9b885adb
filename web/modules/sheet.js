/* sheet -- a worksheet as a form: what is given, then one step after another with blanks for its numbers. Each step is marked by the engine
 * on the reader's own numbers, as `longhand practice` does: rounding is fair, slips carry on, mistakes have names. */
import { all, announce, make, makeButton, one } from "./dom.js";
import { blankKey, fillAnswers, hintLines, makeBlank, saidLine, showVerdict, stepLines } from "./blanks.js";
import { parseAddress } from "./address.js";
import { Engine, errorText } from "./engine.js";
import { recordAttempt } from "./progress.js";

/**
 * A matrix with labels; each cell is made by the caller.
 * @param {string} name @param {string[]} rows @param {string[]} columns @param {number} n_rows @param {number} n_columns
 * @param {(r: number, c: number) => Node | string} cell
 * @returns {HTMLElement}
 */
export function labelled(name, rows, columns, n_rows, n_columns, cell) {
  const hasRows = rows.some(Boolean), hasColumns = columns.some(Boolean) && n_columns > 1;
  const table = make("table", { class: "matrix" }, make("caption", { class: "unseen" }, name));
  if (hasColumns) {
    const head = make("tr", {}, hasRows ? make("td") : null);
    for (let c = 0; c < n_columns; c++) head.append(make("th", { scope: "col" }, columns[c] || ""));
    table.append(make("thead", {}, head));
  }
  const body = make("tbody");
  for (let r = 0; r < n_rows; r++) {
    const row = make("tr", {}, hasRows ? make("th", { scope: "row" }, rows[r] || "") : null);
    for (let c = 0; c < n_columns; c++) row.append(make("td", {}, cell(r, c)));
    body.append(row);
  }
  table.append(body);
  return make("div", { class: "scroll" }, table);
}

export class SheetForm extends HTMLElement {
  constructor() {
    super();
    /** @type {Engine | null} */
    this.engine = null;
    /** @type {any} */
    this.sheet = null;
    this.lesson = "";
    this.step = "";
    this.hints = 0;
    /** @type {Set<string>} */
    this.right = new Set();
  }

  /** @param {Engine} engine @param {any} sheet @param {string} lesson @param {string} [step] for the record; "": each step its own */
  use(engine, sheet, lesson, step = "") {
    this.engine = engine;
    this.sheet = sheet;
    this.lesson = lesson;
    this.step = step;
    this.right.clear();
    const given = make("div", { class: "beside" });
    for (const g of sheet.given) given.append(this.givenOf(g));
    const steps = make("ol", { class: "sheet-steps" });
    sheet.asked.forEach((/** @type {any} */ asked, /** @type {number} */ i) => steps.append(this.stepOf(asked, i)));
    this.replaceChildren(make("details", { class: "sheet-given", open: true }, make("summary", {}, "Given"), given), steps);
  }

  /** @param {any} g @returns {HTMLElement} */
  givenOf(g) {
    if (!g.numbers) return make("p", {}, make("code", {}, g.line));
    const name = g.line.replace(/^\w+ /, "").replace(/ .*/, "");
    return make("div", { class: "value" }, make("span", {}, make("code", {}, name), " ="),
      labelled(name, g.rows, g.columns, g.numbers.length, g.numbers[0].length, (r, c) => g.numbers[r][c]));
  }

  /** @param {any} asked @param {number} i @returns {HTMLElement} */
  stepOf(asked, i) {
    const said = make("div", { class: "said", role: "status" });
    const li = make("li", { class: "sheet-step", "data-path": asked.path },
      make("p", { class: "sheet-formula" }, make("code", {}, `${asked.path} = ${asked.formula}`), " ", make("span", { class: "quiet" }, `${asked.comment ? asked.comment + " · " : ""}${asked.decimals} decimals`)));
    for (const line of asked.inside || []) if (line.formula) li.append(make("p", { class: "quiet" }, make("code", {}, `${line.label} = ${line.formula}`)));
    for (const b of asked.blocks) {
      const name = asked.blocks.length > 1 ? b.address : asked.path;
      li.append(make("div", { class: "value", "data-block": b.address }, make("span", {}, make("code", {}, name), " ="),
        labelled(name, b.row_labels || [], b.column_labels || [], b.rows, b.columns, (r, c) => makeBlank(`${b.address} row ${r} column ${c}`, asked.decimals + 4))));
    }
    li.append(make("div", { class: "buttons" }, makeButton("Check", () => this.mark(i), { class: "main" }), makeButton("Hint", () => this.hint(asked.path, said))), said);
    li.addEventListener("keydown", event => {
      blankKey(event);
      if (event.key === "Enter" && event.target instanceof HTMLInputElement) { event.preventDefault(); this.mark(i); }
    });
    return li;
  }

  /** Everything that was typed goes into the sheet. */
  collect() {
    for (const block of all("[data-block]", this))
      fillAnswers(this.sheet, block.dataset.block || "", all("input", block).map(f => /** @type {HTMLInputElement} */ (f).value.trim()));
  }

  /** @param {number} i which step is shown */
  async mark(i) {
    const asked = this.sheet.asked[i], li = /** @type {HTMLElement} */ (all(".sheet-step", this)[i]), said = /** @type {HTMLElement} */ (one(".said", li));
    this.collect();
    const marked = await /** @type {Engine} */ (this.engine).call("mark", JSON.stringify(this.sheet));
    if (marked.error) { said.replaceChildren(make("p", {}, errorText(marked.error))); return; }
    const step = marked.sheets[0].steps.find((/** @type {any} */ s) => s.path === asked.path);
    this.show(li, step, marked.sheets[0].notes || []);
    this.record(asked, step, li);
    this.dispatchEvent(new Event("checked"));
  }

  /** The answers as one would type them at the prompt: Q = 0.32 -0.12; 0.47 -0.09. Steps with a blank are left out. @returns {string} */
  typed() {
    return Object.entries(this.sheet.answers).filter(([, rows]) => Array.isArray(rows) && /** @type {string[][]} */ (rows).flat().every(Boolean))
      .map(([address, rows]) => `${address} = ${/** @type {string[][]} */ (rows).map(r => r.join(" ")).join("; ")}`).join("\n");
  }

  /** @param {HTMLElement} li @param {any} step @param {any[]} notes */
  show(li, step, notes) {
    for (const b of step.blocks) {
      const fields = all("input", /** @type {HTMLElement} */ (one(`[data-block="${CSS.escape(b.address)}"]`, li)));
      b.verdicts.flat().forEach((/** @type {string} */ v, /** @type {number} */ k) => { if (fields[k]) showVerdict(/** @type {HTMLInputElement} */ (fields[k]), v); });
    }
    const isAll = step.credit === step.total, lines = stepLines(step);
    if (isAll) lines.unshift("✓ Right.");
    else if (step.blank === step.total) lines.unshift("Nothing is filled in yet.");
    else lines.unshift(`${step.credit} of ${step.total} right.`);
    for (const n of notes) if (String(n.text).includes(step.path)) lines.push(n.text);
    const said = /** @type {HTMLElement} */ (one(".said", li));
    said.dataset.verdict = isAll ? "right" : "wrong";
    said.replaceChildren(...lines.map(saidLine));
    li.classList.toggle("is-right", isAll);
    if (isAll) one("input", li.nextElementSibling || li)?.focus();
  }

  /** @param {any} asked @param {any} step @param {HTMLElement} li */
  record(asked, step, li) {
    const right = step.credit === step.total;
    if (right) this.right.add(asked.path); else this.right.delete(asked.path);
    const raw = all("input", li).map(f => /** @type {HTMLInputElement} */ (f).value).join(" ");
    const verdict = right ? "right" : step.mistakes?.length ? "known mistake" : "wrong";
    const common = { lesson: this.lesson, seed: Number(this.sheet.seed) || 0, digits: this.sheet.digits, raw, verdict, mistake: step.mistakes?.[0]?.name || null, hints: this.hints };
    const isWhole = this.right.size === this.sheet.asked.length;
    if (!this.step) recordAttempt({ ...common, step: asked.path, right });
    else if (isWhole || !right) recordAttempt({ ...common, step: this.step, right: isWhole });
    if (isWhole) { announce("The whole sheet is right."); this.dispatchEvent(new Event("done")); }
  }

  /** @param {string} path @param {HTMLElement} said */
  async hint(path, said) {
    const level = Number(said.dataset.level || 0) + 1, hint = await /** @type {Engine} */ (this.engine).call("hint", path, level, `seed=${this.sheet.seed ?? 0}`);
    said.dataset.level = String(level);
    this.hints++;
    said.dataset.verdict = "";
    if (hint.error && level > 1) said.dataset.level = "0";
    said.replaceChildren(...hintLines(hint).map(line => make("p", {}, line)));
  }

}

/** A step whose matrix is not on the page is worked out in the desk itself. @param {import("./lesson.js").Lesson} lesson @param {HTMLElement} desk */
export function startDeskSheets(lesson, desk) {
  desk.addEventListener("sheet", async event => {
    if (/** @type {any} */ (desk).lesson !== lesson) return;
    const at = parseAddress(/** @type {CustomEvent<string>} */ (event).detail), body = one(".desk-body", desk);
    if (at.program || !body) { announce("Only steps of the lesson’s own program can be worked out here."); return; }
    const sheet = await lesson.engine.call("sheet", "seed=0", "digits=4", "steps=" + at.path);
    if (sheet.error) { announce(errorText(sheet.error)); return; }
    const form = new SheetForm();
    form.use(lesson.engine, sheet, lesson.name);
    body.replaceChildren(form);
    one("input", form)?.focus();
  });
}
