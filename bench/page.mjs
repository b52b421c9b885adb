/* page.mjs FOLDER: the figures of the living page, in headless Chromium, on a book in FOLDER (longhand book -o FOLDER).
 *
 * Playwright is that of tests/page (npm ci there first). Bytes are those of the files that the browser asked for, compressed with brotli as a web
 * space sends them; engine.js holds gzip in letters, which brotli takes back to about its size. Times are the best and the median of some tries. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { serve, flags } from "../tests/page/harness.mjs";
import { createRequire } from "node:module";

const { chromium } = createRequire(new URL("../tests/page/harness.mjs", import.meta.url))("playwright-core");
const folder = resolve(process.argv[2] || "book");
const { server, address } = await serve(folder);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
const rows = [];
const size = files => files.reduce((n, f) => n + brotliCompressSync(readFileSync(join(folder, f))).length, 0);
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const row = (what, goal, is) => { rows.push([what, goal, is]); console.log(`| ${what} | ${goal} | ${is} |`); };

/** A page that says which files it asked for, and what held it up. */
async function open(file) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "block" }), page = await context.newPage(), asked = [];
  page.on("request", r => { const name = r.url().slice(address.length).replace(/[?#].*/, ""); if (r.url().startsWith(address) && !asked.includes(name)) asked.push(name); });
  await page.addInitScript(() => {
    window.held = { shift: 0, tasks: [] };
    new PerformanceObserver(l => { for (const e of l.getEntries()) if (!e.hadRecentInput) window.held.shift += e.value; }).observe({ type: "layout-shift", buffered: true });
    new PerformanceObserver(l => { for (const e of l.getEntries()) window.held.tasks.push(Math.round(e.duration)); }).observe({ type: "longtask", buffered: true });
  });
  await page.goto(address + file, { waitUntil: "domcontentloaded" });
  return { page, asked };
}

async function bytes() {
  const { page, asked } = await open("ex1.html");
  const first = asked.filter(f => /\.(html|css)$|book\.js$/.test(f));
  row("bytes before the first number is seen, ex1", "100 KB", `${(size(first) / 1024).toFixed(0)} KB (${first.join(", ")})`);
  await page.locator('td[data-at="P[1][0]"]').first().click();
  await page.waitForSelector(".work-line");
  row("bytes before the first answer to a touch, ex1", "500 KB", `${(size(asked.filter(f => f && !f.endsWith("sw.js"))) / 1024).toFixed(0)} KB`);
  await page.context().close();
}

/** From the press of a finger to the explanation in the panel. */
async function touch(file, cells, goal) {
  const { page } = await open(file);
  await page.locator("td[data-at]").first().click();
  await page.waitForSelector(".work-line, .desk-given");
  const times = await page.evaluate(async n => {
    const all = [...document.querySelectorAll("td[data-at]:not([data-given])")], times = [], desk = document.querySelector("lh-desk");
    for (let i = 0; i < n; i++) {
      const td = all[(i * 37) % all.length], shown = new Promise(r => desk.addEventListener("shown", r, { once: true })), begin = performance.now();
      td.click();
      await shown;
      times.push(performance.now() - begin);
    }
    return times;
  }, cells);
  row(`touch to explanation, ${file}`, goal, `${median(times).toFixed(1)} ms (worst ${Math.max(...times).toFixed(1)})`);
  await page.context().close();
}

/** The same for a weight of attention of the small GPT, which has read twenty letters. */
async function touchModel(touches, goal) {
  const { page } = await open("model.html");
  await page.selectOption("#model-kind", "sentences");
  await page.getByRole("button", { name: "Write" }).click();
  await page.locator(".written .letter").nth(20).click();
  await page.locator("table.attention button").first().click();
  await page.waitForSelector("lh-desk .work-line");
  const times = await page.evaluate(async n => {
    const all = [...document.querySelectorAll("table.attention button")], times = [], desk = document.querySelector("lh-desk");
    for (let i = 0; i < n; i++) {
      const shown = new Promise(r => desk.addEventListener("shown", r, { once: true })), begin = performance.now();
      all[(i * 37 + 1) % all.length].click();
      await shown;
      times.push(performance.now() - begin);
    }
    return times;
  }, touches);
  row("touch to explanation, the small GPT", goal, `${median(times).toFixed(1)} ms (worst ${Math.max(...times).toFixed(1)})`);
  await page.context().close();
}

async function edit(file, at, goal) {
  const { page } = await open(file);
  const times = await page.evaluate(async ([at, n]) => {
    const lesson = document.querySelector("article[data-lesson]").lesson, times = [];
    await lesson.engine.ready();
    for (let i = 0; i < n; i++) {
      const begin = performance.now();
      await lesson.change(at, String(0.1 + i / 100));
      times.push(performance.now() - begin);
    }
    return times;
  }, [at, 10]);
  row(`an edit of ${at} in ${file} until every number is new`, goal, `${median(times).toFixed(0)} ms (best ${Math.min(...times).toFixed(0)}, first ${times[0].toFixed(0)})`);
  await page.context().close();
}

async function training() {
  const { page } = await open("ex4.html");
  const ms = await page.evaluate(async () => {
    const engine = document.querySelector("article[data-lesson]").lesson.engine;
    await engine.ready();
    const begin = performance.now(), told = await engine.call("losses", 0, 100000);
    return told.error ? told.error.what : performance.now() - begin;
  });
  row("training ex4, 100,000 steps", "2 s", typeof ms === "number" ? `${(ms / 1000).toFixed(2)} s` : ms);
  await page.context().close();
}

async function micro() {
  const { page } = await open("model.html"), begin = Date.now();
  await page.click("#model-train");
  await page.waitForFunction(() => Number(document.querySelector("#model").dataset.loss) < 2.3, null, { timeout: 60000 });
  row("micro on names, until the loss is below 2.3", "60 s", `${((Date.now() - begin) / 1000).toFixed(1)} s, ${/[\d,]+ tokens/.exec(await page.textContent(".model-said"))} a second`);
  await page.context().close();
}

async function calm(file) {
  const { page } = await open(file);
  await page.waitForTimeout(3000);
  const held = await page.evaluate(() => window.held);
  row(`layout shift; long tasks, ${file}`, "none", `${held.shift.toFixed(3)}; ${held.tasks.filter(t => t > 100).join(", ") || "none over 100 ms"}`);
  await page.context().close();
}

console.log("| | goal | is |\n| --- | --- | --- |");
await bytes();
await touch("ex1.html", 40, "16 ms");
await touch("ex6.html", 40, "16 ms");
await touchModel(40, "100 ms");
await edit("ex6.html", process.argv[3] || "rate", "50 ms");
await training();
await micro();
for (const file of ["index.html", "ex1.html", "ex6.html"]) await calm(file);
await browser.close();
server.close();
