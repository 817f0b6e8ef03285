// `brittle serve A.msh B.msh` and its page in a real browser: node test_tets.mjs PROGRAM PAGE.html [PICTURES]. Prints "N passed, N failed".

import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { browser, check, checkForEverybody, finish, open, pixels, state } from "./testing.mjs";

const [program, page, pictures] = process.argv.slice(2).map((path) => resolve(path));
const folder = mkdtempSync(join(tmpdir(), "brittle-tets-")), at = (name) => join(folder, name);
const run = (...words) => execFileSync(program, [...words, "-q"]);
for (const [name, model] of [["a", "statue"], ["b", "blob"]]) {
	run("make", model, "--res", "16", ...(name === "b" ? ["-p", "diameter=0.8"] : []), "-o", at(`${name}.obj`));
	run("tet", at(`${name}.obj`), "--tets", "3000", "-o", at(`${name}.msh`));
}
run("tet", at("a.obj"), "--tets", "40000", "-o", at("large.msh"));

async function serve(first) {
	const server = spawn(program, ["serve", at(first), at("b.msh"), "--move", "0.1,0,0", "--no-open", "--port", "0", "--workers", "1"], { env: { ...process.env, BRITTLE_VIEWER: page } });
	process.on("exit", () => server.kill("SIGKILL"));
	const address = await new Promise((done, fail) => {
		let out = "";
		server.stdout.on("data", (text) => (out += text).match(/^http:\S+\n/) && done(out.trim()));
		server.on("exit", (code) => fail(new Error(`serve ended with ${code}`)));
	});
	return { server, address };
}
const { server, address } = await serve("a.msh");
let tab = await open(address, pictures ? 800 : 480, pictures ? 480 : 300, "until seen"); // they meet all the time
const tets = async () => (await state(tab)).tets;
const comes = (holds, ...given) => tab.waitForFunction(holds, { polling: 20, timeout: 15000 }, ...given).then(() => true, () => false);
const choose = async (which, id, option) => {
	await tab.evaluate((id, option) => {
		const select = document.getElementById(id);
		select.selectedIndex = option;
		select.dispatchEvent(new Event("change"));
	}, id, option);
	return comes((which, option) => window.brittle.state.tets.chosen[which] === option, which, option);
};

check("tets come to meet, and are drawn", await comes(() => window.brittle.state.tets?.meeting?.[0] > 20 && window.brittle.state.tets.meeting[1] > 20));
await tab.click("#tets-pause");
check("it pauses", await comes(() => window.brittle.state.tets.speed === 0));
const before = await tets();
check("four faces a tet are on the stage", before.points.every((points, i) => points === 12 * before.meeting[i]));
check("the chart has the frames", before.chart > 2 && before.seconds > 0);
await tab.evaluate(() => (window.isSeen = true));
check("something is to be seen", (await pixels(tab)).drawn > 0.02);
if (pictures) await tab.screenshot({ path: join(pictures, "viewer_tets.png") });

// Another way to search finds the same pairs in the same place.
for (const [which, id, options] of [[1, "tets-hash", [1, 2, 3, 0]], [0, "tets-method", [0, 1, 3, 4, 2]], [2, "tets-test", [2, 3, 4, 0]], [5, "tets-layers", [1, 2, 4, 0]], [6, "tets-k", [1, 4, 0]]])
	for (const option of options) {
		const isChosen = await choose(which, id, option), now = await tets();
		check(`${id} ${option} finds the same`, isChosen && now.pairs === before.pairs && now.said === "" && String(now.offset) === String(before.offset));
	}
check("pairs within a mesh are looked for too", (await choose(3, "tets-pairs", 1)) && (await tets()).pairs >= before.pairs);
if (!pictures) await checkForEverybody(tab, "tets");
check("the page had no errors", tab.errors.length === 0);
await tab.evaluate(() => document.getElementById("tets-pause").click());
check("it goes on", await comes((frame) => window.brittle.state.tets.speed === 1 && window.brittle.state.tets.frame > frame + 3, (await tets()).frame));

const ended = new Promise((done) => (server.removeAllListeners("exit"), server.on("exit", done)));
server.kill("SIGINT");
check("it ends when told to", (await ended) === 0);

// Brute force among many tets would hold up the page: it says so, and another choice goes on.
await tab.close();
const large = await serve("large.msh");
tab = await open(large.address, 480, 300, "until seen");
await comes(() => window.brittle.state.tets?.pairs > 0);
check("brute force among many is refused", (await choose(0, "tets-method", 1)) && (await comes(() => window.brittle.state.tets.said.includes("brute force"))) && (await tets()).pairs === -1);
check("and the next choice is played", (await choose(0, "tets-method", 2)) && (await comes(() => window.brittle.state.tets.said === "" && window.brittle.state.tets.pairs > 0)));
large.server.removeAllListeners("exit");
large.server.kill("SIGINT");
await browser.close();
rmSync(folder, { recursive: true });
finish();
