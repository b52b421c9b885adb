/* model -- a GPT that lives in the page: it learns from names or from pasted text, writes, shows what else it could have written and where
 * it looks; every weight of attention can be opened down to its operands. The weights begin from a seed: nothing is shipped, nothing is sent. */
import { announce, make, makeButton, one } from "./dom.js";
import { Desk } from "./desk.js";
import { Engine, errorText, loadScript, textOf } from "./engine.js";
import { drawCurves } from "./learn.js";
import { makeSelect } from "./practice.js";
import { numberText } from "./tokens.js";

/** A letter as it is shown. @param {string} text @returns {string} */
export function shownLetter(text) {
  return text === "\n" ? "⏎" : text === " " ? "␣" : text;
}

class GptPage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.engine = new Engine("", "fast");
    this.isRunning = false;
    this.isMade = false;
    this.step = 0;
    /** @type {number[]} */
    this.losses = [];
    this.tokens = 0;
    this.seconds = 0;
    this.prompt = "";
    this.kind = makeSelect("model-kind", [["names", "Names, with micro: 4,192 numbers"], ["text", "Your own text, with a small GPT"]]);
    this.data = /** @type {HTMLTextAreaElement} */ (make("textarea", { id: "model-data", rows: "5", hidden: true, "aria-label": "The text to learn from", placeholder: "Paste some pages of text here: a story, a poem, a programme…" }));
    this.start = makeButton("Train", () => this.toggle(), { id: "model-train", class: "main" });
    this.said = make("p", { class: "model-said", role: "status" }, "It knows nothing yet. Let it learn, or let it write and see.");
    this.curve = make("div", { class: "scroll" });
    this.samples = make("ul", { class: "samples", "aria-label": "What it writes now" });
    this.field = /** @type {HTMLInputElement} */ (make("input", { id: "model-prompt", autocomplete: "off", spellcheck: "false", autocapitalize: "off", placeholder: "a beginning, or nothing" }));
    this.heat = /** @type {HTMLInputElement} */ (make("input", { id: "model-heat", type: "range", min: "0.1", max: "2", step: "0.1", value: "0.8" }));
    this.written = make("p", { class: "written", role: "group", "aria-label": "Written" });
    this.inside = make("div", { class: "inside-model" });
    /** @type {Desk | null} */
    this.desk = null;
  }

  begin() {
    const reset = makeButton("Begin again", () => this.reset());
    const learn = make("section", {}, make("h2", {}, "Let it learn"), make("div", { class: "row" }, make("label", { for: "model-kind" }, "From"), this.kind), this.data,
      make("div", { class: "buttons" }, this.start, makeButton("One step", () => this.oneStep()), reset), this.said, this.curve, make("h3", {}, "What it writes now"), this.samples);
    const form = make("form", { class: "row" }, make("label", { for: "model-prompt" }, "Begin with"), this.field, make("label", { for: "model-heat" }, "Daring"), this.heat, make("button", { type: "submit", class: "main" }, "Write"));
    form.addEventListener("submit", event => { event.preventDefault(); this.write(); });
    const write = make("section", {}, make("h2", {}, "Let it write, and look inside"), form, make("p", { class: "quiet" }, "Choose a letter that it wrote: you see what else could have come, and where it looked."), this.written, this.inside);
    this.root.append(learn, write);
    this.kind.addEventListener("change", () => { this.data.hidden = this.kind.value !== "text"; this.reset(); });
    this.makeDesk();
  }

  /** Numbers inside the model open in the same panel as those of the lessons. */
  makeDesk() {
    const desk = this.desk = /** @type {Desk} */ (document.createElement("lh-desk"));
    document.body.append(desk);
    const engine = { call: (/** @type {string} */ name, /** @type {string} */ at, /** @type {string[]} */ ...more) => this.engine.call(name, this.prompt, at, ...more) };
    desk.lesson = /** @type {any} */ ({ engine });
  }

  /** @param {string} text */
  say(text) { this.said.textContent = text; }

  /** The model with its first weights. @returns {Promise<boolean>} */
  async prepare() {
    if (this.isMade) return true;
    const isText = this.kind.value === "text", name = isText ? "gpt" : "micro";
    this.say("The engine is on its way…");
    await loadScript(name + ".text.js");
    if (!isText) await loadScript("names.js");
    const data = isText ? this.data.value : textOf("names.txt");
    if (isText && data.length < 200) { this.say("Please paste more text: two hundred letters at least."); return false; }
    const sizes = isText ? ["layers=2", "dim=48", "heads=4", "context=32", "rate=0.003", "batch=8", "steps=2000"] : ["steps=3000"];
    const made = await this.engine.call("train", textOf(`models/${name}.lh`), data, ...sizes);
    if (made.error) { this.say(errorText(made.error)); return false; }
    this.isMade = true;
    this.say(`${made.parameters.toLocaleString("en")} parameters, all random so far.`);
    return true;
  }

  reset() {
    this.pause();
    this.engine.stop();
    Object.assign(this, { isMade: false, step: 0, losses: [], tokens: 0, seconds: 0 });
    this.root.dataset.step = "0";
    this.curve.replaceChildren();
    this.samples.replaceChildren();
    this.written.replaceChildren();
    this.inside.replaceChildren();
    this.say("It knows nothing again.");
  }

  pause() {
    this.isRunning = false;
    this.start.textContent = "Train";
  }

  async toggle() {
    if (this.isRunning) { this.pause(); announce(`Paused at step ${this.step}`); return; }
    if (!await this.prepare()) return;
    this.isRunning = true;
    this.start.textContent = "Pause";
    let n = 5, sampled = 0;
    while (this.isRunning) {
      const begin = performance.now();
      if (!await this.train(n)) break;
      const took = performance.now() - begin;
      n = Math.max(1, Math.min(200, Math.round(n * 150 / Math.max(took, 5))));
      if (performance.now() - sampled > 1500) { await this.showSamples(); sampled = performance.now(); }
    }
    this.pause();
  }

  async oneStep() {
    if (!this.isRunning && await this.prepare()) { await this.train(1); await this.showSamples(); }
  }

  /** @param {number} n @returns {Promise<boolean>} */
  async train(n) {
    const begin = performance.now(), told = await this.engine.call("steps", n);
    if (told.error || told.is_lost) { if (!told.stopped) this.say(told.error ? errorText(told.error) : "It lost its way: the numbers grew without end. Begin again."); return false; }
    this.seconds += (performance.now() - begin) / 1000;
    this.tokens += told.tokens;
    this.losses.push(...told.losses);
    this.step = told.step;
    this.root.dataset.step = String(told.step);
    this.root.dataset.loss = String(told.loss);
    this.say(`Step ${told.step}, loss ${numberText(Number(told.loss.toFixed(3)))}, ${Math.round(this.tokens / this.seconds).toLocaleString("en")} tokens a second.`);
    this.draw();
    return told.losses.length > 0;
  }

  /** The mean of some steps at a time: single batches jump about. */
  draw() {
    const wide = Math.max(1, Math.ceil(this.losses.length / 120)), steps = [], values = [];
    for (let i = 0; i < this.losses.length; i += wide) {
      const part = this.losses.slice(i, i + wide);
      steps.push(i);
      values.push(part.reduce((a, b) => a + b, 0) / part.length);
    }
    this.curve.replaceChildren(drawCurves([{ name: "loss", steps, values }], this.step, `loss over ${this.losses.length} steps`));
  }

  async showSamples() {
    const items = [];
    for (let seed = 1; seed <= 5; seed++) {
      const told = await this.engine.call("sample", "", this.kind.value === "text" ? 60 : 14, `seed=${this.step * 10 + seed}`);
      if (told.error) return;
      items.push(make("li", {}, told.text.trim() || "…"));
    }
    this.samples.replaceChildren(...items);
  }

  async write() {
    if (!await this.prepare()) return;
    const told = await this.engine.call("sample", this.field.value, this.kind.value === "text" ? 80 : 15, `temperature=${this.heat.value}`, `seed=${Math.floor(Math.random() * 1e6)}`);
    if (told.error) { this.say(errorText(told.error)); return; }
    let before = this.field.value;
    const letters = told.tokens.map((/** @type {any} */ t) => {
      const prompt = before;
      before += t.text;
      return makeButton(shownLetter(t.text), () => this.openLetter(prompt, t), { class: "letter", "aria-label": `${shownLetter(t.text)}, after ${prompt || "nothing"}: what else could have come` });
    });
    this.written.replaceChildren(make("span", { class: "quiet" }, this.field.value), ...letters);
    announce(`It wrote ${told.text}`);
  }

  /** @param {string} prompt @param {any} token */
  async openLetter(prompt, token) {
    this.prompt = prompt;
    const looked = await this.engine.call("look", prompt);
    const list = make("ol", { class: "alternatives", "aria-label": "What could have come" });
    for (const a of token.alternatives || []) {
      const li = make("li", {}, make("span", { class: "alternative-letter" }, shownLetter(a.text)), make("span", { class: "alternative-bar", "aria-hidden": "true" }), make("span", {}, `${(100 * a.p).toFixed(1)} %`));
      li.style.setProperty("--share", String(a.p));
      if (a.id === token.id) li.classList.add("best");
      list.append(li);
    }
    this.inside.replaceChildren(make("h3", {}, `After “${prompt}” it wrote ${shownLetter(token.text)}`), list);
    if (looked.error) return;
    this.inside.append(...this.layersOf(looked), ...this.attentionOf(looked));
    announce(`${(token.alternatives || []).length} letters could have come`);
  }

  /** What each layer would say. @param {any} looked @returns {HTMLElement[]} */
  layersOf(looked) {
    if (!looked.layers?.length) return [];
    const rows = looked.layers.map((/** @type {any} */ l) => make("li", {}, make("code", {}, l.path), " ", l.next.slice(0, 4).map((/** @type {any} */ n) => `${shownLetter(n.text)} ${(100 * n.p).toFixed(0)} %`).join(", ")));
    return [make("h3", {}, "What each layer would say"), make("ul", { class: "layers" }, ...rows)];
  }

  /** Each head as a table; a cell opens. @param {any} looked @returns {HTMLElement[]} */
  attentionOf(looked) {
    const words = looked.tokens.map(shownLetter);
    const heads = looked.attention.flatMap((/** @type {any} */ layer) => layer.heads.map((/** @type {number[][]} */ head, /** @type {number} */ h) => {
      const table = make("table", { class: "attention" }, make("caption", {}, `${layer.path}, head ${h}`));
      table.append(make("thead", {}, make("tr", {}, make("td"), ...words.map((/** @type {string} */ w) => make("th", { scope: "col" }, w)))));
      const body = make("tbody");
      head.forEach((row, r) => body.append(make("tr", {}, make("th", { scope: "row" }, words[r] || ""), ...row.map((p, c) => this.attentionCell(layer.path, h, r, c, p)))));
      table.append(body);
      return make("div", { class: "scroll" }, table);
    }));
    return [make("h3", {}, "Where it looks"), make("div", { class: "heads" }, ...heads)];
  }

  /** @param {string} path @param {number} h @param {number} r @param {number} c @param {number} p @returns {HTMLElement} */
  attentionCell(path, h, r, c, p) {
    if (c > r) return make("td", { class: "masked" }, "");
    const at = `${path}{head ${h}}[${r}][${c}]`, button = makeButton(p.toFixed(2), () => this.desk?.open(at, button), { class: "plain", "data-at": at });
    const td = make("td", {}, button);
    td.style.setProperty("--share", String(p));
    return td;
  }
}

export function startModel() {
  const root = one("#model");
  if (root) new GptPage(root).begin();
}
