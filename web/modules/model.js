/* model -- a GPT that lives in the page: it writes, shows what else it could have written and where it looks, and learns from names or from pasted
 * text; every weight of attention can be opened down to its operands. Weights that have learned already come with the page, and a reader's own can
 * be opened from the disk: nothing is sent. */
import { announce, make, makeButton, one } from "./dom.js";
import { Desk } from "./desk.js";
import { Engine, errorText, handedOver, loadScript, textOf } from "./engine.js";
import { drawCurves } from "./learn.js";
import { makeSelect } from "./practice.js";
import { numberText } from "./tokens.js";

/** A letter as it is shown. @param {string} text @returns {string} */
export function shownLetter(text) {
  return text === "\n" ? "⏎" : text === " " ? "␣" : text;
}

/** What the page can begin with: a program, what it learns from, and weights that have learned it already. */
const kinds = /** @type {Record<string, {title: string, program: string, text: string, longest: number, sizes: string[], shows: string}>} */ ({
  names: { title: "Names, with micro: about 4,000 numbers", program: "micro", text: "names", longest: 15, sizes: ["steps=3000"], shows: "names that it makes up" },
  sentences: { title: "Short sentences, with a small GPT: 61,000 numbers", program: "gpt", text: "sentences", longest: 90, sizes: ["layers=2", "dim=48", "heads=4", "context=48", "rate=0.004", "warm=50", "batch=16", "steps=3000"], shows: "sentences about cows, queens and boats" },
  text: { title: "Your own text, with a small GPT", program: "gpt", text: "", longest: 90, sizes: ["layers=2", "dim=48", "heads=4", "context=32", "rate=0.003", "batch=8", "steps=2000"], shows: "" },
});

class GptPage {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.root = root;
    this.engine = new Engine("", "fast");
    this.isRunning = false;
    /** @type {"" | "ready" | "learning" | "own"} what the engine has: nothing, our weights, random ones that learn, the reader's */
    this.has = "";
    this.step = 0;
    this.longest = 15;
    /** @type {number[]} */
    this.losses = [];
    this.tokens = 0;
    this.seconds = 0;
    this.prompt = "";
    /** @type {number} which text is being written: another one ends it */
    this.writing = 0;
    this.kind = makeSelect("model-kind", Object.entries(kinds).map(([name, k]) => [name, k.title]));
    this.data = /** @type {HTMLTextAreaElement} */ (make("textarea", { id: "model-data", rows: "5", hidden: true, "aria-label": "The text to learn from", placeholder: "Paste some pages of text here: a story, a poem, a programme…" }));
    this.start = makeButton("Train", () => this.toggle(), { id: "model-train", class: "main" });
    this.said = make("p", { class: "model-said", role: "status" }, "");
    this.curve = make("div", { class: "scroll" });
    this.none = make("p", { class: "quiet" }, "Nothing yet.");
    this.samples = make("ul", { class: "samples", "aria-label": "What it writes now" });
    this.field = /** @type {HTMLInputElement} */ (make("input", { id: "model-prompt", autocomplete: "off", spellcheck: "false", autocapitalize: "off", placeholder: "a beginning, or nothing" }));
    this.heat = /** @type {HTMLInputElement} */ (make("input", { id: "model-heat", type: "range", min: "0", max: "2", step: "0.1", value: "0.8" }));
    this.written = make("p", { class: "written", role: "group", "aria-label": "Written" });
    this.wrote = make("p", { class: "wrote", role: "status" });
    this.inside = make("div", { class: "inside-model" });
    this.opened = make("p", { class: "opened", role: "status" });
    /** @type {Desk | null} */
    this.desk = null;
  }

  begin() {
    const form = make("form", { class: "row" }, make("label", { for: "model-prompt" }, "Begin with"), this.field, make("label", { for: "model-heat" }, "Daring"), this.heat, make("button", { type: "submit", class: "main" }, "Write"));
    form.addEventListener("submit", event => { event.preventDefault(); this.write(); });
    const write = make("section", {}, make("h2", {}, "Let it write, and look inside"), make("div", { class: "row" }, make("label", { for: "model-kind" }, "It knows"), this.kind), this.data, form,
      make("p", { class: "quiet" }, "Choose a letter that it wrote: you see what else could have come, and where it looked."), this.wrote, this.written, this.inside);
    const learn = make("section", {}, make("h2", {}, "Let it learn"), make("p", {}, "From random numbers, before your eyes: the loss falls, and what it writes begins to look like what it reads. It reads what you chose above: names, sentences, or a text of your own."),
      make("div", { class: "buttons" }, this.start, makeButton("One step", () => this.oneStep()), makeButton("Begin again", () => this.reset())), this.said, this.curve, make("h3", {}, "What it writes now"), this.none, this.samples);
    const own = make("section", {}, make("h2", {}, "Open a model of your own"), make("p", {}, "A folder of ", make("code", {}, "longhand train"), ", a GPT-2, a small Llama, Qwen or Gemma from the hub, its ", make("code", {}, ".safetensors"), " alone, or a ", make("code", {}, ".gguf"), ". It is read by this page; nothing is uploaded."), openPlace(files => this.openFiles(files)), this.opened);
    this.root.append(write, learn, own);
    this.kind.addEventListener("change", () => { this.data.hidden = this.kind.value !== "text"; this.reset(); });
    this.makeDesk();
  }

  /** @returns {(typeof kinds)[string]} */
  chosen() { return kinds[this.kind.value] || /** @type {any} */ (kinds.names); }

  /** Numbers inside the model open in the same panel as those of the lessons. */
  makeDesk() {
    const desk = this.desk = /** @type {Desk} */ (document.createElement("lh-desk"));
    document.body.append(desk);
    const engine = { call: (/** @type {string} */ name, /** @type {string} */ at, /** @type {string[]} */ ...more) => this.engine.call(name, this.prompt, at, ...more) };
    desk.lesson = /** @type {any} */ ({ engine });
  }

  /** @param {string} text */
  say(text) { this.said.textContent = text; }

  /** Random weights, to learn. @returns {Promise<boolean>} */
  async prepare() {
    if (this.has === "learning") return true;
    const kind = this.chosen(), isText = !kind.text;
    if (this.has) this.forget();
    this.say("The engine is on its way…");
    await loadScript(kind.program + ".text.js");
    if (!isText) await loadScript(kind.text + ".js");
    const data = isText ? this.data.value : textOf(kind.text + ".txt");
    if (isText && data.length < 200) { this.say("Please paste more text: two hundred letters at least."); this.data.focus(); return false; }
    const made = await this.engine.call("train", textOf(`models/${kind.program}.lh`), data, ...kind.sizes);
    if (made.error) { this.say(errorText(made.error)); return false; }
    this.has = "learning";
    this.longest = kind.longest;
    this.say(`${made.parameters.toLocaleString("en")} parameters, all random so far.`);
    return true;
  }

  /** Something that can write: what learns here, what was opened, or weights that came with the page. @returns {Promise<boolean>} */
  async ready() {
    if (this.has) return true;
    const kind = this.chosen();
    if (!kind.text) return this.prepare();
    this.tell("The engine is on its way…");
    await loadScript(kind.text + "-model.js");
    const files = Object.entries(handedOver("model " + kind.text) || {}).map(([name, packed]) => ({ name, file: new Blob([Uint8Array.from(atob(String(packed)), c => c.charCodeAt(0))]) }));
    const opened = await this.openModel(files);
    if (opened.error) { this.tell(errorText(opened.error)); return false; }
    this.has = "ready";
    this.longest = kind.longest;
    this.tell(`${opened.parameters.toLocaleString("en")} numbers that have learned already: it writes ${kind.shows}.`);
    return true;
  }

  /** @param {{name: string, file: Blob}[]} files @returns {Promise<any>} */
  async openModel(files) {
    const given = await this.engine.giveFiles(files);
    const whole = files.find(f => f.name.endsWith(".gguf")); /* a model in one file */
    return given.error ? given : this.engine.call("open_model", whole ? `/model/${whole.name}` : "/model");
  }

  /** A folder or files of the reader's own. @param {File[]} list */
  async openFiles(list) {
    const { files, wrong } = modelFiles(list);
    if (wrong) { this.opened.textContent = wrong; return; }
    this.forget();
    this.opened.textContent = "Reading…";
    const told = await this.openModel(files);
    if (told.error) { this.opened.textContent = errorText(told.error); return; }
    this.has = "own";
    this.longest = told.lines ? 40 : 24;
    this.field.placeholder = told.has_words ? "a beginning, or nothing" : "numbers of tokens: 5 13 1";
    this.opened.textContent = [`Opened${told.type ? ` as ${told.type}` : ""}: ${told.parameters.toLocaleString("en")} parameters, ${told.vocabulary.toLocaleString("en")} tokens, looks back on ${told.context.toLocaleString("en")}.`,
      told.has_words ? "" : "No tokenizer.json came with it: tokens are shown by their numbers.", told.unused ? `${told.unused} tensors of the file are not used.` : "", "Let it write, above."].filter(Boolean).join(" ");
    this.tell("Your own model writes now.");
    this.field.focus();
  }

  /** @param {string} text */
  tell(text) { this.wrote.textContent = text; }

  /** The engine begins anew, without a model. */
  forget() {
    this.pause();
    this.engine.stop();
    Object.assign(this, { has: "", step: 0, losses: [], tokens: 0, seconds: 0, writing: this.writing + 1 });
    this.root.dataset.step = "0";
    for (const place of [this.curve, this.samples, this.written, this.inside]) place.replaceChildren();
    this.none.textContent = "Nothing yet.";
    this.field.placeholder = "a beginning, or nothing";
    this.tell("");
  }

  reset() {
    this.forget();
    this.say("It knows nothing again.");
    this.opened.textContent = "";
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
      const told = await this.engine.call("sample", "", this.longest > 20 ? 60 : 14, `seed=${this.step * 10 + seed}`);
      if (told.error) return;
      items.push(make("li", {}, told.text.trim() || "…"));
    }
    this.none.textContent = `After ${this.step} step${this.step === 1 ? "" : "s"}:`;
    this.samples.replaceChildren(...items);
  }

  /** Some tokens at a time, so that a large model is seen writing. */
  async write() {
    if (!await this.ready()) return;
    const mine = ++this.writing, begin = performance.now();
    let told = await this.engine.call("sample", this.field.value, 2, `temperature=${this.heat.value}`, `seed=${Math.floor(Math.random() * 1e6)}`), before = this.field.value, text = "", n = 0;
    this.written.replaceChildren(make("span", { class: "quiet" }, this.field.value));
    for (let many = 2; mine === this.writing; told = await this.engine.call("more", many)) {
      if (told.error) { if (!told.stopped) this.tell(errorText(told.error)); return; }
      for (const t of told.tokens) {
        this.written.append(this.letter(before, t));
        before += t.text;
        text += t.text;
      }
      n += told.tokens.length;
      const isSlow = performance.now() - begin > 200 * n;
      if (told.tokens.length < many || n >= this.longest) break;
      many = isSlow ? 1 : Math.min(8, this.longest - n);
    }
    if (this.has === "own") this.tell(`${n} tokens in ${((performance.now() - begin) / 1000).toFixed(1)} s.`);
    announce(`It wrote ${text}`);
  }

  /** @param {string} prompt @param {any} t a token @returns {HTMLElement} */
  letter(prompt, t) {
    return makeButton(shownLetter(t.text), () => this.openLetter(prompt, t), { class: "letter", "aria-label": `${shownLetter(t.text)}, after ${prompt || "nothing"}: what else could have come` });
  }

  /** @param {string} prompt @param {any} token */
  async openLetter(prompt, token) {
    this.prompt = prompt;
    const looked = await this.engine.call("look", prompt);
    const list = make("ol", { class: "alternatives", "aria-label": "What could have come" });
    for (const a of token.alternatives || []) {
      const li = make("li", {}, make("span", { class: "alternative-letter" }, shownLetter(a.text)), make("span", { class: "alternative-bar", "aria-hidden": "true" }), this.share(a, looked.scores));
      li.style.setProperty("--share", String(a.p));
      if (a.id === token.id) li.classList.add("best");
      list.append(li);
    }
    this.inside.replaceChildren(make("h3", {}, `After “${prompt}” it wrote ${shownLetter(token.text)}`), list);
    if (looked.error) return;
    this.inside.append(...this.layersOf(looked), ...this.attentionOf(looked));
    announce(`${(token.alternatives || []).length} letters could have come`);
  }

  /** How likely a token is; its score can be opened. @param {any} a @param {string | undefined} scores the row of scores @returns {HTMLElement} */
  share(a, scores) {
    const text = `${(100 * a.p).toFixed(1)} %`, expression = `exp(${scores}[${a.id}]) / the sum of exp over all of ${scores}`;
    if (!scores) return make("span", {}, text);
    const button = makeButton(text, () => this.desk?.open(expression, button), { class: "plain", "data-expr": expression });
    return button;
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

/** The files that make a model, of a folder that may have others; or what is wrong. @param {File[]} list @returns {{files: {name: string, file: Blob}[], wrong: string}} */
export function modelFiles(list) {
  const ggufs = list.filter(f => /\.gguf$/i.test(f.name)), isWhole = ggufs.length > 0 && !list.some(f => f.name.endsWith(".safetensors"));
  if (isWhole && ggufs.length > 1) return { files: [], wrong: `Choose one of them: ${ggufs.map(f => f.name).join(", ")}. A GGUF file is a model of its own; one that was cut into parts is not read.` };
  /* A GGUF file lies in memory twice, beside the numbers that come of it. */
  const most = isWhole ? 1e9 : 3e9, named = isWhole ? ggufs : list.filter(f => /\.(json|safetensors|lh|txt|model)$/.test(f.name) && !/^(optimizer|\.)/.test(f.name));
  const weights = isWhole ? ggufs : named.filter(f => f.name.endsWith(".safetensors")), bytes = weights.reduce((n, f) => n + f.size, 0), giga = (/** @type {number} */ n) => (n / 1e9).toFixed(1);
  const old = list.find(f => /\.(bin|pt|pth|h5|ckpt)$/.test(f.name));
  if (!weights.length && old) return { files: [], wrong: `${old.name} cannot be read here: a .safetensors or .gguf file is needed. In Python, AutoModelForCausalLM.from_pretrained(folder).save_pretrained(folder) writes one.` };
  if (!weights.length) return { files: [], wrong: "There is no .safetensors and no .gguf file among these: choose the folder of a model, or its weights." };
  if (bytes > most) return { files: [], wrong: `The weights have ${giga(bytes)} GB, and a page has room for ${giga(most)} GB at most. Choose a smaller model, or let the program write with it: longhand sample FOLDER.` };
  /* A file alone is the model, whatever its name is. */
  const only = weights.length === 1 && !isWhole ? weights[0] : null;
  return { files: named.map(f => ({ name: isWhole ? f.name.replace(/gguf$/i, "gguf") : f === only ? "model.safetensors" : f.name, file: f })), wrong: "" };
}

/** A folder or files to choose, or to drop. @param {(files: File[]) => void} does @returns {HTMLElement} */
function openPlace(does) {
  const folder = /** @type {HTMLInputElement} */ (make("input", { type: "file", id: "model-folder", webkitdirectory: true, class: "unseen", tabindex: "-1", "aria-label": "Choose a folder" }));
  const files = /** @type {HTMLInputElement} */ (make("input", { type: "file", id: "model-files", multiple: true, accept: ".safetensors,.gguf,.json,.txt,.lh", class: "unseen", tabindex: "-1", "aria-label": "Choose files" }));
  for (const input of [folder, files]) input.addEventListener("change", () => { if (input.files?.length) does(topFiles([...input.files])); });
  const place = make("div", { class: "drop" }, make("p", {}, "Drop the files of a model here, or"), make("div", { class: "buttons" }, makeButton("Choose a folder…", () => folder.click()), makeButton("Choose files…", () => files.click())), folder, files);
  place.addEventListener("dragover", event => { event.preventDefault(); place.classList.add("is-over"); });
  place.addEventListener("dragleave", () => place.classList.remove("is-over"));
  place.addEventListener("drop", async event => {
    event.preventDefault();
    place.classList.remove("is-over");
    does(await droppedFiles(event.dataTransfer));
  });
  return place;
}

/** Of a folder its own files, not those of folders inside it. @param {File[]} list @returns {File[]} */
function topFiles(list) {
  const depth = (/** @type {File} */ f) => f.webkitRelativePath.split("/").length, least = Math.min(...list.map(depth));
  return list.filter(f => depth(f) === least);
}

/** What was dropped: files, or the files of a folder. @param {DataTransfer | null} data @returns {Promise<File[]>} */
async function droppedFiles(data) {
  const entries = Array.from(data?.items || [], i => i.webkitGetAsEntry()), folder = entries.find(e => e?.isDirectory);
  if (!folder) return [...(data?.files || [])];
  const reader = /** @type {FileSystemDirectoryEntry} */ (folder).createReader(), files = [];
  for (let more = [null]; more.length;) {
    more = await new Promise((resolve, reject) => reader.readEntries(/** @type {any} */ (resolve), reject));
    for (const e of more) if (/** @type {any} */ (e).isFile) files.push(await new Promise((resolve, reject) => /** @type {any} */ (e).file(resolve, reject)));
  }
  return files;
}

export function startModel() {
  const root = one("#model");
  if (root) new GptPage(root).begin();
}
