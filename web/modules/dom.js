/* dom -- the few things that every other file does with the document: make elements, say something aloud, remember. */

/**
 * An element: make("button", {class: "plain", type: "button"}, "Undo"). Children that are strings become text, never markup.
 * @param {string} tag
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes] false, null and undefined are left out
 * @param {...(Node | string | null | undefined)} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    e.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== null && child !== undefined) e.append(child);
  return e;
}

/**
 * A button with what it does.
 * @param {string} text
 * @param {(event: Event) => void} does
 * @param {Record<string, string | number | boolean | null | undefined>} [attributes]
 * @returns {HTMLButtonElement}
 */
export function makeButton(text, does, attributes = {}) {
  const b = /** @type {HTMLButtonElement} */ (make("button", { type: "button", ...attributes }, text));
  b.addEventListener("click", does);
  return b;
}

/** @param {string} html written by the engine, which escapes every text; the page's rules allow no script but its own @returns {Node[]} */
export function elementsOf(html) {
  return Array.from(new DOMParser().parseFromString(html, "text/html").body.childNodes, n => document.importNode(n, true));
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement[]} */
export function all(selector, within = document) {
  return Array.from(within.querySelectorAll(selector));
}

/** @param {string} selector @param {ParentNode} [within] @returns {HTMLElement | null} */
export function one(selector, within = document) {
  return within.querySelector(selector);
}

/** The nearest element around the target of an event. @param {Event} event @param {string} selector @returns {HTMLElement | null} */
export function around(event, selector) {
  return event.target instanceof Element ? event.target.closest(selector) : null;
}

/** @type {HTMLElement | null} */
let voice = null;
/** @type {HTMLElement | null} where it is said; null: in the page's body */
let voicePlace = null;

/** What is announced from now on is said there: styles of the body do not reach into a notebook's output. @param {HTMLElement} place */
export function speakIn(place) {
  voicePlace = place;
}

/**
 * Says a change to those who do not see it. The same text twice is said twice.
 * @param {string} text
 */
export function announce(text) {
  const place = voicePlace || document.body;
  if (!voice || voice.parentNode !== place) {
    voice = make("p", { class: "unseen", role: "status", "aria-live": "polite" });
    place.append(voice);
  }
  const to = voice;
  to.textContent = "";
  setTimeout(() => { to.textContent = text; }, 30);
}

/**
 * Something kept in this browser, or null. Storage may be forbidden, and then nothing is kept.
 * @param {string} name
 * @returns {any}
 */
export function remembered(name) {
  try {
    const text = localStorage.getItem("longhand-" + name);
    return text === null ? null : JSON.parse(text);
  } catch { return null; }
}

/** @param {string} name @param {any} value null: forget it */
export function remember(name, value) {
  try {
    if (value === null) localStorage.removeItem("longhand-" + name);
    else localStorage.setItem("longhand-" + name, JSON.stringify(value));
  } catch { /* forbidden or full: the page goes on without */ }
}

/**
 * Hands the reader a file to keep.
 * @param {string} name @param {string | Uint8Array} content @param {string} [type]
 */
export function download(name, content, type = "text/plain;charset=utf-8") {
  const blob = new Blob([/** @type {BlobPart} */ (content)], { type });
  const a = /** @type {HTMLAnchorElement} */ (make("a", { href: URL.createObjectURL(blob), download: name }));
  document.body.append(a);
  a.click();
  a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 10000);
}

/** Does the reader want less motion? */
export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * Runs once after calls have stopped for a while.
 * @template {any[]} A
 * @param {number} milliseconds @param {(...a: A) => void} does
 * @returns {(...a: A) => void}
 */
export function settled(milliseconds, does) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return (...a) => {
    clearTimeout(timer);
    timer = setTimeout(() => does(...a), milliseconds);
  };
}
