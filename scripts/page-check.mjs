// Looks at the pages of `longhand book` as a browser shows them: axe (WCAG 2.1 A and AA) in light and dark, no page wider than
// a screen of 360 pixels, no message of the browser's. Not part of `make test`: it needs Node, Chromium and two packages.
//
//     npm install --prefix /tmp/axe playwright-core @axe-core/playwright
//     longhand book -o /tmp/course && NODE_PATH=/tmp/axe/node_modules node scripts/page-check.mjs /tmp/course [PICTURES]
//
// Exit status 1 when something is wrong. PICTURES: a folder for a picture of each page in each width and colour.
import { createRequire } from "node:module";
import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const load = createRequire(resolve(process.env.NODE_PATH ?? "node_modules", "any.js"));
const { chromium } = load("playwright-core");
const { AxeBuilder } = load("@axe-core/playwright");
const [folder, pictures] = process.argv.slice(2);
if (!folder) throw new Error("usage: node scripts/page-check.mjs FOLDER [PICTURES]");
const browserPath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync);
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
const pages = readdirSync(folder).filter((name) => name.endsWith(".html") && !name.startsWith("."));
let wrong = 0, checks = 0;

function fail(text) {
  wrong++;
  console.log(text);
}

// The switch of colours and the search, as somebody would use them.
async function useIt(page, where) {
  const colour = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await colour();
  await page.click("#theme");
  if ((await colour()) === before) fail(`${where}: the switch changes no colour`);
  await page.reload();
  if ((await colour()) === before) fail(`${where}: the switch is forgotten`);
  await page.fill("#search", "softmax");
  await page.waitForSelector("#found a", { timeout: 5000 }).catch(() => fail(`${where}: the search finds no softmax`));
  checks += 3;
}

for (const name of pages) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [360, 800, 1280]) {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } });
      const page = await context.newPage();
      let isAxe = false;
      const where = `${name} ${colorScheme} ${width}px`;
      page.on("pageerror", (error) => fail(`${where}: ${error.message}`));
      page.on("console", (message) => message.type() === "error" && !isAxe && fail(`${where}: ${message.text()}`));
      page.on("request", (request) => request.url().startsWith("file:") || fail(`${where}: asks for ${request.url()}`));
      await page.goto(pathToFileURL(resolve(folder, name)).href);
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      checks++;
      if (over > 0) fail(`${where}: ${over} pixels too wide`);
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}-${width}.png`, fullPage: true });
      if (width !== 800) {
        isAxe = true; // it asks for the style sheets once more, which pages from a disk may not
        const found = await new AxeBuilder({ page }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]).analyze();
        checks++;
        for (const rule of found.violations)
          fail(`${where}: ${rule.id}: ${rule.help}\n` + rule.nodes.slice(0, 3).map((n) => `    ${n.html.slice(0, 160)}`).join("\n"));
      }
      if (width === 800) await useIt(page, where);
      await context.close();
    }
  }
}
await browser.close();
console.log(`${pages.length} pages, ${checks} checks, ${wrong} wrong`);
process.exit(wrong || !pages.length ? 1 : 0);
