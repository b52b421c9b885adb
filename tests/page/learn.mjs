/* Point 4: watch it learn. */
import { comes, equal, ok, test } from "./harness.mjs";

const open = async (t, file) => {
  const page = await t.open(file);
  await page.locator("details.learn summary").click();
  await page.waitForSelector("svg.curves .curve");
  return page;
};

test("a slider over the steps: the lesson follows, play and pause, reset", async t => {
  const page = await open(t, "ex4.html");
  const cell = page.locator('table[data-value^="dWO"] tbody td').first(), before = await cell.textContent();
  await page.locator("#learn-step").focus();
  for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
  await comes(async () => (await page.textContent("#learn-now")).startsWith("step 5"), true);
  await comes(async () => await cell.textContent() !== before, true, "numbers on the page follow");
  await page.getByRole("button", { name: "One step" }).click();
  await comes(async () => (await page.textContent("#learn-now")).startsWith("step 6"), true);
  await page.getByRole("button", { name: "Play" }).click();
  await comes(async () => Number(/step (\d+)/.exec(await page.textContent("#learn-now"))[1]) > 8, true);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".learn-box").getByRole("button", { name: "Reset" }).click();
  await comes(() => cell.textContent(), before);
});

test("any number as a curve, and two rates over each other", async t => {
  const page = await open(t, "ex4.html");
  await page.fill("#learn-address", "WO[0][3]");
  await page.keyboard.press("Enter");
  await comes(() => page.locator("svg.curves .curve").count(), 2);
  await page.fill("#learn-rate", "0.5");
  await page.keyboard.press("Enter");
  await comes(() => page.locator("svg.curves .curve").count(), 3);
  ok((await page.locator(".curves .name").allTextContents()).includes("rate 0.5"), "each curve has its name");
});

test("a hundred thousand steps, and the page stays quick", async t => {
  const page = await open(t, "ex4.html");
  await page.fill("#learn-count", "100000");
  await page.keyboard.press("Enter");
  const beats = await page.evaluate(() => new Promise(resolve => {
    let n = 0;
    const beat = setInterval(() => { n++; if (/100000 steps in/.test(document.querySelector(".learn-box [role=status]").textContent)) { clearInterval(beat); resolve(n); } }, 10);
  }));
  ok(beats > 5, `the page had its turn ${beats} times while it trained`);
  equal(await page.locator("svg.curves .curve").count(), 1);
});

test("pictures change while it learns: those of the lesson, and any that one asks for", async t => {
  const page = await open(t, "ex2.html"), picture = page.locator("figure.show-bars svg").first();
  await page.fill("#learn-draw", "heat WO");
  await page.keyboard.press("Enter");
  const heat = page.locator(".learn-pictures figure").filter({ hasText: "heat WO" }).locator("svg");
  await heat.waitFor();
  const asked = () => heat.innerHTML(), before = await picture.innerHTML(), askedBefore = await asked();
  await page.locator("#learn-step").focus();
  await page.keyboard.press("End");
  await comes(async () => await picture.innerHTML() !== before && await asked() !== askedBefore, true);
});

test("a region that a network divides moves while it learns", async t => {
  const page = await t.open("networks.html"), region = within => page.locator(`${within} svg`).first().evaluate(svg => Array.from(svg.querySelectorAll(".shade"), s => s.getAttribute("d")).join());
  const inText = () => region('figure[data-draws="points X Y out"]'), textBefore = await inText();
  await page.locator("details.learn summary").click();
  equal(await page.inputValue("#learn-program"), "learn");
  await page.waitForSelector(".learn-pictures svg");
  const drawn = () => region(".learn-pictures"), before = await drawn();
  ok(before.length > 100, "there is a region");
  await page.getByRole("button", { name: "Play" }).click();
  await comes(async () => await drawn() !== before && await inText() !== textBefore, true);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".learn-box").getByRole("button", { name: "Reset" }).click();
  await comes(async () => await drawn() === before && await inText() === textBefore, true, "and is back after a reset");
  const point = page.locator(".learn-pictures .spot").first();
  await point.focus();
  await page.keyboard.press("Enter");
  await comes(async () => (await page.textContent(".desk-title code")).startsWith("learn:X["), true);
});

test("pictures that one asks for stand beside those of the lesson, and what cannot be drawn changes nothing", async t => {
  const page = await t.open("networks.html");
  await page.locator("details.learn summary").click();
  await page.waitForSelector(".learn-pictures svg");
  await page.fill("#learn-draw", "heat W1");
  await page.keyboard.press("Enter");
  await comes(() => page.locator(".learn-pictures svg").count(), 2);
  await page.fill("#learn-draw", "heat nothing");
  await page.keyboard.press("Enter");
  await comes(async () => /nothing/.test(await page.textContent(".learn-box [role=status]")), true);
  equal(await page.locator(".learn-pictures svg").count(), 2);
  const ids = await page.$$eval("[id]", list => list.map(e => e.id));
  equal(ids.filter((id, i) => ids.indexOf(id) !== i), [], "ids twice");
});
