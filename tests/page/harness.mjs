/* harness -- what the page's tests share: a browser, the book over http and from the disk, and a list of tests.
 *
 *     test("a number opens", async t => {
 *         const page = await t.open("ex1.html");
 *         ...
 *         equal(await page.textContent(".desk-title b"), "0.498232");
 *     });
 *
 * t.open takes {width, dark, from: "http" or "file"}. An error in the page's script or on its console fails the test, whatever it looked at. */
import { createServer } from "node:http";
import { readFile, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";

export const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const types = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2", ".webmanifest": "application/manifest+json" };

export const tests = [];

/** @param {string} name @param {(t: any) => Promise<void>} does */
export function test(name, does) {
  tests.push({ name, does });
}

export function ok(value, why = "") {
  if (!value) throw new Error(why || "this should be true");
}

export function equal(is, should, why = "") {
  const a = JSON.stringify(is), b = JSON.stringify(should);
  if (a !== b) throw new Error(`${why ? why + ": " : ""}is ${a}, should be ${b}`);
}

/** How long something may take before the test gives up: no verdict on speed, since machines may be slow and busy. */
const patience = Number(process.env.PATIENCE) || 90000;

/** Waits until what `look` gives is `should`. */
export async function comes(look, should, why = "") {
  let is;
  for (const end = Date.now() + patience; Date.now() < end; await new Promise(r => setTimeout(r, 40))) {
    is = await look();
    if (JSON.stringify(is) === JSON.stringify(should)) return;
  }
  equal(is, should, why);
}

/** The page's script has found everything on it: each number can be touched, each form is there. */
export async function alive(page) {
  await page.waitForFunction(() => document.readyState === "complete" && (!document.body.hasAttribute("data-life") ||
    (!document.querySelector("article[data-lesson] [data-at]:not(.alive)") && [...document.querySelectorAll("#practice, #play, #model, #teach")].every(e => e.querySelector("form, .row")))));
}

/** The book as a web space; gzip is left to the bench. */
export function serve(folder) {
  const server = createServer(async (request, answer) => {
    const name = decodeURIComponent(new URL(request.url, "http://localhost").pathname.slice(1)) || "index.html";
    try {
      const body = await readFile(join(folder, name.replace(/\.\./g, "")));
      answer.writeHead(200, { "content-type": types[extname(name)] || "text/plain" }).end(body);
    } catch { answer.writeHead(404).end("there is no such file"); }
  });
  return new Promise(resolve => server.listen(0, "127.0.0.1", () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/` })));
}

/** One test at a time: its pages are closed at its end. */
class Trial {
  constructor(browser, folder, address) {
    this.browser = browser;
    this.folder = folder;
    this.address = address;
    this.contexts = [];
    this.errors = [];
  }

  async open(file, { width = 1280, height = 800, dark = false, from = "http", touch = false, script = true, still = false } = {}) {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch, javaScriptEnabled: script, reducedMotion: still ? "reduce" : "no-preference", acceptDownloads: true });
    this.contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on("pageerror", e => this.errors.push(e.message));
    page.on("console", m => { if (m.type() === "error") this.errors.push(m.text()); });
    await page.goto((from === "file" ? `file://${this.folder}/` : this.address) + file);
    return page;
  }

  async end() {
    for (const c of this.contexts) await c.close();
    if (this.errors.length) throw new Error("the page complains: " + this.errors.slice(0, 3).join(" | "));
  }
}

/** @param {string} folder @param {string} [only] a part of the names of the tests to run */
export async function runAll(folder, only = "") {
  const { server, address } = await serve(folder);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
  const left = tests.filter(t => t.name.includes(only));
  let passed = 0, failed = 0;
  const work = async () => {
    for (let t = left.shift(); t; t = left.shift()) {
      const begin = Date.now(), wrong = await tryOne(new Trial(browser, folder, address), t.does);
      if (wrong) failed++;
      else passed++;
      console.log(`${wrong ? "not ok" : "ok"} ${passed + failed} ${t.name} (${Date.now() - begin} ms)${wrong ? "\n  # " + (wrong.message || String(wrong)).split("\n").slice(0, 6).join("\n  # ") : ""}`);
    }
  };
  await Promise.all([work(), work()]); /* two at a time: each has pages of its own */
  await browser.close();
  server.close();
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0;
}

/** @param {Trial} trial @param {(t: any) => Promise<void>} does @returns {Promise<any>} what went wrong, or null */
async function tryOne(trial, does) {
  let wrong = null;
  try { await does(trial); } catch (e) { wrong = e; }
  try { await trial.end(); } catch (e) { wrong = wrong || e; }
  return wrong;
}

export async function emptyFolder() {
  return mkdtemp(join(tmpdir(), "longhand-page-"));
}
