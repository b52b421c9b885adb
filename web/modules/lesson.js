/* lesson -- the lesson on this page with the reader's own numbers: what was changed, undo, and the address bar, which has all of it.
 *
 *     lesson.change("WQ[0][1]", "0.5")      asks the engine, then every number on the page follows
 *
 * In the address bar the changes stand behind the anchor: ex1.html#weights?WQ[0][1]=0.5&step=3 */
import { all, announce, make } from "./dom.js";
import { Engine, errorText } from "./engine.js";
import { morph, patch } from "./morph.js";

/** @typedef {{settings: [string, string][], step: number}} State */

/** @param {string} text @returns {string} safe in an address, and readable */
function encode(text) {
  return encodeURIComponent(text).replace(/%5B/g, "[").replace(/%5D/g, "]").replace(/%20/g, "+").replace(/%3B/g, ";").replace(/%3E/g, ">");
}

/** @param {string} text @returns {string} */
function decode(text) {
  try { return decodeURIComponent(text.replace(/\+/g, " ")); } catch { return text; }
}

/** @param {string} hash @returns {{anchor: string, state: State}} */
export function readHash(hash) {
  const at = hash.indexOf("?"), anchor = at < 0 ? hash.slice(1) : hash.slice(1, at);
  /** @type {State} */
  const state = { settings: [], step: 0 };
  for (const pair of at < 0 ? [] : hash.slice(at + 1).split("&")) {
    const equals = pair.indexOf("="), name = decode(pair.slice(0, equals)), value = decode(pair.slice(equals + 1));
    if (equals < 0) continue;
    if (name === "step") state.step = Math.max(0, Math.floor(Number(value)) || 0);
    else state.settings.push([name, value]);
  }
  return { anchor, state };
}

/** @param {string} anchor @param {State} state @returns {string} */
export function writeHash(anchor, state) {
  const pairs = state.settings.map(([what, value]) => `${encode(what)}=${encode(value)}`);
  if (state.step) pairs.push(`step=${state.step}`);
  return "#" + anchor + (pairs.length ? "?" + pairs.join("&") : "");
}

export class Lesson extends EventTarget {
  /** @param {HTMLElement} article @param {Engine} [engine] one that has it open already */
  constructor(article, engine) {
    super();
    this.article = article;
    this.name = article.dataset.lesson || "";
    /** Whose numbers they are before the reader changes them. */
    this.whose = "lesson";
    this.engine = engine || new Engine(this.name);
    /** @type {State} */
    this.state = { settings: [], step: 0 };
    /** @type {State[]} */
    this.before = [];
    this.isBusy = false;
    /** @type {State | null} asked for while another change was being carried out */
    this.wanted = null;
    /** @type {Map<number, string>} HTML of each figure as it was shown last */
    this.shown = new Map();
    /** @type {Element[]} what the last refresh changed in more than its numbers */
    this.changed = [];
    /** @type {Map<string, HTMLElement[]>} where each insert and each figure is */
    this.places = new Map();
  }

  /** The page, or the output of a notebook, that it is part of. @returns {Document | ShadowRoot} */
  get around() {
    const root = this.article.getRootNode();
    return root instanceof ShadowRoot ? root : document;
  }

  /** Where the panel, notes and what was changed are put. @returns {HTMLElement} */
  get home() {
    return document.body;
  }

  /** @param {string} what @returns {string | undefined} */
  setting(what) {
    return this.state.settings.find(s => s[0] === what)?.[1];
  }

  /**
   * A given gets another value. An empty text says that all is well, another what is wrong.
   * @param {string} what @param {string} value @param {boolean} [isDrag] one of many on the way: undo takes them together
   * @returns {Promise<string>}
   */
  async change(what, value, isDrag = false) {
    const settings = this.state.settings.filter(s => s[0] !== what);
    /* A matrix as a whole takes the place of its cells. */
    const rest = settings.filter(s => !s[0].startsWith(what + "["));
    rest.push([what, value]);
    return this.go({ settings: rest, step: this.state.step }, isDrag);
  }

  /** @param {number} step of training @returns {Promise<string>} */
  async goToStep(step) {
    return this.go({ settings: this.state.settings, step }, true);
  }

  /** @returns {Promise<string>} */
  async undo() {
    const state = this.before.pop();
    return state ? this.go(state, true) : "";
  }

  /** As the lesson has it. @returns {Promise<string>} */
  async reset() {
    return this.go({ settings: [], step: 0 });
  }

  /**
   * The page as it is with these settings. Nothing changes where the engine refuses one.
   * @param {State} state @param {boolean} [isQuiet] not a step of undo
   * @returns {Promise<string>}
   */
  async go(state, isQuiet = false) {
    if (this.isBusy) { this.wanted = state; return ""; }
    this.isBusy = true;
    const old = this.state;
    /* Asked for together: the engine answers in the order of the questions, and where it refuses a number, what follows is not looked at. */
    const applying = this.apply(old, state), asked = this.refresh === Lesson.prototype.refresh ? this.engine.call("refresh") : undefined;
    let wrong = await applying;
    if (wrong) {
      await asked;
      await this.apply(state, old);
    } else {
      this.state = state;
      if (!isQuiet) this.before.push(old);
      wrong = await this.refresh(asked);
    }
    this.isBusy = false;
    const wanted = this.wanted;
    this.wanted = null;
    if (wanted) return this.go(wanted, true);
    if (!wrong) this.remember();
    this.dispatchEvent(new Event("change"));
    return wrong;
  }

  /** Remembers the state before a drag, so that undo goes back to it. */
  mark() {
    this.before.push(this.state);
  }

  /** @param {State} from @param {State} to @returns {Promise<string>} */
  async apply(from, to) {
    const asked = [];
    for (const [what] of from.settings)
      if (!to.settings.some(s => s[0] === what)) this.engine.call("unset", what);
    for (const [what, value] of to.settings)
      if (!from.settings.some(s => s[0] === what && s[1] === value)) asked.push(this.engine.call("set", what, value));
    if (from.step !== to.step || to.step) asked.push(this.engine.call("step", to.step));
    for (const answer of await Promise.all(asked)) if (answer.error) return errorText(answer.error);
    this.engine.settings = to.settings;
    return "";
  }

  /** Everything on the page as the engine has it. @param {Promise<any>} [asked] what it says of the page @returns {Promise<string>} */
  async refresh(asked = this.engine.call("refresh")) {
    return this.take(await asked);
  }

  /** Changes everything that has changed. @param {any} news what the engine says of the page @returns {string} what is wrong */
  take(news) {
    if (news.error) return errorText(news.error);
    this.changed = [];
    for (const insert of news.inserts || []) this.putInsert(insert);
    for (const show of news.shows || []) this.putShow(show);
    this.dispatchEvent(new Event("refresh"));
    return "";
  }

  /** Elements of this lesson, found once. @param {string} selector @returns {HTMLElement[]} */
  placesOf(selector) {
    let found = this.places.get(selector);
    if (!found?.length || !found.every(e => e.isConnected)) this.places.set(selector, found = all(selector, this.article));
    return found;
  }

  /** @param {{show: number, html?: string, error?: import("./engine.js").EngineError}} show */
  putShow(show) {
    const figure = this.placesOf(`[data-show="${show.show}"] .shown`)[0] || this.placesOf(`[data-show="${show.show}"]`)[0], before = this.shown.get(show.show);
    if (!figure) return;
    if (show.error) {
      this.shown.delete(show.show);
      figure.replaceChildren(make("p", { class: "desk-error" }, `With your numbers this cannot be shown: ${errorText(show.error)}`));
    } else if (show.html !== undefined && show.html !== before) {
      this.shown.set(show.show, show.html);
      if (before !== undefined && patch(figure, before, show.html)) return;
      morph(figure, show.html);
      this.changed.push(figure);
    }
  }

  /** @param {{insert: number, text?: string, holds?: boolean, shown?: string, error?: import("./engine.js").EngineError}} insert */
  putInsert(insert) {
    const text = insert.error ? "—" : insert.text ?? "";
    for (const e of this.placesOf(`[data-insert="${insert.insert}"]`)) {
      if (e.matches("[data-claim]")) this.putClaim(e, insert);
      else if (e.textContent !== text) { e.textContent = text; e.classList.add("changed"); this.changed.push(e); }
    }
  }

  /** @param {HTMLElement} e @param {{text?: string, holds?: boolean, shown?: string, error?: import("./engine.js").EngineError}} insert */
  putClaim(e, insert) {
    const isBroken = insert.holds === false || !!insert.error;
    const numbers = insert.error ? insert.error.what : insert.shown;
    const text = isBroken ? `⚠ This held with the lesson’s numbers. With yours it does not${numbers ? ": " + numbers : ""}.` : insert.text || "";
    if (e.textContent === text) return;
    e.textContent = text;
    e.hidden = !text;
    e.classList.toggle("broken", isBroken);
  }

  /** Sentences that no longer hold. @returns {number} */
  broken() {
    return all(".claim.broken", this.article).length;
  }

  /** The state in the address bar, where there is one. */
  remember() {
    const { anchor } = readHash(location.hash), hash = writeHash(anchor, this.state);
    if (hash !== location.hash && (hash !== "#" || location.hash)) history.replaceState(null, "", hash);
  }

  /** What a link brought. @returns {Promise<void>} */
  async restore() {
    const { anchor, state } = readHash(location.hash);
    if (!state.settings.length && !state.step) return;
    const wrong = await this.go(state, true);
    if (wrong) announce(`The numbers of this link do not fit: ${wrong}`);
    if (anchor) document.getElementById(anchor)?.scrollIntoView();
  }

  /** A link to this page with these numbers; "": there is none. @returns {string} */
  link() {
    return location.href.replace(/#.*/, "") + writeHash(readHash(location.hash).anchor, this.state);
  }
}
