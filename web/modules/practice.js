/* practice -- the page of worksheets: choose a lesson and numbers, fill in, be marked; progress, which moves to the program and back. */
import { announce, make, makeButton, one } from "./dom.js";
import { Engine, errorText, handedOver, loadScript } from "./engine.js";
import { attempts, doneOf, importProgress, saveProgress } from "./progress.js";
import { SheetForm } from "./sheet.js";

/** @typedef {{name: string, title: string, part: string, minutes: number, sheet?: boolean, exercises?: number}} Entry */

/** The lessons of this book. @returns {Promise<Entry[]>} */
export async function contents() {
  await loadScript("contents.js").catch(() => {});
  return handedOver("contents")?.lessons || [];
}

/** A list to choose from. @param {string} id @param {[string, string][]} options value and text @returns {HTMLSelectElement} */
export function makeSelect(id, options) {
  return /** @type {HTMLSelectElement} */ (make("select", { id }, ...options.map(([value, text]) => make("option", { value }, text))));
}

class Practice {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.place = make("div", { class: "practice-place" });
    this.seed = /** @type {HTMLInputElement} */ (make("input", { id: "seed", type: "number", min: "0", max: "999999", value: "1" }));
    /** @type {HTMLSelectElement | null} */
    this.lesson = null;
    /** @type {Engine | null} */
    this.engine = null;
  }

  async begin() {
    const entries = (await contents()).filter(e => e.sheet);
    const lesson = this.lesson = makeSelect("lesson", entries.map(e => [e.name, e.title]));
    const wanted = decodeURIComponent(location.hash.slice(1)).split("?")[0];
    if (entries.some(e => e.name === wanted)) lesson.value = wanted || "";
    const form = make("form", { class: "row" }, make("label", { for: "lesson" }, "Lesson"), lesson, make("label", { for: "seed" }, "Numbers"), this.seed,
      make("button", { type: "submit", class: "main" }, "Begin"), makeButton("Another one like it", () => { this.seed.value = String(Number(this.seed.value) + 1); this.open(); }));
    form.addEventListener("submit", event => { event.preventDefault(); this.open(); });
    this.root.append(form, this.place, progressBox());
  }

  async open() {
    const name = this.lesson?.value || "";
    if (this.engine?.lesson !== name) this.engine = new Engine(name);
    this.place.replaceChildren(make("p", { class: "quiet", role: "status" }, "The sheet is being made…"));
    const sheet = await this.engine.call("sheet", `seed=${Math.max(0, Math.floor(Number(this.seed.value)) || 0)}`, "digits=4");
    if (sheet.error) { this.place.replaceChildren(make("p", { class: "desk-error" }, errorText(sheet.error))); return; }
    const form = new SheetForm();
    form.use(this.engine, sheet, name);
    this.place.replaceChildren(make("h2", {}, sheet.title), sheet.note ? make("p", { class: "quiet" }, sheet.note) : "", form,
      make("div", { class: "buttons" }, makeButton("Print this sheet", () => print())));
    announce(`A sheet of ${sheet.asked.length} steps`);
    one("input", form)?.focus();
  }
}

/** How far the reader is, and the file with it. @returns {HTMLElement} */
export function progressBox() {
  const list = make("ul", { class: "progress-list" }), file = /** @type {HTMLInputElement} */ (make("input", { type: "file", id: "progress-file", accept: ".jsonl,.json,.txt" }));
  const said = make("p", { role: "status", class: "quiet" });
  const show = () => {
    const lessons = [...new Set(attempts().map(a => a.lesson))];
    list.replaceChildren(...lessons.map(l => make("li", {}, make("a", { href: l + ".html" }, l), ` ${doneOf(l)} done, ${attempts().filter(a => a.lesson === l).length} attempts`)));
    if (!lessons.length) list.append(make("li", {}, "Nothing yet. What you answer is remembered in this browser and nowhere else."));
  };
  file.addEventListener("change", async () => {
    const text = await file.files?.[0]?.text();
    if (text === undefined) return;
    const { added, wrong } = importProgress(text);
    said.textContent = wrong || `${added} attempts added.`;
  });
  document.addEventListener("longhand-progress", show);
  show();
  return make("section", { class: "progress" }, make("h2", {}, "Your progress"), list,
    make("div", { class: "buttons" }, makeButton("Save as a file", saveProgress)), make("label", { for: "progress-file" }, "Add a file from another browser or from the program"), file, said,
    make("p", { class: "quiet" }, "One line for each attempt, as ", make("code", {}, "longhand progress --export"), " writes it and ", make("code", {}, "--import"), " reads it."));
}

export function startPractice() {
  const root = one("#practice");
  if (root) new Practice(root).begin();
}
