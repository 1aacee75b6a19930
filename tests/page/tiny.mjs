// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A profile small enough to be worked out by hand.
//
//	all ── main ─┬─ bake ── sys_read      stack 1: main bake sys_read, stack 2: main bake
//	             └─ sell ── main          stack 3: main sell main (calls itself)
//
// The clerk is blocked from 100 to 400 ns and then queued until 420. The baker wakes it at 400. Until then the baker
// was blocked from 50 to 250, which a timer ended, queued from 250 to 270, and ran until 400.
// It is written as report/page/PAYLOAD.md has it: varints and JSON by name, then gzip and digits.
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

class PayloadWriter {
	constructor(header) {
		this.header = {version: 1, columns: {}, ...header};
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

const HEADER = {
	unit: 1,
	hosts: ['host'],
	probes: [],
	base: null,
	unsure: [],
	what: [],
	filters: '',
	sources: [
		{
			kind: 'cpu', name: 'cpu-clock', unit: 'ns', count: 4, weight: '40', timed: true,
			duration: 1000,
		},
		{
			kind: 'offcpu', name: 'sched_switch', unit: 'ns', count: 2, weight: '540', timed: true,
			duration: 1000,
		},
	],
	recordings: [
		{host: 0, offset: 0, length: 1000, leastWait: 0},
	],
};

const NUMBERS = {
	nodeUp: [0, 0, 0, 2, 0],
	nodeFunction: [1, 0, 3, 2, 1],
	functionModule: [1, 1, 1, 0],
	functionKind: [0, 0, 2, 1],
	taskComm: [0, 1],
	taskHost: [0, 0],
	taskFlags: [0, 0],
	taskThread: [0, 0],
	taskProcessComm: [0, 1],
	placeKernel: [0, 4, 0, 0],
	placeUser: [0, 1, 1, 3],
	entrySource: [0, 0, 1, 1],
	entryStack: [1, 3, 1, 2],
	entryTask: [1, 0, 1, 0],
	entryCount: [3, 1, 1, 1],
	entryWeight: [30, 10, 220, 320],
	entryRunQueue: [0, 0, 20, 20],
	sampleRuns: [0, 0, 1, 3, 0, 0, 2, 1],
	sampleTask: [0, 0, 2, 0],
	sampleStack: [1, 3, 1, 1],
	waitRuns: [0, 0, 1, 0, 1, 1],
	waitSleep: [300, 200],
	waitRunQueue: [20, 20],
	waitKind: [0, 1],
	waitStack: [2, 1],
	waitCpu: [1, 0],
	waitWaker: [1, 2],
	waitPurpose: [1, 2],
	wakerTask: [2, 0],
	wakerStack: [2, 3],
	wakerStep: [0, 1],
	sumRecording: [0, 0],
	sumTask: [0, 1],
	sumFrom: [0, 0],
	sumTo: [1000, 1000],
	sumRunning: [500, 600],
	sumUnknown: [0, 0],
	sumCount: Array(14).fill(0),
	sumTotal: Array(14).fill(0),
	sumRunQueue: Array(14).fill(0),
};

/* CPU 0 has samples at 100, 200 and 900 ns, CPU 1 at 500. */
const SIGNED = {
	stackNode: [0, 3, -1, 3],
	taskTid: [11, 1],
	taskProcess: [1, 2],
	sampleTime: [100, 100, 700, 500],
	sampleNewTask: [1, -1, 1],
	waitGap: [100, 50],
};

export function tinyWriter(changes = {}) {
	const writer = new PayloadWriter({...HEADER, ...changes.header});

	writer.json('functions', ['bake', 'main', 'sell', 'sys_read']);
	writer.json('modules', ['[kernel]', 'shop']);
	writer.json('comms', ['clerk', 'baker']);
	writer.json('kinds', [[0, 1, 0, 'S', 1], [0, 3, 0, 'S', 1]]);
	writer.json('purposes', [['in read of pipe:5', ''], ['sleep', ' 200 us']]);
	for (const [name, value] of Object.entries(changes.json ?? {})) writer.json(name, value);
	for (const [name, values] of Object.entries({...NUMBERS, ...changes.numbers}))
		writer.numbers(name, values);
	for (const [name, values] of Object.entries({...SIGNED, ...changes.signed})) writer.signed(name, values);
	return writer;
}
