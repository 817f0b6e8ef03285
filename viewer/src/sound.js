// The sound of breaking, made up from what breaks: a crack of noise, and for every larger piece a tone that its size and material give.

// How materials ring: a factor on the tone, how long it lasts [s], how much is noise, and the energy that new surface takes [J/m^2].
const VOICES = {
	glass: { tone: 1, ring: 0.5, noise: 0.35, surface: 8 },
	porcelain: { tone: 0.8, ring: 0.25, noise: 0.5, surface: 20 },
	ice: { tone: 0.6, ring: 0.15, noise: 0.6, surface: 1 },
	terracotta: { tone: 0.4, ring: 0.1, noise: 0.7, surface: 20 },
	stone: { tone: 0.3, ring: 0.06, noise: 0.9, surface: 50 },
};
const LOUD = 0.05; // J of breaking at which a break is half as loud as any
const LIKE = { tempered_glass: "glass", laminated_glass: "glass", sugar_glass: "glass", bone_china: "porcelain", tile: "porcelain", plaster: "terracotta", ice: "ice", terracotta: "terracotta", porcelain: "porcelain", glass: "glass" };

export class Sound {
	constructor() {
		this.isOn = true;
		this.context = null;
		this.played = 0; // breaks that were heard
	}

	// Browsers start sound only after a touch or key.
	wake() {
		if (!this.isOn || typeof AudioContext === "undefined") return;
		this.context ??= new AudioContext();
		if (this.context.state === "suspended") this.context.resume();
	}

	// Sizes of the pieces [m] of one break.
	break(material, sizes) {
		if (!this.isOn || sizes.length === 0) return;
		this.played += 1;
		if (this.context?.state !== "running") return;
		const voice = VOICES[LIKE[material] ?? "stone"], now = this.context.currentTime;
		// Each piece has about its size squared of new surface.
		const energy = voice.surface * sizes.reduce((sum, size) => sum + size * size, 0);
		const loudness = 0.9 * Math.sqrt(energy / (energy + 3 * LOUD));
		this.noise(now, voice.noise * loudness, 0.04 + 0.01 * Math.log2(1 + sizes.length));
		// A tone goes with the inverse of the size: 5 cm of glass ring at about 3 kHz.
		const largest = [...sizes].sort((a, b) => b - a).slice(0, 14);
		largest.forEach((size, i) => {
			const pitch = Math.min(9000, Math.max(120, (150 * voice.tone) / Math.max(size, 0.012)));
			const delay = 0.002 * i + 0.03 * i * ((i * 0.618) % 1);
			this.tone(now + delay, pitch * (1 + 0.35 * ((i * 0.382) % 1)), (1 - voice.noise) * loudness / (2 + i), voice.ring);
		});
	}

	tone(at, pitch, loudness, ring) {
		const { context } = this, tone = context.createOscillator(), level = context.createGain();
		tone.frequency.value = pitch;
		level.gain.setValueAtTime(loudness, at);
		level.gain.exponentialRampToValueAtTime(1e-4, at + ring);
		tone.connect(level).connect(context.destination);
		tone.start(at);
		tone.stop(at + ring);
	}

	noise(at, loudness, length) {
		const { context } = this, source = context.createBufferSource(), level = context.createGain(), filter = context.createBiquadFilter();
		const buffer = context.createBuffer(1, Math.ceil(0.25 * context.sampleRate), context.sampleRate), data = buffer.getChannelData(0);
		let seed = 1;
		for (let i = 0; i < data.length; ++i) {
			seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
			data[i] = seed / 2 ** 31;
		}
		source.buffer = buffer;
		filter.type = "highpass";
		filter.frequency.value = 900;
		level.gain.setValueAtTime(loudness, at);
		level.gain.exponentialRampToValueAtTime(1e-4, at + length + 0.1);
		source.connect(filter).connect(level).connect(context.destination);
		source.start(at);
	}
}
