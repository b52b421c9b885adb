/* progress -- what the reader has done, in this browser: one line for each attempt, in the format of `longhand progress --export`, so that
 * it moves to the program and back. */
import { download, remember, remembered } from "./dom.js";

/**
 * @typedef {object} Attempt
 * @property {number} number
 * @property {string} time     in UTC
 * @property {string} lesson
 * @property {number} seed
 * @property {number} digits
 * @property {string} step     a path, or "exercise 3"
 * @property {string} raw      as it was typed
 * @property {string} verdict
 * @property {string | null} mistake
 * @property {number} hints
 * @property {boolean} right
 */

/** @returns {Attempt[]} */
export function attempts() {
  const list = remembered("progress");
  return Array.isArray(list) ? list : [];
}

/** @param {Omit<Attempt, "number" | "time">} attempt */
export function recordAttempt(attempt) {
  const list = attempts();
  list.push({ number: list.length + 1, time: new Date().toISOString().slice(0, 19) + "Z", ...attempt });
  remember("progress", list);
  document.dispatchEvent(new Event("longhand-progress"));
}

/** @param {string} lesson @param {string} step @returns {boolean} was it ever right? */
export function isDone(lesson, step) {
  return attempts().some(a => a.lesson === lesson && a.step === step && a.right);
}

/** @param {string} lesson @returns {number} steps and exercises of it that are done */
export function doneOf(lesson) {
  return new Set(attempts().filter(a => a.lesson === lesson && a.right).map(a => a.step)).size;
}

/** One JSON object a line. @returns {string} */
export function exportProgress() {
  return attempts().map(a => JSON.stringify(a)).join("\n") + (attempts().length ? "\n" : "");
}

/**
 * Adds what is new in a file. An attempt that is there already (the same time, lesson, step and text) is not taken twice.
 * @param {string} text
 * @returns {{added: number, wrong: string}} wrong: what could not be read, or ""
 */
export function importProgress(text) {
  const list = attempts(), key = (/** @type {Attempt} */ a) => [a.time, a.lesson, a.step, a.raw].join("\t"), known = new Set(list.map(key));
  let added = 0, line = 0;
  for (const row of text.split("\n")) {
    line++;
    if (!row.trim()) continue;
    /** @type {any} */
    let a;
    try { a = JSON.parse(row); } catch { return { added: 0, wrong: `line ${line} is no JSON object: nothing was taken` }; }
    if (!a || typeof a.lesson !== "string" || typeof a.step !== "string") return { added: 0, wrong: `line ${line} has no lesson and step: nothing was taken` };
    if (known.has(key(a))) continue;
    list.push({ seed: 0, digits: 4, raw: "", verdict: "", mistake: null, hints: 0, right: false, time: "", ...a, number: list.length + 1 });
    known.add(key(a));
    added++;
  }
  remember("progress", list);
  document.dispatchEvent(new Event("longhand-progress"));
  return { added, wrong: "" };
}

/** Hands the file over. */
export function saveProgress() {
  download("longhand-progress.jsonl", exportProgress(), "application/jsonl");
}
