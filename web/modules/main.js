/* main -- where the page begins: what it finds on the page, it brings to life. */
import { all, announce, isStill } from "./dom.js";
import { Desk } from "./desk.js";
import { startBlanks } from "./blanks.js";
import { enlivenCode } from "./code.js";
import { startExercises } from "./exercise.js";
import { startFront } from "./front.js";
import { startGivens } from "./givens.js";
import { startLearning } from "./learn.js";
import { Lesson } from "./lesson.js";
import { startModel } from "./model.js";
import { startNumbers } from "./numbers.js";
import { startPlay } from "./play.js";
import { startPractice } from "./practice.js";
import { startStill } from "./still.js";
import { SheetForm, startDeskSheets } from "./sheet.js";
import { startTeaching } from "./teach.js";

customElements.define("lh-desk", Desk);
customElements.define("lh-sheet", SheetForm);

/** @type {Desk | null} */
let theDesk = null;

/** A lesson comes to life. @param {HTMLElement} article @param {import("./engine.js").Engine} [engine] @returns {Lesson} */
export function bringToLife(article, engine) {
  const lesson = new Lesson(article, engine);
  const desk = theDesk || /** @type {Desk} */ (document.createElement("lh-desk"));
  if (!theDesk) document.body.append(desk);
  theDesk = desk;
  desk.lesson = lesson;
  article.addEventListener("pointerdown", () => { desk.lesson = lesson; }, { capture: true });
  article.addEventListener("focusin", () => { desk.lesson = lesson; }, { capture: true });
  enlivenCode(article);
  startNumbers(lesson, desk);
  startGivens(lesson, desk);
  startBlanks(lesson, desk);
  startDeskSheets(lesson, desk);
  startStill(lesson);
  setTimeout(() => { startExercises(lesson); startLearning(lesson); }, 0);
  /** @type {any} */ (article).lesson = lesson;
  return lesson;
}

/** The engine comes when the page is at rest, so that the first touch is answered at once. @param {Lesson} lesson */
function whenIdle(lesson) {
  const saves = /** @type {any} */ (navigator).connection?.saveData;
  if (saves) return;
  const begin = () => lesson.engine.ready().catch(() => {});
  addEventListener("load", () => { if ("requestIdleCallback" in window) requestIdleCallback(begin, { timeout: 4000 }); else setTimeout(begin, 1500); });
}

/** In the drawing of the whole, the box of this lesson. */
function markWhere() {
  const here = (location.pathname.split("/").pop() || "index.html");
  for (const a of all(".whole a")) if (a.getAttribute("href") === here) a.setAttribute("aria-current", "page");
}

/** Numbers that changed are shown as changed for a moment. @param {Lesson} lesson */
function showChanges(lesson) {
  lesson.addEventListener("refresh", () => {
    const changed = all(".changed", lesson.article);
    setTimeout(() => { for (const e of changed) e.classList.remove("changed"); }, isStill() ? 1500 : 900);
  });
}

/** Offline after the first visit, where the page came over the network. */
function keepOffline() {
  if (location.protocol.startsWith("http") && "serviceWorker" in navigator) navigator.serviceWorker.register("sw.js").catch(() => {});
}

function start() {
  markWhere();
  if (!document.body.hasAttribute("data-life")) return;
  document.documentElement.classList.add("is-alive");
  for (const article of all("article[data-lesson]")) {
    const lesson = bringToLife(article);
    showChanges(lesson);
    if (article.dataset.lesson === "front") startFront(lesson);
    lesson.restore().then(() => whenIdle(lesson));
    addEventListener("hashchange", () => lesson.restore());
  }
  startPractice();
  startPlay();
  startTeaching(bringToLife);
  startModel();
  keepOffline();
  announce("");
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
else start();
