/* Hostile lessons are shown as text: no script of theirs runs, no address of theirs is asked. */
import { comes, equal, test } from "./harness.mjs";

const hostile = `# <script>window.hit=1</script> <img src=x onerror="window.hit=2">

<script>window.hit = 3</script>
<img src="https://evil.example/x.png" onerror="window.hit=4">
<style>body { display: none }</style>
[click](javascript:window.hit=5) [other](https://evil.example/) <a href="javascript:window.hit=6">x</a>
[data](data:text/html,<script>window.hit=14</script>) [entity](&#106;avascript:window.hit=15) [tab](java\tscript:window.hit=16) ![i](javascript:window.hit=17)
<https://evil.example/auto> [ref][r] <iframe srcdoc="<script>parent.hit=18</script>"></iframe> <math><mtext><img src=x onerror=window.hit=19></mtext></math>
$\\href{javascript:window.hit=20}{x}$ $<img src=x onerror=window.hit=21>$ <base href="https://evil.example/"> <meta http-equiv=refresh content="0;url=https://evil.example/">
<form action="https://evil.example/"><input name=x autofocus onfocus="window.hit=22"></form> <details open ontoggle="window.hit=23">x</details>

[r]: javascript:window.hit=24 "title"

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
  equal(await page.locator('.own-lesson script, .own-lesson img, .own-lesson style, .own-lesson [onclick], .own-lesson [onerror], .own-lesson a[href^="javascript"], .own-lesson a[href^="data"], .own-lesson iframe, .own-lesson base, .own-lesson meta, .own-lesson form[action], .own-lesson [onfocus], .own-lesson [ontoggle], .own-lesson [onload]').count(), 0);
  equal(await page.$$eval(".own-lesson a[href]", list => list.map(a => a.protocol).filter(p => !/^(https?|file):$/.test(p))), [], "links that lead elsewhere");
});

const monsters = {
  "brackets without end": "# Deep\n\n" + "[".repeat(20000) + "\n\n" + ">".repeat(5000) + " x\n\n" + "*".repeat(20000) + "\n",
  "a matrix that no memory holds": "# Large\n\n```longhand\nconst A : 90000 x 90000 = 1\nB = A @ A\n```\n\n{{B[0][0]}}\n",
  "a training without end": "# Long\n\n```longhand\nparam w = 1\nloss = w * w\nbackward loss\nw := w - 0.1 * dw\n```\n\n{{w@99999999999}} {{w@1e30}}\n",
};

for (const [name, text] of Object.entries(monsters))
  test(`${name}: the lesson is refused or shown, and the page goes on`, async t => {
    const page = await t.open("teach.html");
    await page.setInputFiles("#lesson-file", { name: "monster.md", mimeType: "text/plain", buffer: Buffer.from(text) });
    await comes(async () => (await page.textContent(".own-lesson")).trim().length > 3, true);
    await page.setInputFiles("#lesson-file", { name: "good.md", mimeType: "text/plain", buffer: Buffer.from("# Good\n\n```longhand\nconst A = [1 2; 3 4]\nB = A @ A\n```\n\n```show\nmatrix B\n```\n") });
    await page.locator('td[data-at="B[1][1]"]').first().focus();
    await page.keyboard.press("Enter");
    await comes(() => page.textContent(".desk-title b"), "22");
  });

test("of two lessons that are dropped one after the other the last is shown", async t => {
  const page = await t.open("teach.html"), field = "#lesson-file";
  await page.setInputFiles(field, { name: "monster.md", mimeType: "text/plain", buffer: Buffer.from(monsters["a training without end"]) });
  await page.setInputFiles(field, { name: "good.md", mimeType: "text/plain", buffer: Buffer.from("# Good\n\n```longhand\nconst A = [1 2; 3 4]\nB = A @ A\n```\n\n```show\nmatrix B\n```\n") });
  await comes(() => page.locator('td[data-at="B[1][1]"]').count(), 1);
  await page.waitForTimeout(4000); /* longer than the other one takes */
  equal(await page.locator('.own-lesson h1').textContent(), "Good");
});

test("a hostile link changes nothing but numbers", async t => {
  const page = await t.open("ex1.html#?E[0][0]=<img+src%3Dx+onerror%3Dwindow.hit%3D1>&WQ=];vocab&step=99999999999");
  await comes(async () => (await page.textContent('[role="status"].unseen')).includes("do not fit"), true);
  equal(await page.evaluate(() => window.hit ?? null), null);
  equal(await page.locator('td[data-at="P[1][0]"]').first().textContent(), "0.498232");
});
