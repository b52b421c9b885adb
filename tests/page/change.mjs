/* Point 2: any given can be changed in place, and the whole lesson follows. */
import { comes, equal, ok, test } from "./harness.mjs";

const cell = (page, at) => page.locator(`[data-at="${at}"]`).first();
const text = (page, at) => cell(page, at).textContent();

test("typing another value: matrices and prose follow", async t => {
  const page = await t.open("ex1.html");
  const before = await page.locator('p .n[data-at="P[1][0]"]').first().textContent();
  await cell(page, "E[0][0]").dblclick();
  await page.keyboard.type("9");
  await page.keyboard.press("Enter");
  await comes(() => text(page, "X[0][0]"), "9");
  ok(await page.locator('p .n[data-at="P[1][0]"]').first().textContent() !== before || await text(page, "Q[0][0]") !== "0.1", "the prose follows");
});

test("by keyboard: + and - in place, Enter to type, Escape leaves it", async t => {
  const page = await t.open("ex1.html");
  await cell(page, "WQ[0][0]").focus();
  await page.keyboard.press("+");
  await comes(() => text(page, "WQ[0][0]"), "0.2");
  await comes(() => text(page, "Q[0][0]"), "0.2");
  await page.keyboard.press("-");
  await comes(() => text(page, "WQ[0][0]"), "0.1");
  await page.keyboard.press("Enter");
  await page.keyboard.type("7");
  await page.keyboard.press("Escape");
  equal(await text(page, "WQ[0][0]"), "0.1");
});

test("dragging moves it", async t => {
  const page = await t.open("ex1.html");
  const c = cell(page, "WQ[0][0]");
  await c.scrollIntoViewIfNeeded();
  const box = await c.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 30, box.y + box.height / 2, { steps: 6 });
  await page.mouse.up();
  await comes(async () => Number(await text(page, "WQ[0][0]")) > 0.3, true);
  ok(await page.locator("lh-desk").isHidden(), "a drag opens no panel");
});

test("undo, reset, and the address bar", async t => {
  const page = await t.open("ex1.html");
  await cell(page, "WQ[0][0]").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("0.5");
  await page.keyboard.press("Enter");
  await comes(() => text(page, "Q[0][0]"), "0.5");
  await comes(async () => page.url().includes("?WQ[0][0]=0.5"), true, "the address bar has it");
  const other = await t.open(page.url().split("/").pop());
  await comes(() => text(other, "Q[0][0]"), "0.5", "a link gives the same numbers");
  await page.getByRole("button", { name: "Undo" }).click();
  await comes(() => text(page, "Q[0][0]"), "0.1");
  await cell(page, "WQ[0][0]").focus();
  await page.keyboard.press("+");
  await comes(() => text(page, "Q[0][0]"), "0.2");
  await page.getByRole("button", { name: "Reset" }).click();
  await comes(() => text(page, "Q[0][0]"), "0.1");
  ok(!page.url().includes("?"), "the address bar is clean again");
});

test("a sentence that no longer holds says so, with both numbers", async t => {
  const page = await t.open("ex1.html#?WO=[0.1+0+0+9;0+0+0.1+9]");
  await comes(async () => await page.locator(".claim.broken").count() > 0, true);
  const said = await page.locator(".claim.broken").first().textContent();
  ok(said.includes("held with the lesson’s numbers"), said);
  await page.getByRole("button", { name: "Reset" }).click();
  await comes(() => page.locator(".claim.broken").count(), 0);
});

test("a value that does not fit is refused, and all goes on", async t => {
  const page = await t.open("ex1.html");
  await cell(page, "WQ[0][0]").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("abc");
  await page.keyboard.press("Enter");
  equal(await page.locator("input.in-place").getAttribute("aria-invalid"), "true");
  await page.keyboard.press("Escape");
  await page.keyboard.press("+");
  await comes(() => text(page, "Q[0][0]"), "0.2");
});

test("pictures follow", async t => {
  const page = await t.open("ex1.html");
  const before = await page.locator('figure.show-heat').first().innerHTML();
  await cell(page, "WQ[0][0]").focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("40");
  await page.keyboard.press("Enter");
  await comes(async () => await page.locator("figure.show-heat").first().innerHTML() !== before, true);
});

test("a check is made again with the reader's numbers", async t => {
  const page = await t.open("ex3.html");
  await cell(page, "WQ[0][0]").focus();
  await page.keyboard.press("+");
  await comes(async () => /With your numbers:.*agree with differences/.test(await page.textContent("figure.show-check")), true);
  await page.getByRole("button", { name: "Reset" }).click();
  await comes(() => page.locator(".still p").count(), 0);
});

test("a figure that cannot be shown with the reader's numbers is there again after undo", async t => {
  const page = await t.open("ex3.html"), lesson = what => page.evaluate(what), figure = page.locator("figure.show-jacobian .shown");
  const before = await figure.textContent();
  equal(await lesson(() => document.querySelector("article[data-lesson]").lesson.change("WQ", "[2 0; 0 2]")), "");
  await lesson(() => { const l = document.querySelector("article[data-lesson]").lesson, show = Number(document.querySelector("figure.show-jacobian").dataset.show); l.putShow({ show, error: { what: "no", cure: "" } }); });
  ok(/cannot be shown/.test(await figure.textContent()), "it is not said");
  equal(await lesson(() => document.querySelector("article[data-lesson]").lesson.undo()), "");
  equal((await figure.textContent()).trim(), before.trim());
});
