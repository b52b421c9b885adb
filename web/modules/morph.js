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
  if (old.nodeType === Node.TEXT_NODE) {
    const shortened = old.parentElement?.dataset.text; /* the page shows fewer digits of it */
    if ((shortened ?? old.nodeValue) === now.nodeValue) return;
    if (shortened !== undefined && old.parentElement) old.parentElement.dataset.text = now.nodeValue || "";
    old.nodeValue = now.nodeValue;
    old.parentElement?.classList.add("changed");
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
