/* Point 8: for teachers. */
import { readFileSync } from "node:fs";
import { comes, equal, ok, test } from "./harness.mjs";

const lesson = `# Mine

\`\`\`longhand
const A = [1 2; 3 4]
B = A @ A
\`\`\`

The corner is {{B[1][1]}}, and {{B[0][0] > 100}} so is this.

\`\`\`show
matrix A
matrix B
\`\`\`
`;

test("a lesson dropped on the page is alive, with what lint says", async t => {
  const page = await t.open("teach.html");
  await page.setInputFiles("#lesson-file", { name: "mine.md", mimeType: "text/plain", buffer: Buffer.from(lesson) });
  await comes(async () => (await page.locator(".problems").count()) > 0, true, "the false claim is a problem");
  await page.locator('td[data-at="B[1][1]"]').first().click();
  await comes(() => page.textContent(".desk-title b"), "22");
  await page.locator('td[data-at="A[0][0]"]').first().focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await comes(() => page.locator('td[data-at="B[0][0]"]').first().textContent(), "31");
});

test("a lesson of one's own shows what it costs and that its gradients are right", async t => {
  const page = await t.open("teach.html");
  const text = "# Mine\n\n```longhand\nsize n = 3\nseed 1\nparam W : n x n = normal()\nL = sum(W * W)\nbackward L\nW := W - 0.1 * dW\n```\n\n```show\ncheck\ncost\n```\n";
  await page.setInputFiles("#lesson-file", { name: "mine.md", mimeType: "text/plain", buffer: Buffer.from(text) });
  await comes(async () => /✓ The gradients of W agree/.test(await page.textContent(".own-lesson figure.show-check")), true);
  const count = page.locator('.own-lesson [data-expr="numbers of W = n^2"]');
  equal(await count.textContent(), "9");
  await page.locator('.own-lesson figure.show-cost [data-given="n"]').focus();
  await page.keyboard.press("Enter");
  await page.keyboard.type("5");
  await page.keyboard.press("Enter");
  await comes(() => count.textContent(), "25");
});

test("sheet and key are made, and print", async t => {
  const page = await t.open("teach.html");
  await page.selectOption("#print-lesson", "ex1");
  await page.getByRole("button", { name: "Make sheet and key" }).click();
  await comes(() => page.locator(".paper").count(), 2);
  ok(/0\.\d{4}/.test(await page.textContent(".paper-key")), "the key has numbers");
  ok((await page.textContent(".paper-sheet")).includes("____"), "the sheet has blanks");
});

test("the answers of a class are marked in the browser", async t => {
  const page = await t.open("teach.html");
  await page.selectOption("#class-lesson", "ex1");
  const answers = q => Buffer.from(JSON.stringify({ lesson: "ex1", seed: 2, digits: 4, answers: { Q: q } }));
  await page.setInputFiles("#answer-files", [
    { name: "anna.json", mimeType: "application/json", buffer: answers([["0.32", "-0.12"], ["0.47", "-0.09"]]) },
    { name: "ben.json", mimeType: "application/json", buffer: answers([["0.32", "-0.12"], ["0.47", "0.09"]]) }]);
  await comes(() => page.locator(".class-marks tbody tr").count(), 2);
  const right = await page.locator(".class-marks tbody td:nth-child(2)").allTextContents();
  equal(right, ["4", "3"]);
  const [table] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save the table" }).click()]);
  ok(readFileSync(await table.path(), "utf8").startsWith("learner,right,of"));
});
