/* engine -- what the page asks the engine for. The engine is the library in C, compiled for browsers, and runs in a worker.
 *
 *     const engine = new Engine("ex1");
 *     const told = await engine.call("explain", "P[1][0]");
 *     if (told.error) ...
 *
 * It is loaded with the first call. After a runaway program was stopped, or memory ran out, a new one takes its place with the same texts,
 * lesson and settings. */
import { startWorker } from "./worker.js";

/**
 * @typedef {object} EngineError
 * @property {string} kind
 * @property {string} what
 * @property {string} cure
 * @property {number} line
 * @property {number} [column]
 * @property {number} [length]
 * @property {string} [source]
 */

/** @type {Map<string, Promise<any>>} */
const scripts = new Map();
/** @type {Map<string, any>} what a script handed over, by the name of the function that it calls */
const handed = new Map();
/** @type {Map<string, string>} texts of lessons and models, by name */
const texts = new Map();

/** Pages opened from a disk may not fetch, but they may load scripts: so data are scripts that call one function. */
function receive() {
  const w = /** @type {any} */ (window);
  w.longhandEngine = (/** @type {string} */ packed) => handed.set("engine", packed);
  w.longhandFast = (/** @type {string} */ packed) => handed.set("fast", packed);
  w.longhandStyle = (/** @type {string} */ text) => handed.set("style", text);
  w.longhandText = (/** @type {string} */ name, /** @type {string} */ text) => texts.set(name, text);
  w.longhandModel = (/** @type {string} */ name, /** @type {Record<string, string>} */ files) => handed.set("model " + name, files);
  w.longhandContents = (/** @type {any[]} */ lessons, /** @type {any[]} */ models) => handed.set("contents", { lessons, models: models || [] });
}
receive();

/**
 * Loads a script of the book once.
 * @param {string} file
 * @returns {Promise<void>}
 */
export function loadScript(file) {
  let loading = scripts.get(file);
  if (!loading) {
    loading = new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = file;
      script.onload = () => resolve(undefined);
      script.onerror = () => { scripts.delete(file); reject(new Error(file + " cannot be loaded")); };
      document.head.append(script);
    });
    scripts.set(file, loading);
  }
  return loading;
}

/** The text of a lesson, model or list that was loaded. @param {string} name @returns {string} */
export function textOf(name) {
  return texts.get(name) || "";
}

/** What the script that was loaded handed over. @param {string} name @returns {any} */
export function handedOver(name) {
  return handed.get(name);
}

/** @param {unknown} e @returns {{error: EngineError}} */
function asError(e) {
  return { error: { kind: "file", what: e instanceof Error ? e.message : String(e), cure: "load the page again", line: 0 } };
}

export class Engine {
  /** @param {string} [lesson] to be opened first @param {"engine" | "fast"} [kind] which module */
  constructor(lesson = "", kind = "engine") {
    this.lesson = lesson;
    this.kind = kind;
    /** @type {any} what `open` answered */
    this.opened = null;
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Promise<void> | null} */
    this.loading = null;
    /** @type {Map<number, (result: any) => void>} */
    this.waiting = new Map();
    this.next = 1;
    /** @type {Map<string, string>} texts of the reader's own */
    this.own = new Map();
    /** @type {[string, string][]} what was set, to set it again in a new engine */
    this.settings = [];
  }

  /** @param {Map<string, string>} own */
  useTexts(own) {
    this.own = own;
  }

  /** Loads and opens; again after a failure. @returns {Promise<void>} */
  ready() {
    if (!this.loading) {
      this.loading = this.begin();
      this.loading.catch(() => { this.loading = null; });
    }
    return this.loading;
  }

  async begin() {
    if (!handed.has(this.kind)) await loadScript(this.kind + ".js");
    if (this.lesson && !this.own.size) await loadScript(this.lesson + ".text.js").catch(() => {});
    const source = URL.createObjectURL(new Blob([`(${startWorker})()`], { type: "text/javascript" }));
    this.worker = new Worker(source);
    this.worker.onmessage = event => this.take(event.data);
    const unpacked = await this.send({ engine: handed.get(this.kind) });
    URL.revokeObjectURL(source);
    if (unpacked.error) throw new Error(unpacked.error.what);
    await this.prepare();
  }

  /* Texts, lesson and settings, as they were. */
  async prepare() {
    if (this.kind === "fast") return;
    for (const [name, text] of [...texts, ...this.own]) await this.send({ call: ["text", name, text] });
    if (this.lesson) {
      this.opened = await this.send({ call: ["open", this.lesson] });
      if (this.opened.error) throw new Error(this.opened.error.what);
    }
    for (const [what, value] of this.settings) await this.send({ call: ["set", what, value] });
  }

  /** @param {{id: number, result: any, isNew?: boolean}} answer */
  async take({ id, result, isNew }) {
    const then = this.waiting.get(id);
    this.waiting.delete(id);
    if (isNew) this.loading = this.prepare();
    if (then) then(result);
  }

  /** @param {Record<string, any>} message @returns {Promise<any>} */
  send(message) {
    return new Promise(resolve => {
      const id = this.next++;
      this.waiting.set(id, resolve);
      /** @type {Worker} */ (this.worker).postMessage({ id, ...message });
    });
  }

  /**
   * Asks the engine. Never throws: what goes wrong is {error: {what, cure, ...}}.
   * @param {...(string | number)} words
   * @returns {Promise<any>}
   */
  async call(...words) {
    try {
      await this.ready();
      return await this.send({ call: words.map(String) });
    } catch (e) { return asError(e); }
  }

  /** Files that the engine finds below /model: they stay in this browser. @param {{name: string, file: Blob}[]} files @returns {Promise<any>} */
  async giveFiles(files) {
    try {
      await this.ready();
      return await this.send({ files });
    } catch (e) { return asError(e); }
  }

  /** Ends whatever it is doing. The next call begins anew. */
  stop() {
    if (this.worker) this.worker.terminate();
    this.worker = null;
    this.loading = null;
    for (const then of this.waiting.values())
      then({ error: { kind: "limit", what: "stopped", cure: "", line: 0 }, stopped: true });
    this.waiting.clear();
  }
}

/** An error in one line. @param {EngineError} e @returns {string} */
export function errorText(e) {
  return e.what + (e.cure ? `; ${e.cure}` : "");
}
