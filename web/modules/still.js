/* still -- `check` of a show block: the book wrote it, in numbers with more digits than the page has. Where the reader has changed some, and in a lesson
 * of the reader's own, the page asks itself. */
import { all, make, one } from "./dom.js";
import { errorText } from "./engine.js";
import { enliven } from "./numbers.js";
import { numberText } from "./tokens.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */

/** What a check of the gradients came to. @param {any} told @returns {HTMLElement[]} */
export function checkLines(told) {
  const bad = told.params.filter((/** @type {any} */ p) => !p.agrees), said = (/** @type {(Node | string)[]} */ ...words) => make("p", {}, ...words);
  if (!told.params.length) return [said("Nothing learns here: a program with param and backward has gradients to check.")];
  return [said(told.agrees ? `✓ The gradients of ${told.params.map((/** @type {any} */ p) => p.name).join(", ")} agree with differences.` : `✗ ${bad.length} of ${told.params.length} gradients do not agree with differences.`),
    ...bad.map((/** @type {any} */ p) => said(make("code", {}, p.at), " is ", make("span", { class: "n", "data-at": p.at }, numberText(p.gradient)), `, by differences ${numberText(p.difference)}`))];
}

/** @param {Lesson} lesson @param {HTMLElement} figure @returns {Promise<HTMLElement[]>} */
async function linesOf(lesson, figure) {
  const program = figure.dataset.of || "", told = await lesson.engine.call("check", ...(program ? [program] : []));
  const whose = lesson.state.settings.length ? [make("p", {}, "With your numbers:")] : [];
  return [...whose, ...(told.error ? [make("p", {}, errorText(told.error))] : checkLines(told))];
}

/** @param {Lesson} lesson */
export function startStill(lesson) {
  const figures = all("figure.show-check", lesson.article);
  const ask = async () => {
    for (const figure of figures) {
      const place = one(".still", figure) || figure.appendChild(make("div", { class: "still", role: "status" }));
      const isOpen = lesson.state.settings.length > 0 || !one(".shown", figure)?.textContent?.trim();
      place.replaceChildren(...(isOpen ? await linesOf(lesson, figure) : []));
      enliven(place);
    }
  };
  if (!figures.length) return;
  lesson.addEventListener("change", ask);
  ask();
}
