/* teach -- for teachers: a lesson of their own comes to life where it is dropped, with what lint says of it; the answers of a class are
 * marked here. Nothing leaves the machine. */
import { all, announce, download, elementsOf, make, makeButton, one } from "./dom.js";
import { Engine, errorText } from "./engine.js";
import { contents, makeSelect } from "./practice.js";
import { labelled } from "./sheet.js";

/** @typedef {(article: HTMLElement, engine: Engine) => import("./lesson.js").Lesson} BringToLife */

/** Files by dropping, or by a button. @param {string} text @param {string} id @param {string} accept @param {(files: File[]) => void} take @returns {HTMLElement} */
export function dropPlace(text, id, accept, take) {
  const input = /** @type {HTMLInputElement} */ (make("input", { type: "file", id, accept, multiple: true }));
  const place = make("div", { class: "drop" }, make("label", { for: id }, text), input);
  input.addEventListener("change", () => { take(Array.from(input.files || [])); input.value = ""; });
  place.addEventListener("dragover", event => { event.preventDefault(); place.classList.add("is-over"); });
  place.addEventListener("dragleave", () => place.classList.remove("is-over"));
  place.addEventListener("drop", event => {
    event.preventDefault();
    place.classList.remove("is-over");
    take(Array.from(event.dataTransfer?.files || []));
  });
  return place;
}

/** What lint says, line by line. @param {any[]} problems @returns {HTMLElement} */
export function problemList(problems) {
  if (!problems.length) return make("p", { class: "fine" }, "✓ Lint finds nothing.");
  return make("ul", { class: "problems" }, ...problems.map(p => make("li", {}, make("b", {}, p.is_warning ? "Warning" : "Error"), ` line ${p.line}: ${p.message || p.what}`, p.cure ? make("span", { class: "quiet" }, ` ${p.cure}`) : null)));
}

class Teaching {
  /** @param {HTMLElement} root @param {BringToLife} bringToLife */
  constructor(root, bringToLife) {
    this.root = root;
    this.bringToLife = bringToLife;
    this.place = make("div", { class: "own-lesson" });
    this.marks = make("div", { class: "class-marks" });
    /** Of the lesson that was dropped last. @type {Engine | null} */
    this.engine = null;
  }

  begin() {
    this.root.append(
      make("section", {}, make("h2", {}, "A lesson of your own"), make("p", {}, "A Markdown file with programs in it, as ", make("code", {}, "docs/writing-lessons.md"), " describes. It is read here, in your browser."),
        dropPlace("Drop the lesson here, or choose the file", "lesson-file", ".md,.lh,.txt", files => { if (files[0]) this.openLesson(files[0]); }), this.place),
      make("section", {}, make("h2", {}, "Sheets and keys to print"), this.printForm()),
      make("section", {}, make("h2", {}, "The answers of a class"), make("p", {}, "Answer files as ", make("code", {}, "longhand mark"), " reads them: text or JSON, one for each learner."),
        this.classForm(), this.marks));
  }

  /** @param {File} file */
  async openLesson(file) {
    const name = file.name.replace(/[^\w.-]/g, "-") || "lesson.md", engine = new Engine(name);
    this.engine?.stop(); /* the lesson before it may still be read, however long that takes */
    this.engine = engine;
    this.place.replaceChildren(make("p", { role: "status" }, `Reading ${file.name}…`));
    engine.own.set(name, await file.text());
    const lint = this.engine === engine && await engine.call("lint"), lesson = this.engine === engine && await engine.call("lesson");
    if (this.engine !== engine) return;
    if (lint.error && lesson.error) { this.place.replaceChildren(make("p", { class: "desk-error" }, errorText(lesson.error))); return; }
    const article = make("article", { "data-lesson": name });
    article.append(...elementsOf(lesson.html || ""));
    this.place.replaceChildren(problemList(lint.problems || lesson.problems || []), article);
    this.bringToLife(article, engine);
    announce(`${file.name} is open: ${(lint.problems || []).length} problems`);
  }

  /** @returns {HTMLElement} */
  printForm() {
    const seed = /** @type {HTMLInputElement} */ (make("input", { id: "print-seed", type: "number", min: "0", value: "1" })), out = make("div", { class: "print-place" });
    const form = make("form", { class: "row" }, make("label", { for: "print-lesson" }, "Lesson")), submit = make("button", { type: "submit", class: "main" }, "Make sheet and key");
    contents().then(list => {
      const lesson = makeSelect("print-lesson", list.filter(l => l.sheet).map(l => [l.name, l.title]));
      form.append(lesson, make("label", { for: "print-seed" }, "Numbers"), seed, submit);
      form.addEventListener("submit", async event => {
        event.preventDefault();
        const engine = new Engine(lesson.value), sheet = await engine.call("sheet", `seed=${seed.value}`, "digits=4"), key = await engine.call("key", `seed=${seed.value}`, "digits=4");
        engine.stop();
        if (sheet.error) { out.replaceChildren(make("p", { class: "desk-error" }, errorText(sheet.error))); return; }
        out.replaceChildren(make("div", { class: "buttons" }, makeButton("Print the sheet", () => printOnly("sheet")), makeButton("Print the key", () => printOnly("key"))), paperOf(sheet, "sheet"), key.error ? "" : paperOf(key, "key"));
      });
    });
    return make("div", {}, form, out);
  }

  /** @returns {HTMLElement} */
  classForm() {
    const box = make("div");
    contents().then(list => {
      const lesson = makeSelect("class-lesson", list.filter(l => l.sheet).map(l => [l.name, l.title]));
      box.append(make("p", { class: "row" }, make("label", { for: "class-lesson" }, "Lesson"), lesson),
        dropPlace("Drop the answer files here, or choose them", "answer-files", ".txt,.json,.md", files => this.markClass(lesson.value, files)));
    });
    return box;
  }

  /** @param {string} lesson @param {File[]} files */
  async markClass(lesson, files) {
    const engine = new Engine(lesson);
    /** @type {any[]} */
    const sheets = [];
    for (const file of files) {
      this.marks.replaceChildren(make("p", { role: "status" }, `${sheets.length} of ${files.length} marked…`));
      const marked = await engine.call("mark", await file.text());
      if (marked.error) sheets.push({ file: file.name, error: errorText(marked.error) });
      else for (const s of marked.sheets) sheets.push({ ...s, file: file.name });
    }
    engine.stop();
    this.showClass(lesson, sheets);
  }

  /** @param {string} lesson @param {any[]} sheets */
  showClass(lesson, sheets) {
    const head = make("tr", {}, ...["Learner", "Right", "Of", "Known mistakes", "To look at first"].map(t => make("th", { scope: "col" }, t)));
    const rows = sheets.map(s => s.error ? make("tr", {}, make("th", { scope: "row" }, s.file), make("td", { colspan: "4" }, s.error))
      : make("tr", {}, make("th", { scope: "row" }, s.learner || s.name || s.file), make("td", {}, String(s.credit)), make("td", {}, String(s.total)),
        make("td", {}, s.steps.flatMap((/** @type {any} */ st) => st.mistakes).map((/** @type {any} */ m) => m.name).join(", ")), make("td", {}, s.steps.flatMap((/** @type {any} */ st) => st.advice)[0] || "")));
    this.marks.replaceChildren(make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "The class" }, make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows))),
      make("div", { class: "buttons" }, makeButton("Save the table", () => download(`${lesson}-class.csv`, classTable(sheets), "text/csv")), makeButton("Save the feedback", () => download(`${lesson}-feedback.txt`, feedback(sheets)))));
    announce(`${sheets.length} sheets are marked`);
  }
}

/** @param {any[]} sheets @returns {string} comma separated */
export function classTable(sheets) {
  const quote = (/** @type {any} */ t) => `"${String(t ?? "").replace(/"/g, '""')}"`;
  return ["learner,right,of,mistakes", ...sheets.map(s => [s.learner || s.name || s.file, s.credit ?? "", s.total ?? "", (s.steps || []).flatMap((/** @type {any} */ st) => st.mistakes).map((/** @type {any} */ m) => m.name).join(" ")].map(quote).join(","))].join("\n") + "\n";
}

/** A page of words for each learner. @param {any[]} sheets @returns {string} */
export function feedback(sheets) {
  return sheets.map(s => {
    const title = `${s.learner || s.name || s.file}\n`;
    if (s.error) return title + `  ${s.error}\n`;
    const steps = s.steps.filter((/** @type {any} */ st) => st.credit < st.total).map((/** @type {any} */ st) => `  ${st.path}: ${st.credit} of ${st.total}\n` + [...st.mistakes.map((/** @type {any} */ m) => m.says), ...st.advice].map((/** @type {string} */ l) => `    ${l}\n`).join(""));
    return `${title}  ${s.credit} of ${s.total} numbers are right\n${steps.join("")}`;
  }).join("\n");
}

/** A sheet or key as it is printed. @param {any} sheet @param {"sheet" | "key"} kind @returns {HTMLElement} */
export function paperOf(sheet, kind) {
  const paper = make("section", { class: `paper paper-${kind}` }, make("h3", {}, `${sheet.title}${kind === "key" ? ": key" : ""}`),
    make("p", { class: "quiet" }, `Numbers ${sheet.seed}, code ${sheet.code}, ${sheet.digits} digits`), kind === "sheet" ? make("p", {}, "Name: ______________________") : null);
  const given = make("div", { class: "beside" });
  for (const g of sheet.given)
    given.append(g.numbers ? make("div", { class: "value" }, make("span", {}, make("code", {}, g.line.replace(/^\w+ /, "")), " ="), labelled(g.line, g.rows, g.columns, g.numbers.length, g.numbers[0].length, (r, c) => g.numbers[r][c])) : make("p", {}, make("code", {}, g.line)));
  paper.append(make("h4", {}, "Given"), given);
  for (const asked of sheet.asked) {
    paper.append(make("p", {}, `${asked.number}. `, make("code", {}, `${asked.path} = ${asked.formula}`), make("span", { class: "quiet" }, ` ${asked.comment || ""}, ${asked.decimals} decimals`)));
    for (const b of asked.blocks) {
      const answers = sheet.answers[b.address]?.flat?.() || [];
      paper.append(make("div", { class: "value" }, labelled(b.address, b.row_labels || [], b.column_labels || [], b.rows, b.columns, (r, c) => (kind === "key" && answers[r * b.columns + c]) || "________")));
    }
  }
  return paper;
}

/** @param {string} kind what is on paper */
function printOnly(kind) {
  document.documentElement.dataset.print = kind;
  for (const paper of all(".paper")) paper.classList.toggle("is-printed", paper.classList.contains(`paper-${kind}`));
  print();
  delete document.documentElement.dataset.print;
}

/** @param {BringToLife} bringToLife */
export function startTeaching(bringToLife) {
  const root = one("#teach");
  if (root) new Teaching(root, bringToLife).begin();
}
