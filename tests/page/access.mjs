/* WCAG: axe on every page in both colours, 360 pixels, zoom, reduced motion. */
import AxeBuilder from "@axe-core/playwright";
import { readdirSync } from "node:fs";
import { alive, comes, equal, ok, test } from "./harness.mjs";

const say = found => found.map(v => `${v.id}: ${v.nodes.slice(0, 2).map(n => n.target.join(" ")).join(", ")}`);
const pagesOf = t => readdirSync(t.folder).filter(f => f.endsWith(".html")).sort();

/* Each page in one colour and at one width in turn, so that every kind of page meets all four; AXE=all looks at each page in all of them. */
const looks = [{ dark: false, width: 1280 }, { dark: true, width: 360 }, { dark: true, width: 1280 }, { dark: false, width: 360 }];

looks.forEach((look, turn) =>
  test(`axe finds nothing, ${look.dark ? "dark" : "light"}, ${look.width} pixels wide`, async t => {
    const bad = [], page = await t.open("index.html", look);
    for (const file of pagesOf(t).filter((_, i) => process.env.AXE === "all" || i % looks.length === turn)) {
      await page.goto(t.address + file);
      await alive(page);
      /* In the page itself, and without the long list of what is in order: both take most of its time. */
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ["violations"] }).withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"])
        .disableRules(["empty-table-header"]).analyze(); /* that rule takes a formula for nothing */
      for (const line of say(violations)) bad.push(`${file} ${line}`);
    }
    equal(bad.slice(0, 12), []);
  }));

test("axe finds nothing with the panel, a field and blanks open", async t => {
  for (const dark of [false, true]) {
    const page = await t.open("ex1.html", { dark });
    await page.locator('table[data-value="S"] td[data-at="S[1][0]"]').first().click();
    await page.waitForSelector(".work-line");
    equal(say((await new AxeBuilder({ page }).analyze()).violations), [], "the panel");
    await page.getByRole("button", { name: "Work out S yourself" }).click();
    await page.waitForSelector(".has-blanks input");
    await page.getByRole("button", { name: "Check" }).click();
    equal(say((await new AxeBuilder({ page }).analyze()).violations), [], "blanks");
    await page.locator('[data-at="WQ[0][0]"]').first().focus();
    await page.keyboard.press("Enter");
    equal(say((await new AxeBuilder({ page }).analyze()).violations), [], "a field");
  }
});

test("at 360 pixels, and at 640 as with 200 % zoom, no page is wider than the screen", async t => {
  const bad = [];
  for (const width of [360, 640]) {
    const page = await t.open("index.html", { width });
    for (const file of readdirSync(t.folder).filter(f => f.endsWith(".html"))) {
      await page.goto(t.address + file);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      if (wide > width) bad.push(`${file}: ${wide} at ${width}`);
    }
  }
  equal(bad, []);
});

test("reduced motion: nothing moves by itself", async t => {
  const page = await t.open("ex1.html", { still: true });
  await page.locator('[data-at="WQ[0][0]"]').first().focus();
  await page.keyboard.press("+");
  await comes(() => page.locator('[data-at="Q[0][0]"]').first().textContent(), "0.2");
  const moving = await page.evaluate(() => document.getAnimations().length);
  ok(moving === 0, `${moving} animations`);
});

test("the focus is visible", async t => {
  const page = await t.open("ex1.html");
  await page.keyboard.press("Tab");
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press("Tab");
    const shown = await page.evaluate(() => { const s = getComputedStyle(document.activeElement); return s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 2; });
    ok(shown, await page.evaluate(() => document.activeElement.outerHTML.slice(0, 120)));
  }
});
