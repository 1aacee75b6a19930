/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * From the text in the page to the profile: digits, gzip, then tables. Every number is checked once here, so
 * later code can trust it. gzip's checksum covers everything: a page that was cut or changed anywhere is
 * refused with a sentence.
 */
(function (rwalker) {
	'use strict';

	const {Columns, Refusal} = rwalker;
	const VERSION = 1;
	const NO_PAIR = 8192,
		FIRST_DIGIT = 33;
	const ANY = Number.MAX_SAFE_INTEGER;

	/* The value of each pair of characters. Index: the code of the first one, plus 128 times that of the second. */
	function readPairs() {
		const pairs = new Uint16Array(128 * 128).fill(NO_PAIR),
			codes = [];

		for (let code = 33; code < 127; code++)
			if (!'&<\\'.includes(String.fromCharCode(code))) codes.push(code);
		codes.forEach((high, tens) => {
			codes.forEach((low, ones) => (pairs[low | (high << 7)] = ones + tens * codes.length));
		});
		return pairs;
	}

	/* Two digits are 13 bits, a single one at the end 6 (report/file/pack.h). */
	function bytesOfText(text) {
		const pairs = readPairs(),
			codes = new TextEncoder().encode(text),
			even = codes.length - (codes.length % 2);
		const bytes = new Uint8Array(Math.floor(((even / 2) * 13 + (codes.length - even) * 6) / 8));
		let at = 0,
			held = 0,
			count = 0,
			seen = 0;

		for (let i = 0; i < even; i += 2) {
			const value = pairs[(codes[i] | (codes[i + 1] << 7)) & 16383];

			seen |= value;
			held |= value << count;
			bytes[at++] = held;
			held >>>= 8;
			count += 5;
			if (count < 8) continue;
			bytes[at++] = held;
			held >>>= 8;
			count -= 8;
		}
		if (even < codes.length) {
			const last = pairs[(codes[even] | (FIRST_DIGIT << 7)) & 16383];

			seen |= last;
			if (count > 1) bytes[at] = held | (last << count);
		}
		if (seen >= NO_PAIR) throw new Refusal('the payload has a character that is no digit');
		return bytes;
	}

	async function unpack(bytes) {
		const pieces = [],
			stream = new DecompressionStream('gzip'),
			reader = stream.readable.getReader();
		const writer = stream.writable.getWriter();
		const written = writer.write(bytes).then(() => writer.close());
		let length = 0;

		written.catch(() => undefined); /* the reader fails too, and reports it */
		try {
			for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
				pieces.push(piece.value);
				length += piece.value.length;
			}
		} catch {
			throw new Refusal('the payload was cut or changed');
		}
		return joined(pieces, length);
	}

	function joined(pieces, length) {
		const all = new Uint8Array(length);
		let at = 0;

		for (const piece of pieces) {
			all.set(piece, at);
			at += piece.length;
		}
		return all;
	}

	function readHeader(bytes) {
		const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		const length = bytes.length >= 4 ? view.getUint32(0, true) : Infinity;
		let header;

		if (length > bytes.length - 4) throw new Refusal('the header is longer than the payload');
		try {
			header = JSON.parse(
				new TextDecoder('utf-8', {fatal: true}).decode(bytes.subarray(4, 4 + length))
			);
		} catch {
			throw new Refusal('the header is not JSON');
		}
		if (header.version !== VERSION)
			throw new Refusal(
				`the payload has version ${header.version}, which this page does not know`
			);
		return {header, columns: new Columns(bytes.subarray(4 + length), header.columns)};
	}

	/* A cgroup and its container; both are empty in a page without containers. */
	function placeOf(row) {
		return {cgroup: row?.[0] ?? '', container: row?.[1] ?? ''};
	}

	/* Thread ids are stored as differences from the previous one, process ids as differences from the thread id. */
	function readTasks(columns, comms) {
		const names = [
			'taskComm', 'taskTid', 'taskProcess', 'taskHost', 'taskFlags', 'taskThread',
			'taskProcessComm',
		];
		const count = columns.same(names),
			comm = columns.numbers('taskComm', comms.length),
			processComm = columns.numbers('taskProcessComm', comms.length);
		const [tids, processes] = [columns.signed('taskTid'), columns.signed('taskProcess')],
			host = columns.amounts('taskHost'),
			flags = columns.numbers('taskFlags', 256);
		const sinceFirst = columns.numbers('taskThread', count),
			cgroups = columns.json('cgroups'),
			cgroup = columns.numbers('taskCgroup', cgroups.length + 1);
		let tid = 0;

		if (cgroup.length && cgroup.length !== count)
			throw new Refusal("column 'taskCgroup' does not fit 'taskComm'");
		return Array.from(comm, (name, number) => {
			if (sinceFirst[number] > number)
				throw new Refusal("column 'taskThread' has a thread that is not there");
			tid += tids[number];
			return {
				number,
				comm: comms[name],
				process: comms[processComm[number]],
				tgid: tid - processes[number],
				tid,
				host: host[number],
				flags: flags[number],
				thread: number - sinceFirst[number],
				...placeOf(cgroups[cgroup[number] - 1]),
			};
		});
	}

	function readNames(columns) {
		const functions = columns.json('functions'),
			modules = columns.json('modules'),
			comms = columns.json('comms');
		const module = columns.numbers('functionModule', modules.length),
			kind = columns.numbers('functionKind', 256);

		for (const name of ['functionModule', 'functionKind'])
			if (columns.count(name) !== functions.length)
				throw new Refusal(`column '${name}' does not fit 'functions'`);
		return {
			functions: functions.map((name, number) => ({
				name,
				module: modules[module[number]],
				kind: kind[number],
			})),
			modules,
			comms,
			tasks: readTasks(columns, comms),
		};
	}

	/* Each is stored as the difference from the previous stack's node. */
	function readStacks(columns, nodes) {
		const steps = columns.signed('stackNode'),
			result = new Uint32Array(steps.length);
		let node = 0;

		for (let i = 0; i < steps.length; i++) {
			node += steps[i];
			if (!(node >= 0 && node < nodes))
				throw new Refusal("column 'stackNode' leads out of the tree");
			result[i] = node;
		}
		return result;
	}

	function readEntries(columns, limits) {
		columns.same([
			'entrySource', 'entryStack', 'entryTask', 'entryCount', 'entryWeight', 'entryRunQueue',
		]);
		return {
			source: columns.numbers('entrySource', limits.sources),
			stack: columns.numbers('entryStack', limits.stacks),
			task: columns.numbers('entryTask', limits.tasks),
			count: columns.amounts('entryCount'),
			weight: columns.amounts('entryWeight'),
			runQueue: columns.amounts('entryRunQueue'),
		};
	}

	function readBase(columns, limits) {
		columns.same(['baseStack', 'baseSource', 'baseCount', 'baseWeight', 'baseRunQueue']);
		return {
			source: columns.numbers('baseSource', limits.sources),
			stack: columns.numbers('baseStack', limits.stacks),
			count: columns.amounts('baseCount'),
			weight: columns.amounts('baseWeight'),
			runQueue: columns.amounts('baseRunQueue'),
		};
	}

	/* Sums of the waits that were only counted: 7 kinds per row (enum wait_sum_kind). */
	function readSums(columns, limits) {
		const kinds = 7,
			rows = columns.same([
				'sumRecording', 'sumTask', 'sumFrom', 'sumTo', 'sumRunning', 'sumUnknown',
			]);

		for (const name of ['sumCount', 'sumTotal', 'sumRunQueue'])
			if (columns.count(name) !== rows * kinds)
				throw new Refusal(`column '${name}' does not fit 'sumTask'`);
		return {
			recording: columns.numbers('sumRecording', limits.recordings),
			task: columns.numbers('sumTask', limits.tasks),
			from: columns.amounts('sumFrom'),
			to: columns.amounts('sumTo'),
			running: columns.amounts('sumRunning'),
			unknown: columns.amounts('sumUnknown'),
			count: columns.amounts('sumCount'),
			total: columns.amounts('sumTotal'),
			runQueue: columns.amounts('sumRunQueue'),
			kinds,
		};
	}

	function readWalks(columns, limits) {
		const walks = columns.json('walks'),
			states = columns.json('walkStates'),
			purposes = columns.json('walkPurposes');

		columns.same([
			'walkWalk', 'walkTask', 'walkStack', 'walkState', 'walkWait', 'walkBound', 'walkPurpose',
		]);
		return {
			walks,
			states,
			purposes,
			walk: columns.numbers('walkWalk', walks.length),
			task: columns.numbers('walkTask', limits.tasks),
			stack: columns.numbers('walkStack', limits.stacks),
			state: columns.numbers('walkState', states.length),
			wait: columns.amounts('walkWait'),
			bound: columns.numbers('walkBound', 256),
			purpose: columns.numbers('walkPurpose', purposes.length + 1),
		};
	}

	/* The shorter waits that --max-page reduced to sums. */
	function readBins(columns, header, limits) {
		columns.same([
			'binTask', 'binRecording', 'binFirst', 'binBlocked', 'binRunQueue', 'binOther',
		]);
		return {
			ticks: header.binTicks ?? 0,
			task: columns.numbers('binTask', limits.tasks),
			recording: columns.numbers('binRecording', limits.recordings),
			first: columns.amounts('binFirst'),
			blocked: columns.amounts('binBlocked'),
			runQueue: columns.amounts('binRunQueue'),
			other: columns.amounts('binOther'),
		};
	}

	function readPlaces(columns, limits) {
		const read = name => {
			const place = columns.numbers(name, limits.functions + 1);

			return place.length === limits.stacks ? place : new Uint8Array(limits.stacks);
		};

		return {kernel: read('placeKernel'), user: read('placeUser')};
	}

	function readUnsure({unsure = [], recordings}) {
		for (const [recording, from, to] of unsure)
			if (!(recording >= 0 && recording < recordings.length && from >= 0 && from <= to))
				throw new Refusal('unsure: a stretch is of no recording, or ends before it begins');
		return unsure;
	}

	function decode(bytes) {
		const {header, columns} = readHeader(bytes),
			names = readNames(columns);
		const tree = rwalker.readTree(columns, names.functions.length);
		const stackNode = readStacks(columns, tree.count);
		const limits = {
			sources: header.sources.length, recordings: header.recordings.length,
			stacks: stackNode.length, tasks: names.tasks.length, functions: names.functions.length,
			any: ANY,
		};

		return {
			...header,
			...names,
			unsure: readUnsure(header),
			tree,
			stackNode,
			places: readPlaces(columns, limits),
			entries: readEntries(columns, limits),
			baseEntries: readBase(columns, limits),
			samples: rwalker.readSamples(columns, header, limits),
			waits: rwalker.readWaits(columns, header, limits),
			sums: readSums(columns, limits),
			walked: readWalks(columns, limits),
			bins: readBins(columns, header, limits),
		};
	}

	/* Returns a promise of the profile, or of a Refusal. */
	async function load(text) {
		if (typeof DecompressionStream === 'undefined')
			throw new Refusal('this browser cannot unpack it (DecompressionStream is missing)');
		return decode(await unpack(bytesOfText(text)));
	}

	Object.assign(rwalker, {decode, load});
})((globalThis.rwalker ??= {}));
