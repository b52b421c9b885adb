/* morph -- makes a part of the page equal to new HTML from the engine, changing only what differs: so the reader's place, focus and open
 * details stay, and what changed can be shown as changed. */

/**
 * @param {Element} to
 * @param {string} html written by the engine, which escapes all text
 */
export function morph(to, html) {
  const parsed = new DOMParser().parseFromString(`<!DOCTYPE html><body>${html}</body>`, "text/html");
  morphChildren(to, parsed.body);
}

/**
 * The same, where the HTML before is known and only numbers have changed: texts and attributes, element by element, without reading all of it.
 * @param {Element} to @param {string} before @param {string} html
 * @returns {boolean} false: more than that has changed, or the page has put elements of its own there; nothing was done
 */
export function patch(to, before, html) {
  const old = before.split(/(<[^>]*>)/), now = html.split(/(<[^>]*>)/); /* text, tag, text, tag ... */
  if (old.length !== now.length) return false;
  /** @type {(() => void)[]} */
  const changes = [];
  const elements = to.getElementsByTagName("*");
  let n = -1;
  for (let i = 0; i < now.length; i++) {
    const a = old[i] || "", b = now[i] || "", isOpening = i % 2 === 1 && b[1] !== "/";
    if (isOpening) n++;
    if (a === b) continue;
    const element = elements[n];
    if (!element || b.includes("&") || (i % 2 === 1 && !isOpening)) return false;
    if (isOpening) {
      if (namesOf(a) !== namesOf(b) || element.localName !== namesOf(b).split(" ")[0]) return false;
      changes.push(() => setAttributes(element, a, b));
    } else {
      const text = element.firstChild;
      if (element.childNodes.length !== 1 || !(text instanceof Text) || now[i - 1]?.[1] === "/" || now[i + 1]?.[1] !== "/") return false;
      changes.push(() => setText(text, b));
    }
  }
  if (n + 1 !== elements.length || to.querySelector(".blank")) return false;
  for (const change of changes) change();
  return true;
}

/** The names in a tag, of the element and of its attributes. @param {string} tag @returns {string} */
function namesOf(tag) {
  return tag.slice(1).replace(/="[^"]*"|\/?>$/g, "");
}

/** @param {Element} e @param {string} before @param {string} tag */
function setAttributes(e, before, tag) {
  for (const [whole = "", name = "", value = ""] of tag.matchAll(/\s([\w:-]+)="([^"]*)"/g))
    if (name === "class") morphClass(e, value);
    else if (!kept.has(name) && !before.includes(whole)) e.setAttribute(name, value);
}

/** @param {Text} text @param {string} value */
function setText(text, value) {
  const parent = text.parentElement, shortened = parent?.dataset.text; /* the page shows fewer digits of it */
  if ((shortened ?? text.nodeValue) === value) return;
  if (shortened !== undefined && parent) parent.dataset.text = value;
  text.nodeValue = value;
  parent?.classList.add("changed");
  if (parent?.matches("svg text[aria-label]")) parent.setAttribute("aria-label", `${parent.dataset.at} = ${value}`);
}

/** @param {Node} to @param {Node} from */
function morphChildren(to, from) {
  let old = to.firstChild;
  for (let now = from.firstChild; now;) {
    const next = now.nextSibling, after = old ? old.nextSibling : null;
    if (!old) to.appendChild(document.importNode(now, true));
    else if (old.nodeType !== now.nodeType || old.nodeName !== now.nodeName) to.replaceChild(document.importNode(now, true), old);
    else morphNode(old, now);
    old = after;
    now = next;
  }
  while (old) {
    const after = old.nextSibling;
    old.remove();
    old = /** @type {ChildNode | null} */ (after);
  }
}

/** Attributes that the page added are no news. */
const kept = new Set(["tabindex", "role", "class", "open", "aria-selected", "contenteditable", "data-text", "data-word", "style"]);

/** @param {Node} old @param {Node} now */
function morphNode(old, now) {
  if (old instanceof Text) {
    setText(old, now.nodeValue || "");
    return;
  }
  if (old instanceof Element && now instanceof Element) {
    if (old.matches(".blank")) return; /* a cell that the reader is filling in */
    for (const { name, value } of Array.from(now.attributes))
      if (name === "class") morphClass(old, value);
      else if (!kept.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
    for (const { name } of Array.from(old.attributes))
      if (!kept.has(name) && name !== "aria-label" && !now.hasAttribute(name)) old.removeAttribute(name);
  }
  morphChildren(old, now);
}

/** Classes of the page itself, which the engine does not know. */
const ours = new Set(["bars", "short", "changed", "lit", "chosen", "alive", "broken"]);

/** @param {Element} old @param {string} value */
function morphClass(old, value) {
  const stays = Array.from(old.classList).filter(c => ours.has(c));
  const now = [value, ...stays].join(" ").trim();
  if (old.getAttribute("class") !== now) old.setAttribute("class", now);
}
