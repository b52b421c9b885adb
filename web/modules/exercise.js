/* exercise -- an exercise of a lesson, answered on the page: compute, predict, write a line, experiment, find the wrong line. The engine
 * judges; this file shows its words. */
import { all, make, makeButton, one } from "./dom.js";
import { Engine, errorText } from "./engine.js";
import { isDone, recordAttempt } from "./progress.js";
import { SheetForm } from "./sheet.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

const marks = /** @type {Record<string, string>} */ ({ right: "✓ Right.", partly: "… Right so far.", wrong: "✗ Not yet.", "not read": "? This cannot be read." });

/** `code` in a sentence of the engine becomes code, and all else text. @param {string} text @returns {DocumentFragment} */
export function withCode(text) {
  const out = document.createDocumentFragment();
  text.split(/`([^`]*)`/).forEach((part, i) => out.append(i % 2 ? make("code", {}, part) : part));
  return out;
}

class Exercise {
  /** @param {Lesson} lesson @param {HTMLElement} section */
  constructor(lesson, section) {
    this.lesson = lesson;
    this.section = section;
    this.number = Number(section.dataset.exercise);
    this.kind = section.dataset.kind || "";
    this.hints = 0;
    this.seed = 0;
    this.said = make("div", { class: "said", role: "status" });
    this.form = /** @type {HTMLFormElement} */ (make("form", { class: "answer" }));
    this.form.addEventListener("submit", event => { event.preventDefault(); this.answer(); });
  }

  /** An engine of its own: an exercise is judged on the lesson's numbers, whatever the reader changed above. */
  engine() {
    const own = /** @type {any} */ (this.lesson);
    if (!own.judge) {
      own.judge = new Engine(this.lesson.name);
      own.judge.useTexts(this.lesson.engine.own);
    }
    return /** @type {Engine} */ (own.judge);
  }

  /** The form is on the page at once; what it asks for is already in the HTML. */
  begin() {
    const command = one(".command", this.section);
    for (const d of all("details", this.section)) d.remove();
    if (this.kind === "predict") this.makeChoices("ol.letters", i => String.fromCharCode(97 + i));
    else if (this.kind === "find") this.makeChoices("ol:not(.letters)", i => String(i + 1));
    else if (this.kind === "compute") this.form.append(makeButton("Begin", () => this.openSheet(), { class: "main" }));
    else this.makeField();
    const buttons = make("div", { class: "buttons" });
    if (this.kind !== "compute") buttons.append(make("button", { type: "submit", class: "main" }, "Answer"));
    buttons.append(makeButton("Hint", () => this.hint()), makeButton("Show the answer", () => this.key()));
    this.form.append(buttons);
    if (command) command.replaceWith(this.form, this.said);
    else this.section.append(this.form, this.said);
    this.showDone();
  }

  /** A list of choices becomes a list to choose from. @param {string} selector @param {(i: number) => string} value */
  makeChoices(selector, value) {
    const list = all(selector, this.section).pop(), name = `exercise-${this.number}`;
    if (!list) return;
    all("li", list).forEach((li, i) => {
      const label = make("label", {}, make("input", { type: "radio", name, value: value(i) }), " ", ...Array.from(li.childNodes));
      li.replaceChildren(label);
    });
    const set = make("fieldset", { class: "choices" }, make("legend", { class: "unseen" }, `Choose for exercise ${this.number}`));
    list.replaceWith(set);
    set.append(list);
    this.form.append(set);
  }

  makeField() {
    const isLine = this.kind === "write", id = `answer-${this.number}`;
    const field = make("input", { id, class: "answer-line", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: isLine ? "S = …" : "WO=[…]" });
    this.form.append(make("label", { for: id }, isLine ? "Your line" : "Your settings"), field);
    this.engine().call("exercise", this.number).then(e => { if (!e.error && e.form) field.setAttribute("placeholder", e.form); });
  }

  /** @returns {string} */
  read() {
    const chosen = /** @type {HTMLInputElement | null} */ (one("input:checked", this.form)), field = /** @type {HTMLInputElement | null} */ (one(".answer-line", this.form));
    return chosen ? chosen.value : field ? field.value.trim() : "";
  }

  async answer() {
    const text = this.read();
    if (!text) { this.say(["Choose or write an answer first."]); return; }
    await this.judge(text);
  }

  /** @param {string} text */
  async judge(text) {
    const judged = await this.engine().call("judge", this.number, text);
    if (judged.error && typeof judged.error === "object") { this.say([errorText(judged.error)]); return; }
    const lines = [marks[judged.verdict] || judged.verdict, ...(judged.lines || [])];
    if (judged.error) lines.push(`${judged.error}${judged.column ? `, at sign ${judged.column}` : ""}`);
    if (judged.because) lines.push(judged.because);
    this.say(lines, judged.verdict);
    recordAttempt({ lesson: this.lesson.name, seed: this.seed, digits: 4, step: `exercise ${this.number}`, raw: text, verdict: judged.verdict, mistake: null, hints: this.hints, right: judged.verdict === "right" });
    this.showDone();
  }

  async openSheet() {
    const e = await this.engine().call("exercise", this.number);
    if (e.error || !e.sheet) { this.say([e.error ? errorText(e.error) : "This exercise has no sheet."]); return; }
    if (this.seed) {
      const steps = e.sheet.steps || e.sheet.asked.map((/** @type {any} */ a) => a.path);
      e.sheet = await this.engine().call("sheet", `seed=${Number(e.sheet.seed) + this.seed}`, `digits=${e.sheet.digits}`, `steps=${steps.join(",")}`);
      if (e.sheet.error) { this.say([errorText(e.sheet.error)]); return; }
    }
    one("lh-sheet", this.section)?.remove();
    const form = new SheetForm();
    form.use(this.engine(), e.sheet, this.lesson.name, `exercise ${this.number}`);
    form.addEventListener("checked", () => this.judgeSheet(form));
    form.addEventListener("done", () => { this.showDone(); this.offerAnother(); });
    this.form.before(form);
    all(".main", this.form).forEach(b => b.remove());
    one("input", form)?.focus();
  }

  /** What is said of all that was typed so far. Another one like it is marked step by step alone: the exercise has numbers of its own. @param {SheetForm} form */
  async judgeSheet(form) {
    const text = form.typed();
    if (this.seed || !text) return;
    const judged = await this.engine().call("judge", this.number, text);
    if (judged.error) return;
    this.say([marks[judged.verdict] || judged.verdict, ...(judged.lines || []), judged.because || ""], judged.verdict);
  }

  offerAnother() {
    if (one(".another", this.form)) return;
    one(".buttons", this.form)?.prepend(makeButton("Another one like it", () => { this.seed += 1; one(".another", this.form)?.remove(); this.openSheet(); }, { class: "another main" }));
  }

  async hint() {
    const told = await this.engine().call("exercise_hint", this.number, this.hints);
    if (told.hint) this.hints++;
    this.say([told.hint || (this.hints ? "There are no more hints." : "There is no hint for this one.")]);
  }

  async key() {
    const key = await this.engine().call("exercise_key", this.number);
    if (key.error) { this.say([errorText(key.error)]); return; }
    this.say([`The answer: ${key.key}`, ...(key.working || []).slice(0, 12), key.because || ""]);
  }

  /** @param {string[]} lines @param {string} [verdict] */
  say(lines, verdict = "") {
    this.said.dataset.verdict = verdict;
    this.said.replaceChildren(...lines.filter(Boolean).map(line => make("p", {}, withCode(line))));
  }

  showDone() {
    const heading = one("h2, h3, h4", this.section), done = isDone(this.lesson.name, `exercise ${this.number}`);
    if (heading && done && !one(".done", heading)) heading.append(make("span", { class: "done" }, " ✓ done"));
  }
}

/** @param {Lesson} lesson */
export function startExercises(lesson) {
  for (const section of all("section.exercise[data-exercise]", lesson.article)) new Exercise(lesson, section).begin();
}
