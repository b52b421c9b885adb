/* play -- the playground: a program of the reader's own, with colours, shapes beside each line, errors with their cure, every number alive. */
import { announce, download, elementsOf, make, makeButton, one, remember, remembered, settled } from "./dom.js";
import { Desk } from "./desk.js";
import { Editor, errorBox } from "./editor.js";
import { Engine, errorText, handedOver } from "./engine.js";
import { drawCurves, plotOf } from "./learn.js";
import { Lesson } from "./lesson.js";
import { enliven, startNumbers } from "./numbers.js";
import { startGivens } from "./givens.js";
import { contents, makeSelect } from "./practice.js";
import { labelled, startDeskSheets } from "./sheet.js";
import { numberText } from "./tokens.js";
import { checkLines } from "./still.js";
import { startBlanks } from "./blanks.js";

const file = "mine.lh";

/** Programs to begin with. */
const begin = `# Attention for two words
vocab A B C D
const E  = [1 0; 0 1; 1 1; 0 0]
const WQ = [0.5 0; 0 1]
const WK = [1 0; 0.5 1]
example A B -> C

X = E[tokens]                # one row for each word
Q = X @ WQ                   # what each looks for
K = X @ WK                   # what each can be found by
Z = Q @ K^T / sqrt(cols(K))  # scores, scaled
P = softmax(Z)               # how much each looks at each
`;
const learning = `# A line through three points, learned
const x = [1; 2; 3]
const y = [2; 4; 6.5]
param w = [0]
const rate = 0.05
d = x @ w - y
loss = sum(d * d)
backward loss
w := w - rate * dw
`;
const samples = /** @type {[string, string][]} */ ([["Attention for two words", begin], ["A line that learns", learning]]);

/** Text in an address: deflated, as letters. @param {string} text @returns {Promise<string>} */
export async function packText(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw")), bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let letters = "";
  for (const b of bytes) letters += String.fromCharCode(b);
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

/** @param {string} packed @returns {Promise<string>} "" where it cannot be read */
export async function unpackText(packed) {
  try {
    const letters = atob(packed.replace(/-/g, "+").replace(/_/g, "/")), bytes = Uint8Array.from(letters, c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    const text = await new Response(stream).text();
    return text.length < 200000 ? text : "";
  } catch { return ""; }
}

class Playground {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.engine = new Engine();
    this.editor = new Editor("A program in the notation", settled(150, () => this.check()));
    this.said = make("div", { class: "play-said", role: "status" });
    /* What was asked for last: a picture, a bill, a check. Its numbers can be touched as those of the values below it. */
    this.answer = make("div", { class: "play-answer" });
    this.values = make("div", { class: "play-values" });
    this.lesson = new Lesson(make("article", { "data-lesson": "" }), this.engine);
    /** Asks it again. @type {(() => Promise<void>) | null} */
    this.asked = null;
    this.lesson.remember = () => {};
    this.lesson.refresh = () => this.showValues();
    /** @type {Set<string>} paths that are shown */
    this.open = new Set();
    /** @type {any} */
    this.program = null;
    /** The text that the engine has, and its answer to it. @type {{text: string, done: Promise<void>} | null} */
    this.checked = null;
    /** @type {Desk | null} */
    this.desk = null;
  }

  async begin() {
    const desk = /** @type {Desk} */ (document.createElement("lh-desk"));
    document.body.append(desk);
    desk.lesson = this.lesson;
    this.root.append(this.tools(), this.editor.box, make("p", { id: "editor-help", class: "quiet" }, "Names are offered while you type, or with Ctrl and Space; Tab takes one. Without the list, Tab leaves the field."), this.said, this.lesson.article);
    this.lesson.article.append(this.questions(), this.answer, this.values);
    this.lesson.addEventListener("change", () => this.asked?.());
    startNumbers(this.lesson, desk);
    startGivens(this.lesson, desk);
    startBlanks(this.lesson, desk);
    startDeskSheets(this.lesson, desk);
    this.desk = desk;
    const shared = /#p=([\w-]+)/.exec(location.hash);
    this.editor.text = (shared && await unpackText(shared[1] || "")) || remembered("play") || begin;
    await this.check();
  }

  /** @returns {HTMLElement} */
  tools() {
    const from = makeSelect("sample", [["", "Begin with…"], ...samples.map(([name], i) => /** @type {[string, string]} */ ([String(i), name]))]);
    contents().then(list => {
      const models = handedOver("contents")?.models || [];
      for (const e of list.filter(l => /^ex\d/.test(l.name))) from.append(make("option", { value: "open " + e.name }, e.title));
      for (const m of models) from.append(make("option", { value: "open " + (m.name || m) }, "model " + (m.name || m)));
    });
    from.addEventListener("change", () => this.beginWith(from.value));
    const opened = /** @type {HTMLInputElement} */ (make("input", { type: "file", accept: ".lh,.md,.txt", id: "open-file", class: "unseen", tabindex: "-1", "aria-label": "Open a program" }));
    opened.addEventListener("change", async () => {
      const text = await opened.files?.[0]?.text();
      if (text !== undefined) { await this.take(text); announce("Opened"); }
    });
    return make("div", { class: "row play-tools" }, make("label", { for: "sample", class: "unseen" }, "Begin with a program"), from,
      opened, makeButton("Open…", () => opened.click()), makeButton("Save", () => download(file, this.editor.text)), makeButton("Share", () => this.share()), makeButton("Stop", () => { this.engine.stop(); this.checked = null; this.say("Stopped."); }));
  }

  /** @param {string} value */
  async beginWith(value) {
    if (!value) return;
    const name = value.replace(/^open /, "");
    if (name === value) await this.take(samples[Number(value)]?.[1] || "");
    else {
      const source = new Engine(name), program = await source.call("program");
      source.stop();
      if (program.error) { this.say(errorText(program.error)); return; }
      await this.take(program.text);
    }
  }

  /** Another program, with its own numbers even where it is the same text. @param {string} text */
  take(text) {
    this.editor.text = text;
    this.checked = null;
    return this.check();
  }

  async share() {
    const hash = "#p=" + await packText(this.editor.text);
    history.replaceState(null, "", hash);
    try { await navigator.clipboard.writeText(location.href); this.say("The link is copied. It has the whole program in it; nothing was sent anywhere."); } catch { this.say("The link is in the address bar."); }
  }

  /** Questions about the whole program. @returns {HTMLElement} */
  questions() {
    return make("div", { class: "buttons" }, makeButton("Show all values", () => this.showAll(), { class: "main" }), makeButton("Check gradients", () => this.ask("check")), makeButton("Cost", () => this.ask("cost")),
      makeButton("Train 100 steps", () => this.train()), this.plotForm());
  }

  /** A picture in the words of `longhand plot`. @returns {HTMLElement} */
  plotForm() {
    const field = /** @type {HTMLInputElement} */ (make("input", { id: "plot", size: "14", placeholder: "heat P", autocomplete: "off", spellcheck: "false" }));
    const form = make("form", { class: "row plot" }, make("label", { for: "plot" }, "Plot"), field, make("button", { type: "submit" }, "Draw"));
    form.addEventListener("submit", event => { event.preventDefault(); this.plot(field.value.trim()); });
    return form;
  }

  /** @param {string} words */
  plot(words) {
    return this.put(["plot", words], told => [make("figure", {}, plotOf(told.svg))], told => told.words || "Drawn");
  }

  /**
   * Asks the engine and shows the answer; again when the reader changes a number.
   * @param {(string | number)[]} question @param {(told: any) => (Node | string)[]} show @param {(told: any) => string} say
   */
  async put(question, show, say) {
    const [what = "", ...rest] = question;
    this.say("Working…");
    await this.check();
    this.asked = async () => {
      const told = await this.engine.call(String(what), ...rest);
      this.answer.replaceChildren(...(told.error ? [] : show(told)));
      this.said.replaceChildren(...(told.error ? [errorBox(told.error, this.editor)] : []));
      enliven(this.answer);
      if (!told.error) announce(say(told));
    };
    await this.asked();
  }

  /** Reads the text as it is, once. A question may come before the pause that follows typing: it is about the text that is seen. @returns {Promise<void>} */
  check() {
    const text = this.editor.text;
    if (this.checked?.text !== text) this.checked = { text, done: this.read(text) };
    return this.checked.done;
  }

  /** Shapes, names, or the error. @param {string} text */
  async read(text) {
    remember("play", text);
    this.engine.own.set(file, text);
    this.engine.settings = [];
    this.lesson.state = { settings: [], step: 0 };
    this.lesson.before = [];
    await this.engine.call("text", file, text);
    const opened = await this.engine.call("open", file);
    if (text !== this.editor.text) return;
    const error = opened.error || opened.problems?.find((/** @type {any} */ p) => !p.is_warning);
    if (error) { this.showError(error); return; }
    const program = this.program = await this.engine.call("program");
    if (program.error) { this.showError(program.error); return; }
    this.engine.lesson = file;
    this.editor.names = program.names || [];
    this.editor.paint();
    this.editor.showShapes(program.lines || []);
    this.said.replaceChildren();
    this.answer.replaceChildren();
    this.asked = null;
    await this.showValues();
  }

  /** @param {any} error */
  showError(error) {
    this.editor.paint(error);
    this.said.replaceChildren(errorBox(error, this.editor));
  }

  /** @param {string} text */
  say(text) { this.said.replaceChildren(make("p", {}, text)); }

  async showAll() {
    await this.check();
    for (const l of this.program?.lines || []) if (l.name) this.open.add(l.name);
    await this.showValues();
  }

  /** A button for each line; those that are open with their numbers. @returns {Promise<string>} */
  async showValues() {
    const lines = (this.program?.lines || []).filter((/** @type {any} */ l) => l.name), wanted = lines.filter((/** @type {any} */ l) => this.open.has(l.name));
    const told = wanted.length ? await this.engine.call("values", ...wanted.map((/** @type {any} */ l) => l.name)) : { values: [] };
    if (told.error) { this.say(errorText(told.error)); return ""; }
    const of = new Map(told.values.map((/** @type {any} */ v) => [v.address, v]));
    this.values.replaceChildren(...lines.map((/** @type {any} */ l) => this.valueOf(l, of.get(l.name))));
    this.lesson.changed = [this.values];
    this.lesson.dispatchEvent(new Event("refresh"));
    return "";
  }

  /** @param {any} line @param {any} value @returns {HTMLElement} */
  valueOf(line, value) {
    const isOpen = !!value, isGiven = line.kind === "given" && !["tokens", "target"].includes(line.name);
    const button = makeButton(line.name, () => { if (isOpen) this.open.delete(line.name); else this.open.add(line.name); this.showValues(); }, { class: "plain", "aria-expanded": String(isOpen) });
    const row = make("div", { class: "value" }, make("span", {}, button, " ", make("span", { class: "quiet" }, line.shape || "")));
    if (!value) return row;
    const table = labelled(line.name, value.row_labels || [], value.column_labels || [], value.rows, value.columns, (r, c) => value.cells[r][c]);
    table.querySelector("table")?.setAttribute("data-value", line.name);
    table.querySelectorAll("tbody td").forEach((td, i) => {
      const r = Math.floor(i / value.columns), c = i % value.columns;
      td.setAttribute("data-at", value.at ? value.at[r][c] : line.name + (value.rows > 1 || value.columns > 1 ? (value.rows > 1 ? `[${r}]` : "") + (value.rows > 1 && value.columns === 1 ? "" : `[${c}]`) : ""));
      if (isGiven) td.setAttribute("data-given", line.name);
    });
    row.append(table);
    const matrix = table.querySelector("table");
    if (["forward", "gradient", "update"].includes(line.kind))
      row.append(makeButton("Work it out yourself", event => {
        /** @type {HTMLElement} */ (event.target).hidden = true;
        this.desk?.dispatchEvent(new CustomEvent("blanks", { detail: matrix }));
      }, { class: "work-out", "aria-label": `Work out ${line.name} yourself` }));
    return row;
  }

  /** @param {string} what */
  ask(what) {
    return this.put([what], told => what === "check" ? checkLines(told) : elementsOf(told.html), () => what === "check" ? this.answer.textContent || "" : "The cost is shown below");
  }

  train() {
    const text = (/** @type {number} */ x) => x === null ? "no number" : numberText(x);
    return this.put(["losses", 0, 100], told => {
      const at = told.at || "", [first, last] = [told.loss[0], told.loss[told.loss.length - 1]];
      const number = (/** @type {number} */ x, /** @type {string} */ step) => at ? make("span", { class: "n", "data-at": at + step }, text(x)) : text(x);
      return [make("p", {}, "The loss goes from ", number(first, ""), " to ", number(last, "@100"), "."),
        make("div", { class: "scroll" }, drawCurves([{ name: "loss", steps: told.steps, values: told.loss, at: told.at }], 0, "loss over 100 steps"))];
    }, told => `The loss goes from ${text(told.loss[0])} to ${text(told.loss[told.loss.length - 1])}`);
  }
}

export function startPlay() {
  const root = one("#play");
  if (root) new Playground(root).begin();
}
