/* Point 5: the GPT in the page. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { comes, emptyFolder, equal, ok, test } from "./harness.mjs";

const program = new URL("../../longhand", import.meta.url).pathname;
const run = (...words) => execFileSync(program, words, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, LONGHAND_DATA: "/nonexistent" } });

/** A small model of a folder of its own, as a reader has it. */
let made = null;
async function ownFolder() {
  if (made) return made;
  const folder = await emptyFolder(), out = join(folder, "mine");
  run("data", "names", "-n", "200", "-o", join(folder, "names.txt"));
  run("train", "gpt", "--data", join(folder, "names.txt"), "--set", "layers=1", "dim=64", "heads=1", "context=16", "--steps", "30", "--threads", "1", "-o", out);
  return (made = out);
}

const letters = page => page.locator(".written .letter").allTextContents();

test("it writes at once, with weights that came with the page", async t => {
  const page = await t.open("model.html", { from: "file" });
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await page.locator(".written .letter").count()) > 0, true);
  await page.selectOption("#model-kind", "sentences");
  await page.fill("#model-prompt", "the ");
  await page.locator("#model-heat").fill("0");
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await letters(page)).length >= 60, true);
  const words = (await letters(page)).join("").replace(/␣/g, " ").replace(/⏎/g, "\n");
  ok(/^[a-z ]+\.\n[a-z ]+\.\n/.test(words), words);
  const known = new Set(readFileSync(join(t.folder, "sentences.js"), "utf8").match(/[a-z]+/g));
  const odd = words.split("\n")[1].match(/[a-z]+/g).filter(w => !known.has(w));
  equal(odd, [], "words that nobody wrote");
});

test("it shows what else could follow and where it looks, and learns here", async t => {
  const page = await t.open("model.html");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await comes(async () => Number(await page.getAttribute("#model", "data-step")) > 20, true);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await page.locator(".written .letter").count()) > 0, true);
  await page.locator(".written .letter").first().click();
  await comes(async () => (await page.locator(".alternatives li").count()) > 1, true);
  await page.locator(".alternatives [data-expr]").first().click();
  await page.locator("lh-desk .operand").first().click();
  await comes(async () => /^logits\[/.test(await page.textContent(".desk-title code")), true, "the score of a letter opens");
  await page.waitForSelector("lh-desk .work-line");
  await page.locator("table.attention button").first().click();
  await comes(() => page.locator("lh-desk .work-line").count().then(n => n > 0), true, "a weight of attention opens");
});

test("a model folder from the disk writes what the program writes", async t => {
  const folder = await ownFolder(), page = await t.open("model.html");
  await page.setInputFiles("#model-folder", folder);
  await comes(async () => /Opened/.test(await page.textContent(".opened")), true, await page.textContent(".opened"));
  await page.locator("#model-heat").fill("0");
  await page.fill("#model-prompt", "ma");
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await letters(page)).length >= 24, true);
  const there = run("sample", folder, "-i", "ma", "-t", "0", "-n", "24", "--threads", "1");
  equal((await letters(page)).slice(0, 22).join(""), there.replace(/^ma/, "").replace(/\n/g, "⏎").replace(/ /g, "␣").slice(0, 22));
  await page.locator(".written .letter").nth(3).click();
  await comes(async () => (await page.locator("table.attention").count()) > 0, true, "one sees inside it");
});

test("weights alone: of ours and of GPT-2; what does not fit is told", async t => {
  const folder = await ownFolder(), page = await t.open("model.html"), said = () => page.textContent(".opened");
  const says = async words => comes(async () => words.test(await said()) || await said(), true);
  await page.setInputFiles("#model-files", join(folder, "model.safetensors"));
  await says(/by their numbers/);
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await letters(page)).every(x => /^\d+ $/.test(x)) && (await letters(page)).length > 3, true);

  /* The same weights without Longhand's own words: names and sizes say that it is a GPT-2. */
  const plain = await emptyFolder(), data = readFileSync(join(folder, "model.safetensors")), length = Number(data.readBigUInt64LE(0));
  const header = JSON.parse(data.subarray(8, 8 + length));
  delete header.__metadata__;
  const text = Buffer.from(JSON.stringify(header).padEnd(length)), size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  writeFileSync(join(plain, "gpt2.safetensors"), Buffer.concat([size, text, data.subarray(8 + length)]));
  await page.setInputFiles("#model-files", join(plain, "gpt2.safetensors"));
  await says(/Opened as gpt2/);

  const bad = join(plain, "bad");
  mkdirSync(bad);
  for (const f of readdirSync(folder)) if (/json$/.test(f)) copyFileSync(join(folder, f), join(bad, f));
  writeFileSync(join(bad, "model.safetensors"), data.subarray(0, data.length - 100));
  await page.setInputFiles("#model-folder", bad);
  await says(/may be cut off/);
  await page.setInputFiles("#model-files", { name: "pytorch_model.bin", mimeType: "application/octet-stream", buffer: Buffer.from("x") });
  await says(/save_pretrained/);
  await page.setInputFiles("#model-files", { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("x") });
  await says(/no \.safetensors and no \.gguf/);
  await page.evaluate(() => {
    const file = new File(["x"], "huge.safetensors"), list = new DataTransfer();
    Object.defineProperty(File.prototype, "size", { get: () => 7.2e9 });
    list.items.add(file);
    document.querySelector(".drop").dispatchEvent(new DragEvent("drop", { dataTransfer: list, cancelable: true }));
  });
  await says(/7\.2 GB, and a page has room/);
});

test("a GGUF file from the disk writes what the program writes; what is cut off or no GGUF is told", async t => {
  const at = await emptyFolder(), folder = join(at, "own"), file = join(at, "own.gguf"), page = await t.open("model.html"), said = () => page.textContent(".opened");
  run("data", "names", "-n", "200", "-o", join(at, "names.txt"));
  run("train", "gpt", "--data", join(at, "names.txt"), "--tokens", "bpe:280", "--set", "layers=1", "dim=64", "heads=1", "context=16", "--steps", "30", "--threads", "1", "-o", folder);
  const says = async words => comes(async () => words.test(await said()) || await said(), true);
  run("gguf", folder, "-o", file, "--type", "q8_0");
  await page.setInputFiles("#model-files", file);
  await says(/Opened as gpt2/);
  await page.locator("#model-heat").fill("0");
  await page.fill("#model-prompt", "ma");
  await page.getByRole("button", { name: "Write" }).click();
  await comes(async () => (await letters(page)).length >= 24, true);
  const there = run("sample", file, "-i", "ma", "-t", "0", "-n", "24", "--threads", "1");
  equal((await letters(page)).slice(0, 22).join(""), there.replace(/^ma/, "").replace(/\n/g, "⏎").replace(/ /g, "␣").slice(0, 22));

  const data = readFileSync(file), give = (name, buffer) => page.setInputFiles("#model-files", { name, mimeType: "application/octet-stream", buffer });
  await give("short.gguf", data.subarray(0, data.length - 100));
  await says(/ends after the end of the file/);
  await give("header.gguf", data.subarray(0, 30));
  await says(/cut off|ends/);
  await give("other.gguf", Buffer.from("PK and more"));
  await says(/other\.gguf/);
  await page.setInputFiles("#model-files", [{ name: "a.gguf", mimeType: "", buffer: data }, { name: "b.gguf", mimeType: "", buffer: data }]);
  await says(/Choose one of them: a\.gguf, b\.gguf/);
  await give("OWN.GGUF", data);
  await says(/Opened as gpt2/);
});
