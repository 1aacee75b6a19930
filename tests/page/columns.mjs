// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes payloads as report/page/PAYLOAD.md has them: varints and JSON by name, then gzip and digits.
import {gzipSync} from 'node:zlib';

const DIGITS = Array.from({length: 94}, (_, i) => String.fromCharCode(33 + i)).filter(digit => !'&<\\'.includes(digit));

/* 13 bits are two digits; what is left is one digit for up to 6 bits, else two. */
export function dense(bytes) {
	const text = [];
	let held = 0,
		bits = 0;

	for (const byte of bytes) {
		held += byte * 2 ** bits;
		bits += 8;
		if (bits < 13) continue;
		text.push(DIGITS[(held % 8192) % 91], DIGITS[Math.floor((held % 8192) / 91)]);
		held = Math.floor(held / 8192);
		bits -= 13;
	}
	if (bits) text.push(DIGITS[held % 91]);
	if (bits > 6) text.push(DIGITS[Math.floor(held / 91)]);
	return text.join('');
}

class Bytes {
	constructor() {
		this.bytes = Buffer.alloc(1 << 16);
		this.length = 0;
	}

	add(byte) {
		if (this.length === this.bytes.length) {
			const larger = Buffer.alloc(this.length * 2);

			this.bytes.copy(larger);
			this.bytes = larger;
		}
		this.bytes[this.length++] = byte;
	}

	varint(value) {
		for (; value > 127; value = Math.floor(value / 128)) this.add((value % 128) | 128);
		this.add(value);
	}
}

function varints(values, signed) {
	const bytes = new Bytes();

	for (const value of values) bytes.varint(signed ? (value < 0 ? -value * 2 - 1 : value * 2) : value);
	return bytes.bytes.subarray(0, bytes.length);
}

export class PayloadWriter {
	constructor(header) {
		this.header = {version: 1, program: 'columns', columns: {}, ...header};
		this.parts = [];
		this.offset = 0;
	}

	put(name, bytes, count) {
		this.header.columns[name] = [this.offset, bytes.length, count];
		this.offset += bytes.length;
		this.parts.push(bytes);
	}

	numbers(name, values) {
		this.put(name, varints(values, false), values.length);
	}

	signed(name, values) {
		this.put(name, varints(values, true), values.length);
	}

	json(name, value) {
		this.put(name, Buffer.from(JSON.stringify(value).replaceAll('<', '\\u003c')), 0);
	}

	bytes() {
		const header = Buffer.from(JSON.stringify(this.header)),
			length = Buffer.alloc(4);

		length.writeUInt32LE(header.length);
		return Buffer.concat([length, header, ...this.parts]);
	}

	text() {
		return dense(gzipSync(this.bytes(), {level: 6}));
	}
}
