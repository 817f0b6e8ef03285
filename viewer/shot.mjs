// node shot.mjs PAGE OUT.png [WIDTH HEIGHT] [TIME]: a picture of the page, for looking at it.
import puppeteer from "puppeteer-core";
const [page, out, width = 1280, height = 720, time] = process.argv.slice(2);
const browser = await puppeteer.launch({
	executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
	args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--allow-file-access-from-files"],
});
const tab = await browser.newPage();
tab.on("console", (message) => console.log("console:", message.text()));
tab.on("pageerror", (error) => console.log("error:", error.message));
await tab.setViewport({ width: Number(width), height: Number(height) });
await tab.goto(page);
await tab.waitForFunction(() => window.brittle?.state.duration > 0 || window.brittle?.state.status !== "", { timeout: 30000 });
if (time) await tab.evaluate((t) => window.brittle.setTime(t), Number(time));
await new Promise((r) => setTimeout(r, 1500));
console.log(JSON.stringify(await tab.evaluate(() => window.brittle.state)));
await tab.screenshot({ path: out });
await browser.close();
