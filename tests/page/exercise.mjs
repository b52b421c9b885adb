/* Point 3: compute it yourself. */
import { comes, equal, ok, test } from "./harness.mjs";

const fill = async (page, within, numbers) => {
  const fields = page.locator(`${within} input.blank-field`);
  for (let i = 0; i < numbers.length; i++) await fields.nth(i).fill(numbers[i]);
};

const louder = "?WQ=[2+1;0+1]&WK=[1+-1;0+2]&E=[1+0;1+1;0+1;0+0]";

test("a matrix becomes blanks; a known mistake is named", async t => {
  const page = await t.open("ex1.html#" + louder);
  const cell = page.locator('table[data-value="S"] td[data-at="S[1][1]"]').first();
  await comes(() => cell.textContent(), "4");
  await cell.click();
  await page.getByRole("button", { name: "Work out S yourself" }).click();
  await page.waitForSelector("table.has-blanks input.blank-field");
  await fill(page, "table.has-blanks", ["3", "-1", "4", "0"]);
  await page.getByRole("button", { name: "Check" }).click();
  await comes(async () => /transpose/i.test(await page.textContent(".blanks-said")), true);
  ok(await page.locator('.has-blanks td[data-verdict="wrong"]').count() > 0, "a wrong cell has its sign");
  await fill(page, "table.has-blanks", ["1", "3", "0", "4"]);
  await page.keyboard.press("Enter");
  await comes(async () => (await page.textContent(".blanks-said")).includes("All right"), true);
  await page.getByRole("button", { name: "Show the numbers" }).click();
  await comes(() => cell.textContent(), "4");
});

test("a step whose matrix is not on the page is worked out in the panel", async t => {
  const page = await t.open("ex1.html#" + louder);
  await page.locator('p .n[data-at="Z[1][1]"]').first().click();
  await page.getByRole("button", { name: "Work out Z yourself" }).click();
  await page.waitForSelector("lh-desk .sheet-step input");
  await fill(page, "lh-desk", ["1", "3", "0", "4"]);
  await page.keyboard.press("Enter");
  await comes(async () => /root|scaled/i.test(await page.textContent("lh-desk .said")), true);
});

test("a worksheet, step by step, by keyboard alone; a slip carries on", async t => {
  const page = await t.open("practice.html#ex1");
  await page.waitForSelector("#lesson");
  await page.fill("#seed", "2");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".sheet-step");
  await fill(page, '[data-path="X"]', ["-0.6", "0.2", "-0.9", "0.2"]);
  await page.keyboard.press("Enter");
  await comes(async () => (await page.textContent('[data-path="X"] .said')).includes("Right"), true);
  ok(await page.evaluate(() => !!document.activeElement.closest('[data-path="Q"]')), "the focus goes on to the next step");
  await fill(page, '[data-path="Q"]', ["0.32", "-0.12", "0.47", "-0.19"]);
  await page.keyboard.press("Enter");
  await comes(async () => (await page.textContent('[data-path="Q"] .said')).includes("3 of 4"), true);
  equal(await page.locator('[data-path="Q"] td[data-verdict="wrong"]').count(), 1);
});

test("hints come in levels", async t => {
  const page = await t.open("practice.html#ex1");
  await page.waitForSelector("#lesson");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForSelector(".sheet-step");
  const step = page.locator('[data-path="Z"]');
  await step.getByRole("button", { name: "Hint" }).click();
  await comes(async () => (await step.locator(".said").textContent()).length > 5, true);
  const first = await step.locator(".said").textContent();
  await step.getByRole("button", { name: "Hint" }).click();
  await comes(async () => await step.locator(".said").textContent() !== first, true);
});

test("another one like it has other numbers", async t => {
  const page = await t.open("practice.html#ex1");
  await page.waitForSelector("#lesson");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.waitForSelector(".sheet-given .matrix");
  const before = await page.textContent(".sheet-given");
  await page.getByRole("button", { name: "Another one like it" }).click();
  await comes(async () => (await page.locator(".sheet-given").count()) > 0 && await page.textContent(".sheet-given") !== before, true);
});

test("exercises of every kind are judged on the page", async t => {
  const page = await t.open("ex1.html");
  const of = n => page.locator(`section.exercise[data-exercise="${n}"]`);
  await of(5).locator(".answer-line").fill("S = Q @ K");
  await page.keyboard.press("Enter");
  await comes(() => of(5).locator(".said").getAttribute("data-verdict"), "wrong");
  ok((await of(5).locator(".said").textContent()).includes("should be"), "it says where it differs");
  await of(5).locator(".answer-line").fill("S = Q @ K^T");
  await page.keyboard.press("Enter");
  await comes(() => of(5).locator(".said").getAttribute("data-verdict"), "right");
  await of(7).locator('input[value="b"]').check();
  await of(7).getByRole("button", { name: "Answer", exact: true }).click();
  await comes(() => of(7).locator(".said").getAttribute("data-verdict"), "right");
  await of(4).locator('input[value="6"]').check();
  await of(4).getByRole("button", { name: "Answer", exact: true }).click();
  await comes(() => of(4).locator(".said").getAttribute("data-verdict"), "right");
  await of(9).locator(".answer-line").fill("WO=[0 0 0 40; 0 0 0 40]");
  await page.keyboard.press("Enter");
  await comes(() => of(9).locator(".said").getAttribute("data-verdict"), "right");
  await of(1).getByRole("button", { name: "Begin" }).click();
  await page.waitForSelector('section[data-exercise="1"] .sheet-step');
  await fill(page, 'section[data-exercise="1"] [data-path="Q"]', ["0.32", "-0.12", "0.47", "-0.09"]);
  await page.keyboard.press("Enter");
  await comes(() => of(1).locator('[data-path="Q"] .said').getAttribute("data-verdict"), "right");
  await comes(async () => (await of(1).textContent()).includes("12 numbers to go in all: K comes next."), true);
  for (const [path, numbers] of [["K", ["-0.18", "0.42", "-0.33", "0.54"]], ["S", ["-0.1080", "-0.1704", "-0.1224", "-0.2037"]], ["Z", ["-0.0764", "-0.1205", "-0.0865", "-0.1440"]]]) {
    await fill(page, `section[data-exercise="1"] [data-path="${path}"]`, numbers);
    await page.keyboard.press("Enter");
    await comes(() => of(1).locator(`[data-path="${path}"] .said`).getAttribute("data-verdict"), "right");
  }
  await comes(() => of(1).locator("> .said, form + .said").last().getAttribute("data-verdict"), "right");
  await comes(() => of(1).locator(".done").count(), 1, "a sheet that is right as a whole is done");
  await comes(() => of(5).locator(".done").count(), 1, "it is done");
  await page.reload();
  await comes(() => of(5).locator(".done").count(), 1, "and stays done");
});

test("progress goes out and comes back, once", async t => {
  const page = await t.open("practice.html");
  await page.waitForSelector("#progress-file");
  const line = JSON.stringify({ number: 1, time: "2026-01-02T03:04:05Z", lesson: "ex1", seed: 2, digits: 4, step: "Z", raw: "1", verdict: "right", mistake: null, hints: 0, right: true });
  for (const said of ["1 attempts added.", "0 attempts added."]) {
    await page.setInputFiles("#progress-file", { name: "p.jsonl", mimeType: "text/plain", buffer: Buffer.from(line + "\n") });
    await comes(() => page.locator(".progress [role=status]").textContent(), said);
    await page.setInputFiles("#progress-file", []);
  }
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as a file" }).click()]);
  const { readFileSync } = await import("node:fs");
  equal(JSON.parse(readFileSync(await download.path(), "utf8").trim()).step, "Z");
  await page.setInputFiles("#progress-file", { name: "p.jsonl", mimeType: "text/plain", buffer: Buffer.from("no json\n") });
  await comes(async () => (await page.locator(".progress [role=status]").textContent()).includes("line 1"), true);
});
