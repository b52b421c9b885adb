/* Point 1 in pictures: points, arrows, curves and shades show numbers without writing them, and each can be asked. */
import { comes, equal, ok, test } from "./harness.mjs";

/** Where a spot is on the screen, after the picture was brought there. */
async function middleOf(page, selector) {
  const spot = page.locator(selector).first();
  await spot.scrollIntoViewIfNeeded();
  const box = await spot.boundingBox();
  return [box.x + box.width / 2, box.y + box.height / 2];
}

test("a point opens by the pointer, with both of its numbers", async t => {
  const page = await t.open("networks.html"), at = '.show-points [data-at="h[1][1]"][data-across="h[1][0]"]';
  const [x, y] = await middleOf(page, at);
  await page.mouse.move(x + 3, y - 2);
  await comes(() => page.locator(".lh-tip").isVisible(), true);
  const tip = await page.textContent(".lh-tip");
  ok(tip.includes("h[1][0] =") && tip.includes("h[1][1] ="), tip);
  await page.mouse.click(x + 3, y - 2);
  await comes(() => page.textContent(".desk-title code"), "h[1][1]");
  ok(await page.locator(at + ".chosen").count() > 0, "the point is not marked as the one that is spoken of");
  await page.getByRole("button", { name: "Its place along the bottom, h[1][0]" }).click();
  await comes(() => page.locator(".desk-trail button").allTextContents(), ["h[1][1]", "h[1][0]"]);
});

test("a curve of losses opens by keyboard: arrows go along it", async t => {
  const page = await t.open("ex3.html"), first = page.locator(".show-loss .spot").first();
  await first.focus();
  equal(await page.locator(".show-loss svg").first().locator('[tabindex="0"]').count(), 1, "stops of the Tab key in the picture");
  const start = await first.getAttribute("data-at");
  for (let i = 0; i < 3; i++) await page.keyboard.press("ArrowRight");
  equal(await page.evaluate(() => document.activeElement.dataset.at), `${start}@3`);
  const label = await page.evaluate(() => document.activeElement.getAttribute("aria-label"));
  await page.keyboard.press("Enter");
  await comes(() => page.textContent(".desk-title code"), `${start}@3`);
  equal(label, `${start}@3 = ${await page.textContent(".desk-title b")}`);
});

test("shades without numbers, and arrows, have theirs", async t => {
  const page = await t.open("positions.html"), stripe = page.locator(".show-heat .spot").nth(20);
  await stripe.click();
  await comes(async () => `${await page.textContent(".desk-title code")} = ${await page.textContent(".desk-title b")}`, await stripe.getAttribute("aria-label"));
  const other = await t.open("rope.html");
  ok(await other.locator(".show-vectors .spot[data-across]").count() > 1, "arrows cannot be touched");
});

test("points follow an edit, and what is read aloud of them too", async t => {
  const page = await t.open("ex2.html"), spot = page.locator(".show-loss .spot").nth(5), heat = page.locator(".show-heat text[data-at]").first();
  const before = [await spot.getAttribute("aria-label"), await spot.getAttribute("y")];
  const wrong = await page.evaluate(() => document.querySelector("article[data-lesson]").lesson.change("rate", "3"));
  equal(wrong, "");
  const after = [await spot.getAttribute("aria-label"), await spot.getAttribute("y")];
  ok(before[0] !== after[0] && before[1] !== after[1], `${before} and ${after}`);
  if (await heat.count()) equal(await heat.getAttribute("aria-label"), `${await heat.getAttribute("data-at")} = ${await heat.textContent()}`);
});

test("a finger finds the nearest number of a curve", async t => {
  const page = await t.open("ex2.html", { width: 360, touch: true });
  const [x, y] = await middleOf(page, '.show-loss .spot[data-at$="@40"]');
  await page.touchscreen.tap(x, y + 9);
  await comes(async () => /@(39|40|41)$/.test(await page.textContent(".desk-title code")), true);
});

test("curves that are drawn while one watches it learn can be touched", async t => {
  const page = await t.open("ex2.html");
  await page.click("details.learn summary");
  await page.waitForSelector(".learn .curves .spot");
  const at = '.learn .curves .spot[data-at$="@50"]';
  const [x, y] = await middleOf(page, at), label = await page.locator(at).getAttribute("aria-label");
  await page.mouse.click(x, y);
  await comes(async () => `${await page.textContent(".desk-title code")} = ${await page.textContent(".desk-title b")}`, label);
});
