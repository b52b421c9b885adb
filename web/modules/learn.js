/* learn -- watching a lesson's program learn: a slider over the steps of training, its loss and any number as a curve, and a second run with
 * another rate over the first. All of it is computed in a worker of its own, so the page stays quick. */
import { all, announce, isStill, make, makeButton, one, settled } from "./dom.js";
import { Engine, errorText } from "./engine.js";
import { enliven } from "./numbers.js";
import { makeSelect } from "./practice.js";
import { numberText } from "./tokens.js";

/** @typedef {import("./lesson.js").Lesson} Lesson */
/** @typedef {{name: string, steps: number[], values: (number | null)[], at?: string | null}} Curve at: the address of its numbers, without the step */

const svgNamespace = "http://www.w3.org/2000/svg";

/** @param {string} tag @param {Record<string, string | number>} attributes @param {...(Node | string)} children @returns {SVGElement} */
function svg(tag, attributes, ...children) {
  const e = document.createElementNS(svgNamespace, tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, String(value));
  e.append(...children);
  return e;
}

/** Two or three round numbers between low and high. @param {number} low @param {number} high @returns {number[]} */
export function ticks(low, high) {
  const wide = high - low || 1, raw = wide / 3, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= raw) || raw;
  const out = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-9; x += step) out.push(Number(x.toPrecision(6)));
  return out;
}

/**
 * Curves in one picture: solid, dashed, dotted; each named at its end, so that colour is never alone.
 * @param {Curve[]} curves @param {number} now the step that is shown; it gets a line @param {string} title
 * @returns {SVGElement}
 */
export function drawCurves(curves, now, title) {
  /* As wide as the screen has room for, so that its letters stay as large as they are. */
  const wide = Math.max(260, Math.min(640, document.documentElement.clientWidth - 72)), high = 230, left = 56, right = wide < 500 ? 70 : 96, top = 12, bottom = 30;
  const numbers = curves.flatMap(c => c.values).filter(v => v !== null && Number.isFinite(v)).map(Number);
  const last = Math.max(1, ...curves.flatMap(c => c.steps.slice(-1))), low = Math.min(0, ...numbers), most = Math.max(...numbers, low + 1e-9);
  const x = (/** @type {number} */ s) => left + (wide - left - right) * s / last, y = (/** @type {number} */ v) => high - bottom - (high - top - bottom) * (v - low) / (most - low);
  const picture = svg("svg", { class: "curves", viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": title });
  for (const t of ticks(low, most)) picture.append(svg("line", { class: "rule", x1: left, x2: wide - right, y1: y(t), y2: y(t) }), svg("text", { class: "tick", x: left - 8, y: y(t) + 4, "text-anchor": "end" }, numberText(t)));
  for (const t of ticks(0, last)) picture.append(svg("text", { class: "tick", x: x(t), y: high - 10, "text-anchor": "middle" }, String(t)));
  curves.forEach((c, i) => picture.append(...curveOf(c, i, x, y)));
  picture.append(svg("line", { class: "now", x1: x(now), x2: x(now), y1: top, y2: high - bottom }));
  return picture;
}

/** @param {Curve} c @param {number} i @param {(s: number) => number} x @param {(v: number) => number} y @returns {SVGElement[]} */
function curveOf(c, i, x, y) {
  let path = "", isDown = false;
  c.values.forEach((v, k) => {
    if (v === null || !Number.isFinite(v)) { isDown = false; return; }
    path += `${isDown ? "L" : "M"}${x(c.steps[k] || 0).toFixed(1)} ${y(v).toFixed(1)}`;
    isDown = true;
  });
  const end = c.values.length - 1, v = c.values[end];
  return [svg("path", { class: `curve curve-${i % 4}`, d: path }),
    svg("text", { class: `name curve-name-${i % 4}`, x: x(c.steps[end] || 0) + 6, y: y(typeof v === "number" && Number.isFinite(v) ? v : 0) + 4 }, c.name), ...spotsOf(c, x, y)];
}

/** Where a curve can be touched: at each of its numbers, or at every so many. @param {Curve} c @param {(s: number) => number} x @param {(v: number) => number} y @returns {SVGElement[]} */
function spotsOf(c, x, y) {
  const stride = Math.ceil(c.values.length / 120), last = c.values.length - 1, spots = [];
  for (let k = 0; c.at && k <= last; k = k === last ? k + 1 : Math.min(k + stride, last)) {
    const v = c.values[k], step = c.steps[k] || 0, at = c.at + (step ? `@${step}` : "");
    if (typeof v === "number") spots.push(svg("rect", { class: "spot", "data-at": at, "aria-label": `${at} = ${numberText(v)}`, x: (x(step) - 4).toFixed(1), y: (y(v) - 4).toFixed(1), width: 8, height: 8 }));
  }
  return spots;
}

let plots = 0;

/** A picture that the engine drew, for the page. @param {string} drawn an svg element @returns {HTMLElement} */
export function plotOf(drawn) {
  const plain = drawn.replace(/<style>[^]*?<\/style>/g, ""); /* pictures.css has these rules */
  const picture = new DOMParser().parseFromString(plain, "image/svg+xml").documentElement, own = `plot-${++plots}-`;
  for (const e of [picture, ...picture.querySelectorAll("*")])
    for (const a of e.attributes) if (/^(id|aria-labelledby|fill|clip-path)$/.test(a.name)) a.value = a.value.replace(/\bplot-/g, own); /* two pictures, two ids */
  picture.setAttribute("class", "chart");
  return make("div", { class: "scroll" }, document.importNode(picture, true));
}

/**
 * What the lesson draws of a program as it is now: these pictures stand in the box, too, beside the slider that moves them. One that says
 * after which step (net@1000) stays as it is.
 * @param {Lesson} lesson @param {string} program @returns {string[]}
 */
function picturesOf(lesson, program) {
  const words = all("figure[data-draws]", lesson.article).filter(f => (f.dataset.of || "") === program && !f.closest("section.exercise")).map(f => f.dataset.draws || "");
  return [...new Set(words)].filter(w => !w.includes("@")).slice(0, 3);
}

class Learning {
  /** @param {Lesson} lesson @param {HTMLElement} place @param {string[]} programs that learn: "", and others of the lesson by name */
  constructor(lesson, place, programs) {
    this.lesson = lesson;
    this.program = programs[0] || "";
    this.programs = programs;
    this.engine = new Engine(lesson.name);
    this.engine.useTexts(lesson.engine.own);
    this.place = place;
    this.most = 100;
    /** @type {Curve[]} */
    this.curves = [];
    /** @type {ReturnType<typeof setInterval> | undefined} */
    this.timer = undefined;
    this.slider = /** @type {HTMLInputElement} */ (make("input", { type: "range", min: "0", max: "100", value: "0", id: "learn-step", "aria-describedby": "learn-now" }));
    this.now = make("output", { id: "learn-now", for: "learn-step" }, "step 0");
    this.count = /** @type {HTMLInputElement} */ (make("input", { type: "number", min: "1", max: "100000", value: "100", id: "learn-count" }));
    this.address = /** @type {HTMLInputElement} */ (make("input", { id: "learn-address", placeholder: "a number: WO[0][2]", autocomplete: "off", spellcheck: "false" }));
    this.rate = /** @type {HTMLInputElement} */ (make("input", { id: "learn-rate", inputmode: "decimal", placeholder: "0.5", autocomplete: "off" }));
    this.play = makeButton("Play", () => this.toggle(), { "aria-pressed": "false" });
    this.picture = make("div", { class: "scroll" });
    /* Pictures of values as they are at the step that is shown, in the words of a show block. */
    this.words = /** @type {HTMLInputElement} */ (make("input", { id: "learn-draw", placeholder: "heat P", autocomplete: "off", spellcheck: "false" }));
    this.drawn = picturesOf(lesson, this.program);
    this.pictures = make("div", { class: "learn-pictures" });
    this.said = make("p", { class: "quiet", role: "status" });
    this.follow = settled(40, () => this.goTo(Number(this.slider.value)));
  }

  /** @returns {HTMLElement} */
  box() {
    this.slider.addEventListener("input", () => { this.tell(); this.follow(); });
    const stop = makeButton("Stop", () => { this.engine.stop(); this.say("Stopped."); });
    const run = make("form", { class: "row" }, make("label", { for: "learn-count" }, "Steps"), this.count, make("button", { type: "submit", class: "main" }, "Train"), stop);
    run.addEventListener("submit", event => { event.preventDefault(); this.train(); });
    const watch = make("form", { class: "row" }, make("label", { for: "learn-address" }, "Also watch"), this.address, make("button", { type: "submit" }, "Add its curve"));
    watch.addEventListener("submit", event => { event.preventDefault(); this.watch(); });
    const other = make("form", { class: "row" }, make("label", { for: "learn-rate" }, "Again with rate"), this.rate, make("button", { type: "submit" }, "Draw it over this one"));
    other.addEventListener("submit", event => { event.preventDefault(); this.compare(); });
    const draw = make("form", { class: "row" }, make("label", { for: "learn-draw" }, "Also draw"), this.words, make("button", { type: "submit" }, "Draw"));
    draw.addEventListener("submit", event => { event.preventDefault(); this.addPicture(this.words.value.trim()); });
    const which = makeSelect("learn-program", this.programs.map(p => [p, p || "the lesson’s own"]));
    which.addEventListener("change", () => { this.program = which.value; this.drawn = picturesOf(this.lesson, this.program); this.reset(); this.train(); });
    if (this.programs.length > 1) run.prepend(make("label", { for: "learn-program" }, "Program"), which);
    return make("div", { class: "learn-box" }, run, this.picture,
      make("div", { class: "row learn-slider" }, make("label", { for: "learn-step" }, "Step"), this.slider, this.now),
      make("div", { class: "buttons" }, this.play, makeButton("One step", () => this.by(1)), makeButton("One back", () => this.by(-1)), makeButton("Reset", () => this.reset())),
      this.pictures, watch, other, draw, this.said);
  }

  /** @param {string} text */
  say(text) { this.said.textContent = text; }

  tell() {
    const step = Number(this.slider.value), c = this.curves[0];
    const i = c ? c.steps.findIndex(s => s >= step) : -1, loss = c && i >= 0 ? c.values[i] : undefined;
    this.now.textContent = `step ${step}` + (typeof loss === "number" ? `, loss ${numberText(loss)}` : "");
  }

  /** The whole lesson after so many steps. @param {number} step */
  async goTo(step) {
    this.slider.value = String(step);
    this.tell();
    this.draw();
    const wrong = await this.lesson.goToStep(step);
    if (wrong) this.say(wrong);
    await this.drawPictures();
  }

  /** @param {string} words */
  async addPicture(words) {
    if (!words) return;
    this.drawn.push(words);
    if (!await this.drawPictures()) this.drawn.pop();
  }

  /** Each picture anew. @returns {Promise<boolean>} */
  async drawPictures() {
    const pictures = [];
    for (const words of this.drawn) {
      const told = await this.lesson.engine.call("plot", this.program && !words.includes(": ") ? `${this.program}: ${words}` : words);
      if (told.error) { this.say(errorText(told.error)); return false; }
      pictures.push(make("figure", {}, make("figcaption", {}, `${words}, step ${this.slider.value}`), plotOf(told.svg)));
    }
    this.pictures.replaceChildren(...pictures);
    enliven(this.pictures);
    return true;
  }

  /** @param {number} n */
  by(n) { this.goTo(Math.max(0, Math.min(this.most, Number(this.slider.value) + n))); }

  reset() {
    this.pause();
    this.goTo(0);
    announce("Back at the start of training");
  }

  toggle() {
    if (this.timer) { this.pause(); return; }
    const stride = Math.max(1, Math.round(this.most / 100));
    this.play.textContent = "Pause";
    this.play.setAttribute("aria-pressed", "true");
    let isBusy = false;
    this.timer = setInterval(async () => {
      if (isBusy) return; /* where pictures take longer than the pause, steps wait for them */
      const to = Math.min(this.most, Number(this.slider.value) + stride);
      isBusy = true;
      await this.goTo(to);
      isBusy = false;
      if (to >= this.most) this.pause();
    }, isStill() ? 600 : 120);
  }

  pause() {
    clearInterval(this.timer);
    this.timer = undefined;
    this.play.textContent = "Play";
    this.play.setAttribute("aria-pressed", "false");
  }

  /** @param {string} name @param {string[]} [addresses] @returns {Promise<any>} */
  async losses(name, addresses = []) {
    this.say("Training…");
    const begin = performance.now();
    for (const [what, value] of this.lesson.state.settings) await this.engine.call("set", what, value);
    const told = await this.engine.call("losses", 0, this.most, this.program, ...addresses);
    if (told.error) { this.say(errorText(told.error)); return null; }
    this.say(`${name}: ${this.most} steps in ${((performance.now() - begin) / 1000).toFixed(2)} s.`);
    return told;
  }

  async train() {
    this.most = Math.max(1, Math.min(100000, Math.floor(Number(this.count.value)) || 1));
    this.slider.max = String(this.most);
    const told = await this.losses("loss");
    if (!told) return;
    this.curves = [{ name: "loss", steps: told.steps, values: told.loss, at: told.at }];
    this.draw();
    this.tell();
  }

  async watch() {
    const at = this.address.value.trim(), whole = this.program && !at.includes(":") ? `${this.program}:${at}` : at, told = at ? await this.losses(at, [whole]) : null;
    if (!told) return;
    this.curves.push({ name: at, steps: told.steps, values: told.values[whole] || [], at: /@/.test(whole) ? null : whole });
    this.draw();
  }

  async compare() {
    const rate = this.rate.value.trim().replace(",", "."), name = this.program ? `${this.program}:rate` : "rate", set = await this.engine.call("set", name, rate);
    if (set.error) { this.say(errorText(set.error)); return; }
    const told = await this.engine.call("losses", 0, this.most, this.program);
    await this.engine.call("unset", name);
    if (told.error) { this.say(errorText(told.error)); return; }
    this.curves.push({ name: `rate ${rate}`, steps: told.steps, values: told.loss });
    this.draw();
    const last = told.loss[told.loss.length - 1];
    this.say(`With rate ${rate} the loss after ${this.most} steps is ${numberText(last)}.`);
  }

  draw() {
    if (!this.curves.length) return;
    this.picture.replaceChildren(drawCurves(this.curves, Number(this.slider.value), `${this.curves.map(c => c.name).join(", ")} over ${this.most} steps`));
    enliven(this.picture);
  }
}

/** A lesson whose program learns gets the box above its exercises. @param {Lesson} lesson */
export function startLearning(lesson) {
  const learns = all(".notation", lesson.article).filter(pre => /^\s*\w[^#\n]*:=/m.test(pre.textContent || "")).map(pre => pre.dataset.program || "");
  /* The lesson's own first, then those with pictures. */
  const rank = (/** @type {string} */ p) => p === "" ? 0 : picturesOf(lesson, p).length ? 1 : 2;
  const programs = [...new Set(learns)].sort((a, b) => rank(a) - rank(b));
  if (!programs.length || lesson.name === "front" || one(".learn", lesson.article)) return;
  const first = one("section.exercise, section.program", lesson.article);
  const details = make("details", { class: "learn" }, make("summary", {}, "Watch it learn"));
  if (!first) return;
  let before = first.previousElementSibling;
  while (before && !/^H2$/.test(before.tagName)) before = before.previousElementSibling;
  (before || first).before(details);
  details.addEventListener("toggle", () => {
    if (one(".learn-box", details)) return;
    const learning = new Learning(lesson, details, programs);
    details.append(learning.box());
    learning.train();
    learning.drawPictures();
  });
}
