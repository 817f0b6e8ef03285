// Reads the format .lzma (LZMA alone): a module is a fifth smaller that way than gzipped, on servers that compress nothing too.

const STATES = 12, SLOTS = 64, ALIGN = 16;

class Reader {
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 18; // behind the header of 13 bytes and what the coder begins with
		this.range = 0xffffffff;
		this.code = new DataView(bytes.buffer, bytes.byteOffset).getUint32(14);
	}

	refill() {
		if (this.range >= 0x1000000) return;
		this.range = (this.range << 8) >>> 0;
		this.code = ((this.code << 8) | this.bytes[this.at++]) >>> 0;
	}

	// One bit whose chance to be 0 is odds[i] / 2048, which learns from it.
	bit(odds, i) {
		this.refill();
		const bound = (this.range >>> 11) * odds[i];
		if (this.code < bound) {
			this.range = bound;
			odds[i] += (2048 - odds[i]) >>> 5;
			return 0;
		}
		this.range -= bound;
		this.code -= bound;
		odds[i] -= odds[i] >>> 5;
		return 1;
	}

	// `count` bits with even odds.
	plain(count) {
		let value = 0;
		for (; count > 0; --count) {
			this.refill();
			this.range >>>= 1;
			const isSet = this.code >= this.range;
			if (isSet) this.code -= this.range;
			value = (value << 1) | isSet;
		}
		return value;
	}

	tree(odds, first, count) {
		let node = 1;
		for (let i = 0; i < count; ++i) node = (node << 1) | this.bit(odds, first + node);
		return node - (1 << count);
	}

	// The lowest bit first.
	treeBack(odds, first, count) {
		let node = 1, value = 0;
		for (let i = 0; i < count; ++i) {
			const bit = this.bit(odds, first + node);
			node = (node << 1) | bit;
			value |= bit << i;
		}
		return value;
	}
}

const even = (count) => new Uint16Array(count).fill(1024);

class Lengths {
	constructor() {
		this.choice = even(2);
		this.low = even(16 << 3);
		this.middle = even(16 << 3);
		this.high = even(256);
	}
	read(reader, place) {
		if (reader.bit(this.choice, 0) === 0) return 2 + reader.tree(this.low, place << 3, 3);
		if (reader.bit(this.choice, 1) === 0) return 10 + reader.tree(this.middle, place << 3, 3);
		return 18 + reader.tree(this.high, 0, 8);
	}
}

// The file that was packed. Its header must tell its size.
export function unpack(packed) {
	const context = packed[0] % 9, rest = Math.floor(packed[0] / 9), low = (1 << rest % 5) - 1, places = (1 << Math.floor(rest / 5)) - 1;
	const out = new Uint8Array(Number(new DataView(packed.buffer, packed.byteOffset).getBigUint64(5, true)));
	const reader = new Reader(packed), lengths = new Lengths(), repeats = new Lengths();
	const literals = even(0x300 << (context + (rest % 5)));
	const isMatch = even(STATES << 4), isRepeat = even(STATES), isOlder = even(STATES), isThird = even(STATES), isFourth = even(STATES), isLong = even(STATES << 4);
	const slots = even(4 * SLOTS), middles = even(115), aligns = even(ALIGN);
	let state = 0, [a, b, c, d] = [0, 0, 0, 0];

	const literal = (at) => {
		const before = at > 0 ? out[at - 1] : 0, first = 0x300 * (((at & low) << context) + (before >> (8 - context)));
		let symbol = 1;
		if (state >= 7) {
			let match = out[at - a - 1];
			do {
				const expected = (match >> 7) & 1, bit = reader.bit(literals, first + ((1 + expected) << 8) + symbol);
				match <<= 1;
				symbol = (symbol << 1) | bit;
				if (bit !== expected) break;
			} while (symbol < 0x100);
		}
		while (symbol < 0x100) symbol = (symbol << 1) | reader.bit(literals, first + symbol);
		return symbol & 0xff;
	};
	const distance = (length) => {
		const slot = reader.tree(slots, SLOTS * Math.min(length - 2, 3), 6);
		if (slot < 4) return slot;
		const count = (slot >> 1) - 1, base = (2 | (slot & 1)) << count;
		if (slot < 14) return base + reader.treeBack(middles, base - slot, count);
		return ((base >>> 0) + ((reader.plain(count - 4) << 4) >>> 0) + reader.treeBack(aligns, 0, 4)) >>> 0;
	};

	for (let at = 0; at < out.length; ) {
		const place = at & places;
		if (reader.bit(isMatch, (state << 4) + place) === 0) {
			out[at] = literal(at);
			at += 1;
			state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
			continue;
		}
		let length;
		if (reader.bit(isRepeat, state) === 0) {
			[d, c, b] = [c, b, a];
			length = lengths.read(reader, place);
			state = state < 7 ? 7 : 10;
			a = distance(length);
		} else {
			if (reader.bit(isOlder, state) === 0) {
				if (reader.bit(isLong, (state << 4) + place) === 0) {
					out[at] = out[at - a - 1];
					at += 1;
					state = state < 7 ? 9 : 11;
					continue;
				}
			} else if (reader.bit(isThird, state) === 0) [a, b] = [b, a];
			else if (reader.bit(isFourth, state) === 0) [a, b, c] = [c, a, b];
			else [a, b, c, d] = [d, a, b, c];
			length = repeats.read(reader, place);
			state = state < 7 ? 8 : 11;
		}
		if (a >= at || at + length > out.length) throw new Error("what was packed is damaged");
		for (const end = at + length; at < end; ++at) out[at] = out[at - a - 1];
	}
	return out;
}
