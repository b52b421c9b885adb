/* front -- the front page: the four probabilities as bars, a weight to move, a number to open. The numbers are in the HTML; this file draws. */
import { all, make, one } from "./dom.js";
import { rounded } from "./givens.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

/** Four decimals under each other: enough for a first look. The number as it is stays in data-text. @param {Lesson} lesson */
function shorten(lesson) {
  for (const td of all('table[data-value="probs"] tbody td[data-at], table[data-value="P"] tbody td[data-at]', lesson.article)) {
    if (td.closest(".has-blanks")) continue;
    td.dataset.text ??= td.textContent || "";
    const shown = Number(td.dataset.text).toFixed(4);
    if (td.textContent !== shown) td.textContent = shown;
  }
  one('table[data-value="P"]', lesson.article)?.classList.add("short");
}

/** The table of probabilities gets bars. @param {Lesson} lesson */
function drawBars(lesson) {
  const table = one('table.matrix[data-value="probs"]', lesson.article);
  if (!table) return;
  table.classList.add("bars");
  const heads = all("thead th", table).map(h => h.textContent || "");
  all("tbody td", table).forEach((td, i) => {
    const share = Number(td.dataset.text || td.textContent) || 0;
    td.style.setProperty("--share", String(Math.max(0, Math.min(1, share))));
    td.dataset.word = heads[i] || "";
  });
  const best = all("tbody td", table).sort((a, b) => Number(b.textContent) - Number(a.textContent))[0];
  for (const td of all("tbody td", table)) td.classList.toggle("best", td === best);
}

/** A slider that moves one weight. @param {Lesson} lesson @param {string} at @param {HTMLElement} figure */
function addSlider(lesson, at, figure) {
  const cell = () => one(`[data-at="${CSS.escape(at)}"][data-given]`, lesson.article);
  const value = make("output", { for: "weight" }, cell()?.textContent || "");
  const input = /** @type {HTMLInputElement} */ (make("input", { id: "weight", type: "range", min: "-4", max: "8", step: "0.1", value: cell()?.textContent || "0" }));
  let isNew = true;
  input.addEventListener("input", () => {
    if (isNew) lesson.mark();
    isNew = false;
    value.textContent = rounded(Number(input.value), 0.1);
    lesson.change(at, rounded(Number(input.value), 0.1), true);
  });
  input.addEventListener("change", () => { isNew = true; });
  lesson.addEventListener("change", () => {
    const now = cell()?.textContent || "0";
    if (document.activeElement !== input) input.value = now;
    value.textContent = now;
  });
  figure.append(make("p", { class: "weight" }, make("label", { for: "weight" }, "Move one weight, ", make("code", {}, at), ", ", make("span", { class: "quiet" }, "what D listens to")), input, value));
}

/** @param {Lesson} lesson */
export function startFront(lesson) {
  const show = () => { shorten(lesson); drawBars(lesson); };
  show();
  lesson.addEventListener("refresh", show);
  const place = one('table.matrix[data-value="probs"]', lesson.article)?.closest("figure");
  if (place) addSlider(lesson, "WO[1][3]", place);
}
