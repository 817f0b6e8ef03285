// Checks that are counted, for the tests of this folder.

let passed = 0, failed = 0;

export function check(what, holds) {
	holds ? (passed += 1) : ((failed += 1), console.log(`FAILED  ${what}`));
}

// What a call throws, or null.
export function thrown(act) {
	try {
		act();
		return null;
	} catch (error) {
		return error;
	}
}

export function finish() {
	console.log(`${passed} passed, ${failed} failed, 0 skipped`);
	process.exit(failed > 0 ? 1 : 0);
}
