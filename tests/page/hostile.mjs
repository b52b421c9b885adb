/* Hostile lessons are shown as text: no script of theirs runs, no address of theirs is asked. */
import { comes, equal, test } from "./harness.mjs";

const hostile = `# <script>window.hit=1</script> <img src=x onerror="window.hit=2">

<script>window.hit = 3</script>
<img src="https://evil.example/x.png" onerror="window.hit=4">
<style>body { display: none }</style>
[click](javascript:window.hit=5) [other](https://evil.example/) <a href="javascript:window.hit=6">x</a>
<svg onload="window.hit=7"></svg> <div style="position:fixed;inset:0">over</div>

\`\`\`longhand
vocab <b onclick=window.hit=8> "><script>window.hit=9</script>
const A = [1e308 1e-308; 123456789012345678901234567890 0]   # </code><script>window.hit=10</script>
B = A @ A
\`\`\`

\`\`\`show
matrix A    # <script>window.hit=11</script>
matrix B
\`\`\`

{{B[0][0]}} {{"><script>window.hit=12</script>}}
`;

test("scripts, handlers, links and styles of a lesson are text", async t => {
  const page = await t.open("teach.html");
  const asked = [];
  page.on("request", r => { if (!r.url().startsWith(t.address) && !r.url().startsWith("blob:")) asked.push(r.url()); });
  await page.setInputFiles("#lesson-file", { name: "<img src=x onerror=window.hit=13>.md", mimeType: "text/plain", buffer: Buffer.from(hostile) });
  await comes(async () => /problem|Error|line|lint/i.test(await page.textContent(".own-lesson")), true);
  await page.evaluate(() => new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)))); /* what was put there had its turn */
  equal(await page.evaluate(() => window.hit ?? null), null);
  equal(asked, []);
  equal(await page.locator('.own-lesson script, .own-lesson img, .own-lesson style, .own-lesson [onclick], .own-lesson [onerror], .own-lesson a[href^="javascript"]').count(), 0);
});

test("a hostile link changes nothing but numbers", async t => {
  const page = await t.open("ex1.html#?E[0][0]=<img+src%3Dx+onerror%3Dwindow.hit%3D1>&WQ=];vocab&step=99999999999");
  await comes(async () => (await page.textContent('[role="status"].unseen')).includes("do not fit"), true);
  equal(await page.evaluate(() => window.hit ?? null), null);
  equal(await page.locator('td[data-at="P[1][0]"]').first().textContent(), "0.498232");
});
