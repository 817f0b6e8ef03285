// A small graph over time: bodies as an area, where the time of each frame went as bands on each other, breaks as ticks.
//
// `series` has arrays of the same length, one entry a frame: bodies, stages ([detect, solve, break] in seconds), steps (the line: the longest
// step in seconds of a live world, the kinetic energy of a recording), and breaks, a list of frames.

const BANDS = ["#8bd3dd", "#c4a7e7", "#ff7b66"];

export function drawChart(canvas, series, frame) {
	const { bodies, stages, steps, breaks } = series;
	const context = canvas.getContext("2d");
	const { width, height } = canvas;
	context.clearRect(0, 0, width, height);
	if (bodies.length < 2) return;
	const x = (f) => (f / (bodies.length - 1)) * (width - 1);
	const mostBodies = Math.max(...bodies, 1);
	const mostTime = Math.max(...steps, ...stages.map((s) => s[0] + s[1] + s[2]), 1e-6);
	const y = (seconds) => height - (seconds / mostTime) * (height - 8);
	const area = (style, top, bottom) => {
		context.fillStyle = style;
		context.beginPath();
		bodies.forEach((_, f) => context.lineTo(x(f), top(f)));
		for (let f = bodies.length - 1; f >= 0; --f) context.lineTo(x(f), bottom(f));
		context.fill();
	};

	area("rgba(120, 170, 255, 0.35)", (f) => height - (bodies[f] / mostBodies) * (height - 8), () => height);
	const sum = (f, n) => stages[f].slice(0, n).reduce((a, b) => a + b, 0);
	BANDS.forEach((style, n) => area(style, (f) => y(sum(f, n + 1)), (f) => y(sum(f, n))));

	context.strokeStyle = "#ffb454";
	context.beginPath();
	steps.forEach((seconds, f) => context.lineTo(x(f), y(seconds)));
	context.stroke();

	context.fillStyle = "#ff7b66";
	for (const at of breaks) context.fillRect(x(at), 0, 1, 6);
	context.fillStyle = "#ffffff";
	if (frame !== undefined) context.fillRect(x(frame), 0, 1, height);
}
