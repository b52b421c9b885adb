/* tokens -- a formula with its operands as things to press.
 *
 * The engine names the operands of a line in the order in which they occur, with their text in the formula (label) and in the formula with
 * numbers in place (text). Here they are found again from left to right. */
import { make, makeButton } from "./dom.js";

/** @typedef {{at: string, text: string, label?: string}} Operand */
/** @typedef {{depth: number, at?: string, label: string, formula: string, numbers: string, value: number, text?: string, note: string | null, given?: boolean, operands?: Operand[]}} Line */

/** Is what stands around text[from..to] the end of a name or number? @param {string} text @param {number} from @param {number} to */
function isWhole(text, from, to) {
  const before = text[from - 1] || " ", after = text[to] || " ";
  return !/[\w.\]]/.test(before) && !/[\w[]/.test(after);
}

/** @param {string} text @param {string} wanted @param {number} from @returns {number} -1: it is not there */
function findWhole(text, wanted, from) {
  for (let at = text.indexOf(wanted, from); wanted && at >= 0; at = text.indexOf(wanted, at + 1))
    if (isWhole(text, at, at + wanted.length)) return at;
  return -1;
}

/** How the operand is called in a formula: its address, or inside a call the end of it, e[1][0] for P.e[1][0]. @param {Operand} o @param {string} formula @returns {string} */
export function labelOf(o, formula) {
  if (o.label) return o.label;
  for (let name = o.at.replace(/^.*:(?!=)/, ""); name;) {
    if (findWhole(formula, name, 0) >= 0) return name;
    const dot = name.indexOf(".");
    if (dot < 0) break;
    name = name.slice(dot + 1);
  }
  return o.at;
}

/**
 * @param {string} text formula, or formula with numbers
 * @param {Operand[]} operands
 * @param {(operand: Operand) => string} called how the operand is called in this text
 * @param {(operand: Operand) => Node} show
 * @returns {DocumentFragment}
 */
export function withOperands(text, operands, called, show) {
  const out = document.createDocumentFragment();
  let at = 0;
  for (const operand of operands) {
    const name = called(operand), found = findWhole(text, name, at);
    if (found < 0) continue;
    out.append(text.slice(at, found), show(operand));
    at = found + name.length;
  }
  out.append(text.slice(at));
  return out;
}

/**
 * A line of working: label = formula = numbers = value. Operands are buttons in the numbers, where they are short.
 * @param {Line} line @param {string} value
 * @param {(at: string) => void} go
 * @returns {HTMLElement}
 */
export function workLine(line, value, go) {
  const operands = line.operands || [], isPlain = line.numbers === value || line.numbers === line.formula;
  const label = (/** @type {Operand} */ o) => labelOf(o, line.formula);
  const button = (/** @type {Operand} */ o, /** @type {string} */ shown) =>
    makeButton(shown, () => go(o.at), { class: "operand", "data-to": o.at, "aria-label": `${label(o)} = ${o.text}: how it came about` });
  const formula = make("span", { class: "work-formula" }, "= ", isPlain
    ? withOperands(line.formula, operands, label, o => button(o, label(o)))
    : withOperands(line.formula, operands, label, o => make("span", { class: "operand-name", "data-to": o.at }, label(o))));
  const numbers = isPlain ? null : make("span", { class: "work-numbers" }, "= ", withOperands(line.numbers, operands, o => o.text, o => button(o, o.text)));
  return make("li", { class: "work-line" }, make("span", { class: "work-label" }, line.label), formula, numbers,
    make("span", { class: "work-value" }, "= ", make("b", {}, value)), line.note ? make("span", { class: "work-note" }, line.note) : null);
}

/** A number as the program prints it: six significant digits. @param {number | null} x @returns {string} */
export function numberText(x) {
  if (x === null || x === undefined || Number.isNaN(x)) return "nan";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-4) return x.toExponential(5).replace(/\.?0+e/, "e").replace(/e([+-])(\d)$/, "e$10$2").replace("e+", "e+");
  return String(Number(x.toPrecision(6)));
}
