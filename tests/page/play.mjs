/* Point 6: the playground. */
import { readFileSync } from "node:fs";
import { comes, equal, ok, test } from "./harness.mjs";

test("shapes beside lines, an error under its place with a cure, and values that open", async t => {
  const page = await t.open("play.html");
  const area = page.locator(".editor-area");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("4x2"), true);
  await area.fill("const A = [1 2; 3 4]\nconst B = [1 2 3; 4 5 6]\nC = A @ B\nD = C @ B\n");
  await comes(async () => (await page.locator(".error-box").count()) > 0 && (await page.textContent(".error-box")).includes("inner sizes"), true);
  ok((await page.textContent(".error-box pre")).includes("^"), "a mark is under the place");
  ok(await page.locator(".editor-line.has-error").count() === 1);
  await area.fill("const A = [1 2; 3 4]\nconst B = [1 2 3; 4 5 6]\nC = A @ B\n");
  await comes(() => page.locator(".error-box").count(), 0);
  await page.getByRole("button", { name: "Show all values" }).click();
  await page.locator('td[data-at="C[1][2]"]').click();
  await comes(() => page.textContent(".desk-title b"), "33");
});

test("names are completed, by keyboard", async t => {
  const page = await t.open("play.html");
  const area = page.locator(".editor-area");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("4x2"), true);
  await area.fill("const weights = [1 2; 3 4]\n");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("4x2"), false, "the first program is gone");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("2x2"), true);
  await area.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("B = wei");
  await comes(() => page.locator(".editor-names").isVisible(), true);
  await page.keyboard.press("Enter");
  ok((await area.inputValue()).endsWith("B = weights"), await area.inputValue());
});

test("share by link, save and open", async t => {
  const page = await t.open("play.html");
  const text = "const A = [1 2; 3 4]\nB = A @ A   # <b>ä\n";
  await page.locator(".editor-area").fill(text);
  await page.getByRole("button", { name: "Share" }).click();
  await comes(async () => page.url().includes("#p="), true);
  const other = await t.open(page.url().split("/").pop());
  await comes(() => other.locator(".editor-area").inputValue(), text);
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save" }).click()]);
  equal(readFileSync(await saved.path(), "utf8"), text);
  await other.setInputFiles("#open-file", { name: "x.lh", mimeType: "text/plain", buffer: Buffer.from("C = 1 + 2\n") });
  await comes(() => other.locator(".editor-area").inputValue(), "C = 1 + 2\n");
});

test("a runaway program is stopped, and the page goes on", async t => {
  const page = await t.open("play.html");
  await page.locator(".editor-area").fill("const A : 3000 x 3000 = normal(1)\nB = A @ A\nC = B @ A\n");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("3000x3000"), true);
  await page.getByRole("button", { name: "Show all values" }).click();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.locator(".editor-area").fill("C = 1 + 2\n");
  await comes(async () => (await page.textContent(".play-values")).includes("C"), true);
});

test("a picture of a value", async t => {
  const page = await t.open("play.html");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("4x2"), true);
  await page.fill("#plot", "heat P");
  await page.keyboard.press("Enter");
  await comes(() => page.locator(".play-answer svg.chart").count(), 1);
  const inPicture = page.locator('.play-answer [data-at="P[0][0]"]');
  await inPicture.click();
  await comes(() => page.textContent(".desk-title code"), "P[0][0]");
  const before = await inPicture.textContent();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Show all values" }).click();
  await page.locator('td[data-at="WQ[0][0]"]').focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("9");
  await page.keyboard.press("Enter");
  await comes(async () => await inPicture.textContent() !== before, true, "the picture follows an edit");
  await page.fill("#plot", "heat nothing");
  await page.keyboard.press("Enter");
  await comes(() => page.locator(".error-box").count(), 1);
});

test("gradients are checked, cost is counted, it trains", async t => {
  const page = await t.open("play.html");
  await page.selectOption("#sample", { label: "A line that learns" });
  await comes(async () => (await page.locator(".editor-area").inputValue()).includes("backward"), true);
  await page.getByRole("button", { name: "Train 100 steps" }).click();
  await comes(() => page.locator(".play-answer svg.curves").count(), 1);
  await page.locator('.play-answer p [data-at="loss@100"]').click();
  await comes(() => page.textContent(".desk-title code"), "loss@100");
  await page.getByRole("button", { name: "Check gradients" }).click();
  await comes(async () => /✓|in order/.test(await page.textContent(".play-answer")), true);
  await page.getByRole("button", { name: "Cost" }).click();
  await comes(async () => (await page.textContent(".play-answer")).includes("Parameters"), true);
  await page.locator('.play-answer [data-expr^="multiply-adds of d"]').first().click();
  await comes(async () => /^multiply-adds of d/.test(await page.textContent(".desk-title code")), true);
});

test("a step is worked out by oneself, and marked", async t => {
  const page = await t.open("play.html");
  await page.locator(".editor-area").fill("const A = [1 2; 3 4]\nconst B = [0 1; 1 1]\nC = A @ B\n");
  await comes(async () => (await page.textContent(".editor-shapes")).includes("2x2"), true);
  await page.getByRole("button", { name: "Show all values" }).click();
  await page.getByRole("button", { name: "Work out C yourself" }).click();
  const fields = page.locator("table.has-blanks input");
  await comes(() => fields.count(), 4);
  for (const [i, x] of ["2", "3", "4", "9"].entries()) await fields.nth(i).fill(x);
  await page.keyboard.press("Enter");
  await comes(() => page.locator('.has-blanks td[data-verdict="wrong"]').count(), 1);
  await fields.nth(3).fill("7");
  await page.keyboard.press("Enter");
  await comes(async () => (await page.textContent(".blanks-said")).includes("All right"), true);
});
