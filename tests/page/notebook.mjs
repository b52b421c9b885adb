/* Numbers in a notebook answer as on a page. The notebook is tests/page/notebook.py, exported by nbconvert; the truth is what the commands say. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { comes, equal, ok, test } from "./harness.mjs";

const folder = resolve(process.argv[2] || ".", "notebook"), file = join(folder, "notebook.html");
const longhand = (...words) => JSON.parse(execFileSync(process.env.LONGHAND || "longhand", [...words, "--json"], { encoding: "utf8" }));
const six = x => String(Number(Number(x).toPrecision(6)));
const output = (page, n) => page.locator("longhand-output").nth(n);
const cell = (page, n, at) => output(page, n).locator(`[data-at="${at}"]`).first();
const desk = (page, n) => output(page, n).locator("lh-desk");
const focused = page => page.evaluate(() => document.activeElement.shadowRoot.activeElement.dataset.at);

/** The notebook, with every output awake. */
async function openNotebook(t, how = {}) {
  const page = await t.open("notebook/notebook.html", { from: "file", ...how });
  if (how.script !== false) await page.waitForFunction(() => [...document.querySelectorAll("longhand-output")].every(e => e.shadowRoot && !e.shadowRoot.querySelector("[data-at]:not(.alive)")));
  return page;
}

/** The desk of output n tells what the command tells. */
async function tells(page, n, address, ...words) {
  const told = longhand("explain", words[0], address, ...words.slice(1)), lines = told.lines;
  await comes(() => desk(page, n).locator(".desk-title b").textContent(), six(told.value));
  equal(await desk(page, n).locator(".work-label").allTextContents(), lines.map(l => l.label));
  equal((await desk(page, n).locator(".work-formula").allTextContents()).map(s => s.trim()), lines.map(l => "= " + l.formula));
  const numbers = lines.map(l => l.numbers), shown = (await desk(page, n).locator(".work-numbers").allTextContents()).map(s => s.trim().slice(2));
  ok(shown.every(s => numbers.includes(s)) && shown.length > 0, `${shown} is not among ${numbers}`);
}

if (existsSync(file)) {
  test("in a notebook, a number opens and tells what longhand explain tells", async t => {
    const page = await openNotebook(t);
    await cell(page, 0, "H[1][0]").click();
    await tells(page, 0, "H[1][0]", "ex1");
    for (const at of ["P[1][0]", "P[1][1]", "V[0][0]", "V[1][0]"]) ok(await output(page, 0).locator(`.lit[data-at="${at}"]`).count() > 0, `${at} is not lit`);
    equal(await page.locator(".lit").count(), await output(page, 0).locator(".lit").count(), "another output is lit");
    equal(await output(page, 0).locator('.lit[data-at="P[0][0]"]').count(), 0, "what is no operand is lit");
  });

  test("in a notebook, one goes deeper and back by the trail", async t => {
    const page = await openNotebook(t);
    await cell(page, 0, "H[1][0]").click();
    await desk(page, 0).locator('.operand[data-to="P[1][0]"]').first().click();
    await tells(page, 0, "P[1][0]", "ex1");
    equal(await desk(page, 0).locator(".desk-trail button").allTextContents(), ["H[1][0]", "P[1][0]"]);
    await desk(page, 0).locator(".desk-trail button").first().click();
    await tells(page, 0, "H[1][0]", "ex1");
    await page.keyboard.press("Escape");
    ok(await desk(page, 0).isHidden(), "Escape closes");
    equal(await page.locator(".lit").count(), 0, "nothing stays lit");
  });

  test("in a notebook, by keyboard alone, and no key reaches the notebook", async t => {
    const page = await openNotebook(t);
    await page.evaluate(() => { window.heard = []; document.addEventListener("keydown", e => window.heard.push(e.key)); });
    await cell(page, 0, "S[0][0]").focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    equal(await focused(page), "S[1][1]");
    await page.keyboard.press("Enter");
    await tells(page, 0, "S[1][1]", "ex1");
    ok(await desk(page, 0).evaluate(d => d.contains(d.getRootNode().activeElement)), "the focus is in the panel");
    await desk(page, 0).locator(".operand").first().focus();
    await page.keyboard.press("Enter");
    await comes(() => desk(page, 0).locator(".desk-trail button").count(), 2);
    await page.keyboard.press("Escape");
    equal(await focused(page), "S[1][1]", "the focus comes back");
    equal(await page.evaluate(() => window.heard), []);
  });

  test("in a notebook, pointing at a number shows where it comes from", async t => {
    const page = await openNotebook(t);
    await cell(page, 0, "Z[1][1]").hover();
    await comes(() => output(page, 0).locator(".lh-tip").isVisible(), true);
    ok((await output(page, 0).locator(".lh-tip").textContent()).includes("S[1][1] / sqrt(2)"));
    const [number, tip] = await Promise.all([cell(page, 0, "Z[1][1]").boundingBox(), output(page, 0).locator(".lh-tip").boundingBox()]);
    ok(Math.abs(tip.y + tip.height - number.y) < 40 || Math.abs(number.y + number.height - tip.y) < 40, "the note is beside its number");
  });

  test("in a notebook, an explanation and a picture answer too", async t => {
    const page = await openNotebook(t);
    await cell(page, 1, "P.e[1][0]").click();
    await comes(() => desk(page, 1).locator(".desk-title b").textContent(), six(longhand("explain", "ex1", "P.e[1][0]").value));
    await output(page, 2).locator('svg [data-at="P[1][0]"]').click();
    await tells(page, 2, "P[1][0]", "ex1");
    const point = output(page, 6).locator(".spot").nth(1), at = await point.getAttribute("data-at");
    await point.click();
    await comes(() => desk(page, 6).locator(".desk-title b").textContent(), six(longhand("explain", "ex1", at).value));
  });

  test("in a notebook, numbers after training and settings", async t => {
    const page = await openNotebook(t);
    await cell(page, 3, "probs[2]@3").click();
    await tells(page, 3, "probs[2]@3", "ex2", "--set", "rate=1");
    await cell(page, 3, "WO[1][2]@4").click();
    await comes(() => desk(page, 3).locator(".desk-title b").textContent(), six(longhand("explain", "ex2", "WO[1][2]@4", "--set", "rate=1").value));
    await cell(page, 4, "Q[0][1]").click();
    await tells(page, 4, "Q[0][1]", "ex1", "--set", "WQ=[0.1 2; 0 0.1]");
    await cell(page, 5, "P{example 1}[1][0]").click();
    await tells(page, 5, "P{example 1}[1][0]", "ex4");
  });

  test("in a notebook, a given is changed, numbers follow, and the notebook's come back", async t => {
    const page = await openNotebook(t), given = cell(page, 0, "WQ[0][0]"), before = await cell(page, 0, "P[0][0]").textContent();
    await given.focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type("3");
    await page.keyboard.press("Enter");
    const after = longhand("explain", "ex1", "P[0][0]", "--set", "WQ=[3 0; 0 0.1]");
    await comes(() => cell(page, 0, "P[0][0]").textContent(), six(after.value));
    equal(await output(page, 1).locator('[data-at="P[1][0]"]').first().textContent(), "0.498232", "another output follows");
    equal(page.url().includes("WQ"), false, "the address bar is the notebook's");
    await output(page, 0).getByRole("button", { name: "Reset" }).click();
    await comes(() => cell(page, 0, "P[0][0]").textContent(), before);
    const other = cell(page, 4, "WQ[0][1]");
    await other.focus();
    await page.keyboard.press("+");
    await comes(() => other.textContent(), "2.1");
    await output(page, 4).getByRole("button", { name: "Reset" }).click();
    await comes(() => other.textContent(), "2", "what Python has set comes back");
  });

  test("in a notebook, what a page cannot repeat does not answer, and says nothing wrong", async t => {
    const page = await openNotebook(t);
    equal(await page.locator("longhand-output").count(), 7);
    equal(await page.locator("div.longhand table:not(.matrix)").count(), 3, "its tables are there, one for each example");
    /* The same output with another number in it. */
    await page.evaluate(() => {
      const e = document.querySelectorAll("longhand-output")[5], again = e.cloneNode();
      again.innerHTML = e.shadowRoot.querySelector("article").innerHTML.replace(/(data-at="L{example 0}"[^>]*>)[^<]*/, "$10.5");
      e.replaceWith(again);
    });
    await cell(page, 5, "P{example 1}[1][0]").hover();
    await comes(async () => (await output(page, 5).locator(".quiet").last().textContent()).startsWith("These numbers cannot be opened here: L{example 0} is 0.5 in Python"), true);
    equal(await output(page, 5).locator("[data-at]").count(), 0);
  });

  test("a notebook without scripts shows the same numbers", async t => {
    const page = await openNotebook(t, { script: false });
    equal(await page.locator('longhand-output [data-at="P[1][0]"]').first().textContent(), "0.498232");
    ok(await page.locator("longhand-output table").first().isVisible());
    const text = readFileSync(join(folder, "notebook.md"), "utf8");
    ok(text.includes("0.498232") && !text.includes("longhandEngine") && !text.includes("<script"), "Markdown has the tables and no script");
  });

  test("a notebook has the engine once, and its own styles stay", async t => {
    const html = readFileSync(file, "utf8"), script = /<script type="text\/javascript">(?:(?!<\/script>)[^])*longhandEngine\("[^]*?<\/script>/.exec(html)[0];
    equal(html.split('longhandEngine("').length - 1, 1);
    ok(script.length < 600000, `the script has ${script.length} bytes`);
    const look = () => ["#theirs td", "#word button", "#word"].map(s => { const c = getComputedStyle(document.querySelector(s)); return [c.color, c.backgroundColor, c.font, c.padding, c.border]; });
    const page = await openNotebook(t), still = await openNotebook(t, { script: false });
    equal(await page.evaluate(look), await still.evaluate(look));
    await page.evaluate(text => { (0, eval)(text); }, script.replace(/^<script[^>]*>|<\/script>$/g, "").replace(/var element = [^\n]*/, ""));
    await cell(page, 0, "P[1][0]").click();
    await tells(page, 0, "P[1][0]", "ex1");
  });

  for (const dark of [false, true])
    test(`in a ${dark ? "dark" : "light"} notebook, all can be read`, async t => {
      const page = await openNotebook(t);
      if (dark) await page.addStyleTag({ content: "body, .jp-OutputArea-output, .jp-RenderedHTMLCommon { background: #111 !important; color: #eee !important; }" });
      await cell(page, 0, "H[1][0]").click();
      await tells(page, 0, "H[1][0]", "ex1");
      equal(await output(page, 0).getAttribute("data-theme"), dark ? "dark" : "light");
      const found = await new AxeBuilder({ page }).include("longhand-output").analyze();
      equal(found.violations.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 150)} ${v.nodes[0].failureSummary}`), []);
    });
}
