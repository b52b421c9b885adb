// shot.mjs URL OUT WIDTH [dark] [full]: a picture of a page, to look at.
import { chromium } from "playwright-core";
const [url, out, width, ...flags] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"] });
const page = await browser.newPage({ viewport: { width: +width, height: 800 }, colorScheme: flags.includes("dark") ? "dark" : "light" });
page.on("console", m => console.log(m.text()));
page.on("pageerror", e => console.log("ERROR", e.message));
await page.goto(url);
await page.waitForTimeout(600);
await page.screenshot({ path: out, fullPage: flags.includes("full") });
await browser.close();
