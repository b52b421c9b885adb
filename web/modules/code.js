/* code -- givens in the listing of a program: `const WQ = [0.1 0; 0 0.1]` is where a reader meets them first, so each number of it can be
 * changed there, and the words of `example A B -> C`, too. */
import { all, make } from "./dom.js";

/** @param {string} text of a matrix or number, without brackets @param {string} name @returns {{text: string, at: string}[]} and what stands between, with at "" */
export function cellsOf(text, name) {
  const rows = text.split(";").map(r => r.trim().split(/[\s,]+/)), isColumn = rows.length > 1 && rows.every(r => r.length === 1), isOne = rows.length === 1 && rows[0]?.length === 1;
  const pieces = [];
  let r = 0, c = 0;
  for (const text_piece of text.split(/(-?[\d.]+(?:e[+-]?\d+)?|;)/)) {
    const isNumber = /^-?[\d.]/.test(text_piece);
    const at = isOne ? name : name + (rows.length > 1 ? `[${r}]` : "") + (isColumn ? "" : `[${c}]`);
    pieces.push({ text: text_piece, at: isNumber ? at : "" });
    if (isNumber) c++;
    if (text_piece === ";") { r++; c = 0; }
  }
  return pieces;
}

/** @param {string} text @param {string} name @param {string} program "fast:" or "" @returns {Node[]} */
function givenCells(text, name, program) {
  return cellsOf(text, name).map(p => p.at ? make("span", { class: "n", "data-at": program + p.at, "data-given": program + name, "data-own": p.text }, p.text) : document.createTextNode(p.text));
}

/** What stands behind const or param, up to the end of the line. @param {string} line @param {string} program @returns {Node[] | null} */
function valueLine(line, program) {
  const m = /^(\s+)([A-Za-z_]\w*)(\s*(?::[^=]*)?=\s*)(\[?)([-\d.e+;,\s]+)(\]?)(\s*)$/.exec(line);
  if (!m || !/\d/.test(m[5] || "")) return null;
  return [document.createTextNode((m[1] || "") + m[2] + m[3] + m[4]), ...givenCells(m[5] || "", m[2] || "", program), document.createTextNode((m[6] || "") + m[7])];
}

/** layers = 1, heads = 4 @param {string} line @param {string} program @returns {Node[]} */
function sizeLine(line, program) {
  return line.split(/([A-Za-z_]\w*\s*=\s*\d+)/).flatMap(piece => {
    const m = /^([A-Za-z_]\w*)(\s*=\s*)(\d+)$/.exec(piece);
    return m ? [document.createTextNode((m[1] || "") + m[2]), ...givenCells(m[3] || "", m[1] || "", program)] : [document.createTextNode(piece)];
  });
}

/** @param {string} line @param {string} program @param {number} n which example @returns {Node[]} */
function exampleLine(line, program, n) {
  const m = /^(\s+)(.*?)(\s*)$/.exec(line), what = `${program}example ${n}`;
  return [document.createTextNode(m?.[1] || ""), make("span", { class: "n", "data-what": what, "data-given": what, "data-own": m?.[2] || "" }, m?.[2] || ""), document.createTextNode(m?.[3] || "")];
}

/** Makes the givens of listings elements. @param {HTMLElement} article */
export function enlivenCode(article) {
  /** @type {Map<string, number>} */
  const examples = new Map();
  for (const pre of all("pre.notation[data-program]", article)) {
    const name = pre.dataset.program || "", program = name ? name + ":" : "", place = (pre.closest(".program") ? "whole " : "") + name;
    for (const b of all("b", pre)) {
      const next = b.nextSibling, word = b.textContent;
      if (!(next instanceof Text) || !["const", "param", "size", "example"].includes(word || "")) continue;
      const end = next.data.indexOf("\n"), line = end < 0 ? next.data : next.data.slice(0, end), rest = end < 0 ? "" : next.data.slice(end);
      let nodes = null;
      if (word === "size") nodes = sizeLine(line, program);
      else if (word === "example") {
        const n = examples.get(place) || 0;
        examples.set(place, n + 1);
        nodes = exampleLine(line, program, n);
      } else nodes = valueLine(line, program);
      if (nodes) next.replaceWith(...nodes, rest);
    }
  }
}

/** Listings follow what was set: cell by cell, or a matrix as a whole. @param {HTMLElement} article @param {[string, string][]} settings */
export function followCode(article, settings) {
  const wanted = new Map(settings.flatMap(([what, value]) => /^\[/.test(value)
    ? cellsOf(value.replace(/[[\]]/g, "").replace(/,/g, " "), what).filter(p => p.at).map(p => /** @type {[string, string]} */ ([p.at, p.text])) : [/** @type {[string, string]} */ ([what, value])]));
  for (const e of all("pre.notation [data-own]", article)) {
    const text = wanted.get(e.dataset.what || e.dataset.at || "") ?? e.dataset.own ?? "";
    if (e.textContent !== text && !e.classList.contains("editing")) { e.textContent = text; e.classList.add("changed"); }
    e.classList.toggle("is-own", text !== e.dataset.own);
  }
}
