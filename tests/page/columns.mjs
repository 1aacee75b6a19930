// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes payloads as report/page/PAYLOAD.md has them: varints and JSON by name, then gzip and base64.
import {gzipSync} from 'node:zlib';

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
		this.header = {version: 1, program: 'make_payload', columns: {}, ...header};
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

	base64() {
		return gzipSync(this.bytes(), {level: 6}).toString('base64');
	}
}
