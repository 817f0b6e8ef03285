// Volumes of random booleans against npm's manifold-3d.
//
//     node check_cut.mjs PROGRAM SCRATCH [ROUNDS]
//
// Models are made by the program, turned and moved here, written as OFF, and cut by both. manifold-3d works in single precision, so
// volumes agree to about 1e-5 of the smaller body.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [program, scratch, roundsText] = process.argv.slice(2);
const rounds = Number(roundsText ?? 12);
const here = dirname(fileURLToPath(import.meta.url));
const folder = join(scratch, 'check_cut');
mkdirSync(folder, { recursive: true });

// A small generator of our own, so that rounds repeat.
let state = 12345;
const random = () => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 4294967296);

function place(file, out) {
	const rows = readFileSync(file, 'utf8').trim().split('\n').map(row => row.trim().split(/\s+/));
	const vertexCount = Number(rows[1][0]);
	const points = [];
	for (let i = 0; i < vertexCount; ++i) points.push(rows[2 + i].slice(0, 3).map(Number));
	const low = [0, 1, 2].map(k => Math.min(...points.map(p => p[k])));
	const high = [0, 1, 2].map(k => Math.max(...points.map(p => p[k])));
	const size = Math.max(...[0, 1, 2].map(k => high[k] - low[k]));
	const [a, b] = [random() * 6.28, random() * 6.28], offset = [random() - 0.5, random() - 0.5, random() - 0.5];
	const lines = points.map(p => {
		let [x, y, z] = [0, 1, 2].map(k => (p[k] - 0.5 * (low[k] + high[k])) / size);
		[x, y] = [x * Math.cos(a) - y * Math.sin(a), x * Math.sin(a) + y * Math.cos(a)];
		[y, z] = [y * Math.cos(b) - z * Math.sin(b), y * Math.sin(b) + z * Math.cos(b)];
		// Singles, so that both programs get the same numbers.
		return [x, y, z].map((v, k) => Math.fround(v + 0.6 * offset[k])).join(' ');
	});
	// A face may be followed by its color.
	const faces = rows.slice(2 + vertexCount).map(row => row.slice(0, 1 + Number(row[0])).join(' '));
	writeFileSync(out, `OFF\n${vertexCount} ${faces.length} 0\n${lines.join('\n')}\n${faces.join('\n')}\n`);
}

const names = ['blob', 'icosphere', 'knot', 'brick'];
let checked = 0;
for (let round = 0; round < rounds; ++round) {
	const files = ['a', 'b'].map(which => {
		const raw = join(folder, `${which}_raw.off`), triangles = join(folder, `${which}_t.off`), out = join(folder, `${which}.off`);
		const name = names[Math.floor(random() * names.length)];
		execFileSync(program, ['make', name, '--res', String(12 + Math.floor(random() * 12)), '--seed', String(round), '-o', raw, '--quiet']);
		execFileSync(program, ['convert', raw, triangles, '--triangulate', '--quiet']);
		place(triangles, out);
		return out;
	});
	for (const op of ['union', 'intersection', 'difference']) {
		const ours = JSON.parse(execFileSync(program, ['cut', ...files, '-o', join(folder, 'out'), '--op', op, '--json', '--quiet']));
		const theirs = Number(execFileSync('node', [join(here, 'manifold_cut.mjs'), op, ...files], { encoding: 'utf8' }).split(' ')[1]);
		const difference = Math.abs(ours.volume_out - theirs);
		if (!(difference <= 1e-5 * Math.max(ours.volume_in, 1e-3))) {
			console.error(`round ${round}, ${op}: ours ${ours.volume_out}, manifold-3d ${theirs}`);
			process.exit(1);
		}
		checked += 1;
	}
}
rmSync(folder, { recursive: true });
console.log(`${checked} booleans agree with manifold-3d`);
