// A small graph over the whole recording: bodies as an area, the longest step of each frame as a line, breaks as ticks.

export function drawChart(canvas, recording, frame) {
	const { frames, breaks } = recording;
	const context = canvas.getContext("2d");
	const { width, height } = canvas;
	context.clearRect(0, 0, width, height);
	if (frames.length < 2) return;
	const x = (f) => (f / (frames.length - 1)) * (width - 1);
	const mostBodies = Math.max(...frames.map((f) => f.bodies), 1);
	const mostStep = Math.max(...frames.map((f) => f.stepSeconds), 1e-6);

	context.fillStyle = "rgba(120, 170, 255, 0.45)";
	context.beginPath();
	context.moveTo(0, height);
	frames.forEach((f, i) => context.lineTo(x(i), height - (f.bodies / mostBodies) * (height - 4)));
	context.lineTo(width, height);
	context.fill();

	context.strokeStyle = "#ffb454";
	context.beginPath();
	frames.forEach((f, i) => context.lineTo(x(i), height - (f.stepSeconds / mostStep) * (height - 4)));
	context.stroke();

	context.fillStyle = "#ff7b66";
	for (const { frame: at } of breaks) context.fillRect(x(at), 0, 1, 6);

	context.fillStyle = "#ffffff";
	context.fillRect(x(frame), 0, 1, height);
}
