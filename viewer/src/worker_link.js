// A live world in a worker of this page, in place of a server: the same messages, the same commands as a LiveLink.

import { readMessage } from "./wire.js";

export class WorkerLink {
	// `world` is { worker, kept }: a worker that may have begun to speak. onOpened and onRefused tell how `open` went, onLog what a link to
	// this moment must hold.
	constructor({ worker, kept }, { onState, onMessage, onOpened, onRefused, onLog }) {
		this.on = { onState, onMessage, onOpened, onRefused, onLog };
		this.bytes = 0;
		this.isOpen = false;
		this.waiting = new Map(); // answers by number
		this.asked = 0;
		this.worker = worker;
		const listen = (event) => (event.type === "error" ? onState("broken", event.message ?? "") : this.take(event.data));
		worker.onmessage = worker.onerror = listen;
		queueMicrotask(() => kept.forEach(listen)); // once the page is there
	}

	take(data) {
		if (data.message) {
			this.bytes += data.message.byteLength;
			const message = readMessage(data.message);
			if (message.kind === "hello") {
				this.isOpen = true;
				this.on.onState("open");
			}
			this.on.onMessage(message);
		} else if (data.answer) {
			const { done, fail } = this.waiting.get(data.answer);
			this.waiting.delete(data.answer);
			data.text ? fail(new Error(data.text)) : done(data);
		} else if (data.log) this.on.onLog(data.log, data.step);
		else if (data.state === "ready") this.threads = data.threads;
		else if (data.state === "opened") this.on.onOpened();
		else if (data.state === "refused") this.on.onRefused(data.text);
	}

	open(scene, { files, log, until } = {}) {
		this.worker.postMessage({ open: scene, files, log, until });
	}

	send(buffer) {
		if (this.isOpen) this.worker.postMessage({ send: buffer }, [buffer]);
	}

	undo() {
		this.worker.postMessage({ undo: true });
	}

	ask(what) {
		return new Promise((done, fail) => {
			const answer = ++this.asked;
			this.waiting.set(answer, { done, fail });
			this.worker.postMessage({ ...what, answer });
		});
	}

	// The bodies as a file.
	async write(ending) {
		return (await this.ask({ write: ending })).bytes;
	}

	// What the world is after so many steps, and what another scene is after so many frames.
	hash(steps) {
		return this.ask({ hash: steps });
	}
	run(scene, frames) {
		return this.ask({ run: scene, frames });
	}
}
