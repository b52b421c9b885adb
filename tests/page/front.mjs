/* Point 7: the front page. */
import { comes, equal, ok, test } from "./harness.mjs";

test("three minutes on a telephone: move a weight, open a number three levels deep, a matrix filled in wrongly", async t => {
  const page = await t.open("index.html", { width: 360, height: 740, touch: true });
  const probability = page.locator('td[data-at="probs[3]"]').first();
  const before = await probability.textContent();
  await page.locator("#weight").focus();
  for (let i = 0; i < 20; i++) await page.keyboard.press("ArrowRight");
  await comes(async () => Number(await probability.textContent()) > Number(before), true, "the weight moves the answer");
  const [bar, slider] = [await page.locator(".changes").boundingBox(), await page.locator("#weight").boundingBox()];
  ok(bar.y > slider.y + slider.height || bar.y + bar.height < slider.y, "the bar of changes lies over the slider");
  await page.locator('td[data-at="probs[2]"]').first().tap();
  await page.waitForSelector(".work-line");
  for (const name of ["logits", "H[", "P["]) {
    await page.locator(`lh-desk .operand[data-to^="${name}"]`).first().tap();
    await comes(async () => (await page.textContent(".desk-title code")).startsWith(name), true);
  }
  equal(await page.locator(".desk-trail li").count(), 4);
  await page.getByRole("button", { name: "Work out P yourself" }).tap();
  await page.waitForSelector("table.has-blanks input");
  const fields = page.locator("table.has-blanks input");
  for (const [i, x] of ["0.1192", "0.8808", "0.0180", "0.9820"].entries()) await fields.nth(i).fill(x);
  await page.getByRole("button", { name: "Check" }).tap();
  await comes(async () => /known mistake: the scores were not divided by the square root/.test(await page.textContent(".blanks-said")), true);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  ok(wide <= 360, `the page is ${wide} wide`);
});

test("the drawing leads to the lessons, and a lesson shows where it is", async t => {
  const page = await t.open("index.html");
  const broken = [];
  for (const href of await page.$$eval(".whole a, .ways a", a => a.map(x => x.getAttribute("href")))) {
    const answer = await page.request.get(t.address + href);
    if (!answer.ok()) broken.push(href);
  }
  equal(broken, []);
  await page.locator('.whole a[href="cross.html"]').first().click();
  await page.waitForURL(/cross\.html/);
  await comes(() => page.locator('.where a[aria-current="page"]').getAttribute("href"), "cross.html");
});

test("offline after the first visit", async t => {
  const page = await t.open("ex1.html");
  await page.evaluate(() => navigator.serviceWorker.ready);
  await comes(() => page.evaluate(async () => !!(await (await caches.open("longhand")).match("ex2.html"))), true);
  await page.context().setOffline(true);
  await page.goto(t.address + "ex2.html");
  await page.locator('[data-at="context[0]"]').first().click();
  await page.waitForSelector(".work-line");
  await page.context().setOffline(false);
});
