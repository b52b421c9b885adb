/* Point 5: the GPT in the page. */
import { comes, ok, test } from "./harness.mjs";

test("it writes, shows what else could follow and where it looks, and learns here", async t => {
  const page = await t.open("model.html");
  await page.waitForSelector("#model-train");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await comes(async () => Number(await page.getAttribute("#model", "data-step")) > 20, true);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await page.locator(".written .letter").count()) > 0, true);
  await page.locator(".written .letter").first().click();
  await comes(async () => (await page.locator(".alternatives li").count()) > 1, true);
  ok(await page.locator("table.attention").count() > 0, "attention is shown");
});
