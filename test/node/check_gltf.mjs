// SPDX-License-Identifier: MIT

// Runs the Khronos validator on each file given. Prints every error and warning; exit 1 if there is one.
// Information and hints (unused vertices, unused texture coordinates) are the business of the data, not of the writer.
//
//     node check_gltf.mjs a.glb b.gltf

import fs from 'node:fs';
import path from 'node:path';
import validator from 'gltf-validator';

const files = process.argv.slice(2);
if (files.length === 0) {
	console.error('usage: node check_gltf.mjs FILE...');
	process.exit(2);
}
let bad = 0;
for (const file of files) {
	const report = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
		uri: path.basename(file),
		maxIssues: 0, // all of them: a truncated report has no totals
		// Textures are somebody else's files: an empty answer would be an error, so each gets a pixel.
		externalResourceFunction: async (uri) =>
			new Uint8Array(
				fs.existsSync(path.join(path.dirname(file), decodeURIComponent(uri)))
					? fs.readFileSync(path.join(path.dirname(file), decodeURIComponent(uri)))
					: Buffer.from(
							'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
							'base64',
						),
			),
	});
	const issues = report.issues.messages.filter((message) => message.severity < 2);
	for (const issue of issues) {
		console.log(`${file}: ${issue.severity === 0 ? 'error' : 'warning'} ${issue.code} ${issue.pointer ?? ''}: ${issue.message}`);
	}
	bad += issues.length;
	const info = report.info;
	console.log(
		`${file}: ${issues.length} issues, ${info?.drawCallCount ?? 0} draw calls, ${info?.totalTriangleCount ?? 0} triangles, ` +
			`${info?.animationCount ?? 0} animations`,
	);
}
process.exit(bad > 0 ? 1 : 0);
