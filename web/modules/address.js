/* address -- names of numbers: P[1][0], h[0].A.P{example 1, head 2}[7][2]@10, and with a program of the lesson before it, loud:P[1][0].
 *
 * The engine reads addresses; this file only takes them apart far enough to find a number on the page, and to find the operands inside
 * a formula. */

/**
 * @typedef {object} Address
 * @property {string} program  of the lesson: "" for the main one
 * @property {string} path     h[0].A.P
 * @property {string} inside   {example 1, head 2} as it is written, or ""
 * @property {number} example
 * @property {number} head
 * @property {number[]} cell   [row, column], or one number of a vector, or none
 * @property {number} step     of training
 */

const part = /^(?:([A-Za-z_][\w-]*):)?([^{@]*?)(\{[^}]*\})?((?:\[\w+\])*)(?:@(\d+))?$/;

/**
 * @param {string} text
 * @returns {Address}
 */
export function parseAddress(text) {
  const m = part.exec(text.trim());
  if (!m) return { program: "", path: text.trim(), inside: "", example: 0, head: 0, cell: [], step: 0 };
  const inside = m[3] || "", example = /example (\d+)/.exec(inside), head = /head (\d+)/.exec(inside);
  return { program: m[1] || "", path: m[2] || "", inside, example: example ? +(example[1] || 0) : 0, head: head ? +(head[1] || 0) : 0,
    cell: Array.from((m[4] || "").matchAll(/\[(\d+)\]/g), c => +(c[1] || 0)), step: +(m[5] || 0) };
}

/**
 * The address as text, without the program.
 * @param {Address} a
 * @returns {string}
 */
export function writeAddress(a) {
  return a.path + a.inside + a.cell.map(c => `[${c}]`).join("") + (a.step ? `@${a.step}` : "");
}

/** @param {Address} a @returns {string} with its program, for comparing */
export function addressKey(a) {
  return (a.program ? a.program + ":" : "") + writeAddress(a);
}
