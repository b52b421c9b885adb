/* still -- figures that are the text of a command: gradients checked, operations counted. The book wrote them from the lesson's numbers. Where the
 * reader has changed some, they are asked again. */
import { all, make, one } from "./dom.js";
import { errorText } from "./engine.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

/** What a check of the gradients came to. @param {any} told @returns {string[]} */
export function checkLines(told) {
  const bad = told.params.filter((/** @type {any} */ p) => !p.agrees);
  if (!told.params.length) return ["Nothing learns here: a program with param and backward has gradients to check."];
  return [told.agrees ? `✓ The gradients of ${told.params.map((/** @type {any} */ p) => p.name).join(", ")} agree with differences.` : `✗ ${bad.length} of ${told.params.length} gradients do not agree with differences.`,
    ...bad.map((/** @type {any} */ p) => `${p.worst}: gradient ${p.gradient}, by differences ${p.difference}`)];
}

/** What a program costs. @param {any} told @returns {string[]} */
export function costLines(told) {
  const amount = (/** @type {any} */ a) => `${Number(a?.number ?? 0).toLocaleString("en")}${a?.formula ? ` = ${a.formula}` : ""}`;
  return [`Parameters: ${amount(told.parameters)}`, ...told.phases.map((/** @type {any} */ p) => `${p.phase}: ${amount(p.multiply_adds)} multiply-adds, ${amount(p.operations)} other operations for each example`)];
}

/** @param {Lesson} lesson @param {HTMLElement} figure @returns {Promise<string[]>} */
async function linesOf(lesson, figure) {
  const what = figure.classList.contains("show-check") ? "check" : "cost", program = figure.dataset.of || "";
  const told = await lesson.engine.call(what, ...(program ? [program] : []));
  return told.error ? [`With your numbers: ${errorText(told.error)}`] : ["With your numbers:", ...(what === "check" ? checkLines(told) : costLines(told))];
}

/** @param {Lesson} lesson */
export function startStill(lesson) {
  const figures = all("figure.show-check, figure.show-cost", lesson.article);
  if (!figures.length) return;
  lesson.addEventListener("change", async () => {
    for (const figure of figures) {
      const place = one(".still", figure) || figure.appendChild(make("div", { class: "still", role: "status" }));
      const lines = lesson.state.settings.length ? await linesOf(lesson, figure) : [];
      place.replaceChildren(...lines.map(l => make("p", {}, l)));
    }
  });
}
