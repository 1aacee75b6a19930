// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Made-up profiles, the same each time: make_payload.mjs small|samples|waits|stacks > PAYLOAD
import {PayloadWriter} from './columns.mjs';

const SIZES = {
	small: {samples: 4000, threads: 12, waits: 3000, stacks: 300, depth: 14, functions: 120, seconds: 4},
	samples: {
		samples: 80000, threads: 2000, waits: 0, stacks: 6000, depth: 24, functions: 1500, seconds: 30,
	},
	waits: {samples: 0, threads: 200, waits: 1900000, stacks: 3000, depth: 20, functions: 800, seconds: 60},
	stacks: {
		samples: 1000000, threads: 64, waits: 0, stacks: 200000, depth: 34, functions: 20000,
		seconds: 60,
	},
};
const CPUS = 4;
const COMMS = ['clerk', 'baker', 'miller', 'postgres', 'nginx', 'kworker/0:1', 'java', 'swapper'];

function makeRandom(seed) {
	return bound => {
		seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
		return Math.floor((seed / 2 ** 32) * bound);
	};
}

/* Chains share their beginnings, as real ones do: each goes on from a random node of an earlier one. */
function makeTree(size, random) {
	const nodes = [{children: new Map(), depth: 0}],
		leaves = new Set();

	while (leaves.size < size.stacks) {
		let node = nodes[random(nodes.length)];
		const more = 1 + random(Math.max(1, size.depth - node.depth));

		for (let i = 0; i < more; i++) {
			const called = Math.floor(random(size.functions) * (random(100) / 100));

			if (!node.children.has(called)) {
				const child = {children: new Map(), depth: node.depth + 1, called};

				node.children.set(called, child);
				nodes.push(child);
			}
			node = node.children.get(called);
		}
		leaves.add(node);
	}
	return {root: nodes[0], leaves: [...leaves]};
}

/* Preorder, siblings by number of function. */
function writeTree(writer, {root}) {
	const up = [],
		named = [],
		open = [...root.children.values()].sort((a, b) => b.called - a.called);
	let depth = 0,
		number = 0;

	root.number = 0;
	while (open.length) {
		const node = open.pop();

		node.number = ++number;
		up.push(depth + 1 - node.depth);
		named.push(node.called);
		depth = node.depth;
		open.push(...[...node.children.values()].sort((a, b) => b.called - a.called));
	}
	writer.numbers('nodeUp', up);
	writer.numbers('nodeFunction', named);
}

function writeNames(writer, size) {
	const width = String(size.functions).length,
		name = i => `function_${String(i).padStart(width, '0')}`;

	const functions = Array.from({length: size.functions}, (_, i) => i),
		tasks = Array.from({length: size.threads + 1}, (_, i) => i);

	writer.json('functions', functions.map(name));
	writer.numbers(
		'functionModule',
		functions.map(i => (i % 4 === 1 ? 0 : 1 + (i % 3)))
	);
	writer.numbers(
		'functionKind',
		functions.map(i => [0, 1, 2, 0, 1, 3][i % 6])
	);
	writer.json('modules', ['[kernel]', 'libc.so.6', 'server', 'libwork.so']);
	writer.json('comms', COMMS);
	writer.numbers(
		'taskComm',
		tasks.map(i => (i ? i % 7 : 7))
	);
	writer.signed(
		'taskTid',
		tasks.map(i => (i === 1 ? 1001 : Math.min(i, 1)))
	);
	writer.signed(
		'taskProcess',
		tasks.map(i => i && 1000 + i - (1000 + (i >> 3) * 8))
	);
	writer.numbers(
		'taskHost',
		tasks.map(() => 0)
	);
	writer.numbers(
		'taskFlags',
		tasks.map(i => (i ? Number(i % 7 === 5) : 3))
	);
	writer.numbers(
		'taskThread',
		tasks.map(() => 0)
	);
	writer.numbers(
		'taskProcessComm',
		tasks.map(i => (i ? i % 7 : 7))
	);
}

/* By CPU, then time. A task has some samples in a row. */
function writeSamples(writer, size, random) {
	const each = Math.floor(size.samples / CPUS),
		runs = [],
		time = [],
		task = [],
		fresh = [],
		stack = [];
	const step = Math.floor((size.seconds * 1e9) / Math.max(1, each));
	let newest = 0;

	for (let cpu = 1; cpu <= CPUS && each; cpu++) {
		const last = new Map();
		let spells = 0,
			running = 0;

		runs.push(0, 0, cpu, each);
		for (let i = 0; i < each; i++) {
			const goesOn = i > 0 && random(3) > 0,
				next = goesOn ? running : 1 + random(size.threads);

			time.push((i ? step : 0) + random(1000));
			stack.push(Math.min(random(size.stacks), random(size.stacks)) + 1);
			if (next !== running || !i) spells++;
			task.push(!last.has(next) ? 0 : next === running ? 1 : spells - last.get(next));
			if (!last.has(next)) {
				fresh.push(next - newest);
				newest = next;
			}
			last.set(next, spells);
			running = next;
		}
	}
	writer.numbers('sampleRuns', runs);
	writer.signed('sampleTime', time);
	writer.numbers('sampleTask', task);
	writer.signed('sampleNewTask', fresh);
	writer.numbers('sampleStack', stack);
	return task.length;
}

function makeWaits(size, unit, random, entries) {
	const each = Math.floor(size.waits / size.threads),
		ticks = (size.seconds * 1e9) / unit;
	const columns = {
		runs: [],
		gap: [],
		length: [],
		runQueue: [],
		kind: [],
		stack: [],
		cpu: [],
		waker: [],
	};

	for (let task = 1; task <= size.threads && each; task++) {
		const slot = Math.floor(ticks / each);

		columns.runs.push(0, task, each);
		for (let i = 0; i < each; i++) {
			const gap = 1 + random(Math.floor(slot / 3)),
				length = Math.floor(slot / 4) + random(Math.floor(slot / 3));
			const kind = [0, 0, 0, 0, 0, 1, 2, 4][random(8)];

			columns.gap.push(gap);
			columns.length.push(length);
			columns.kind.push(kind);
			columns.runQueue.push(kind < 2 ? random(Math.floor(length / 4)) : 0);
			columns.stack.push(1 + random(size.stacks));
			columns.cpu.push(1 + random(4));
			columns.waker.push(kind < 2 ? 1 + random(Math.min(400, size.threads * 8)) : 0);
			entries.add(
				1,
				task,
				columns.stack.at(-1),
				1,
				length * unit,
				columns.runQueue.at(-1) * unit
			);
		}
	}
	return columns;
}

function writeWaits(writer, columns, size, random) {
	const count = Math.min(400, size.threads * 8),
		numbers = Array.from({length: count}, (_, i) => i);

	writer.numbers('waitRuns', columns.runs);
	writer.signed('waitGap', columns.gap);
	writer.numbers(
		'waitSleep',
		columns.length.map((length, i) => length - columns.runQueue[i])
	);
	for (const name of ['runQueue', 'kind', 'stack', 'cpu', 'waker'])
		writer.numbers(`wait${name[0].toUpperCase()}${name.slice(1)}`, columns[name]);
	writer.numbers(
		'waitPurpose',
		columns.length.map((_, i) => i % 4)
	);
	writer.json('purposes', [
		['in read of pipe:5', ''],
		['on futex 0x7f0000001000 of app 4711', ' (held by app 4712)'],
		['sleep', ' 20.0 ms'],
	]);
	writer.json('kinds', [
		[0, 1, 0, 'S', 1], [0, 3, 0, 'D', 1], [1, 0, 0, 'R', 1], [2, 0, 0, 'R', 1], [4, 0, 0, 'R', 1],
	]);
	writer.numbers(
		'wakerTask',
		numbers.map(i => 1 + (i % size.threads) + 1)
	);
	writer.numbers(
		'wakerStack',
		numbers.map(() => 1 + random(size.stacks))
	);
	writer.numbers(
		'wakerStep',
		numbers.map(i => (i % 9 ? 0 : 1))
	);
}

class Entries {
	constructor(stacks, tasks) {
		this.sums = new Map();
		this.stacks = stacks;
		this.tasks = tasks;
		this.totals = [[0, 0], [0, 0]];
	}

	add(source, task, stack, count, weight, runQueue) {
		const key = (source * (this.stacks + 1) + stack) * (this.tasks + 1) + task;
		const sum =
			this.sums.get(key) ??
			this.sums.set(key, {source, task, stack, count: 0, weight: 0, runQueue: 0}).get(key);

		sum.count += count;
		sum.weight += weight;
		sum.runQueue += runQueue;
		this.totals[source][0] += count;
		this.totals[source][1] += weight;
	}

	write(writer) {
		const rows = [...this.sums].sort(([left], [right]) => left - right).map(([, sum]) => sum);

		for (const [name, field] of [
			['Source', 'source'], ['Stack', 'stack'], ['Task', 'task'], ['Count', 'count'],
			['Weight', 'weight'], ['RunQueue', 'runQueue'],
		])
			writer.numbers(
				`entry${name}`,
				rows.map(row => row[field])
			);
		writer.numbers(
			'entryFlags',
			rows.map(() => 0)
		);
	}
}

function writeSums(writer, size, seconds) {
	const tasks = Array.from({length: size.waits ? size.threads : 0}, (_, i) => i + 1);

	writer.numbers(
		'sumRecording',
		tasks.map(() => 0)
	);
	writer.numbers('sumTask', tasks);
	writer.numbers(
		'sumFrom',
		tasks.map(() => 0)
	);
	writer.numbers(
		'sumTo',
		tasks.map(() => seconds)
	);
	writer.numbers(
		'sumRunning',
		'sumUnknown',
		tasks.map(i => i * 1000000)
	);
	for (const name of ['sumCount', 'sumTotal', 'sumRunQueue'])
		writer.numbers(
			name,
			tasks.flatMap(i => Array.from({length: 7}, (_, kind) => i * kind))
		);
}

function header(size, unit, entries) {
	const source = (number, kind, name, unitName) => ({
		kind,
		name,
		unit: unitName,
		count: entries.totals[number][0],
		weight: String(entries.totals[number][1]),
		timed: true,
		duration: size.seconds * 1e9,
		complete: kind === 'cpu',
	});

	return {
		unit,
		filters: '',
		what: [],
		hosts: ['host'],
		probes: [],
		base: null,
		notes: [],
		unsure: [],
		sources: [source(0, 'cpu', 'cpu-clock', 'ns'), source(1, 'offcpu', 'sched_switch', 'ns')],
		recordings: [
			{
				host: 0,
				offset: 0,
				length: (size.seconds * 1e9) / unit,
				realtime: 1732500000000,
				leastWait: 0,
				kernel: '6.12',
				cpus: 4,
			},
		],
	};
}

export function makePayload(name) {
	const size = SIZES[name],
		random = makeRandom(7),
		unit = size.waits > 300000 ? 1000 : 1;
	const tree = makeTree(size, random),
		entries = new Entries(size.stacks, size.threads);
	const waits = makeWaits(size, unit, random, entries),
		writer = new PayloadWriter({});

	entries.totals[0] = [writeSamples(writer, size, random)].map(count => [count, count * 10101010])[0];
	writeNames(writer, size);
	writeTree(writer, tree);
	writer.signed('stackNode', [
		0,
		...tree.leaves.map((leaf, i) => leaf.number - (i ? tree.leaves[i - 1].number : 0)),
	]);
	writer.numbers('placeKernel', [0, ...tree.leaves.map(leaf => leaf.called + 1)]);
	writer.numbers('placeUser', [0, ...tree.leaves.map(() => 1)]);
	entries.write(writer);
	writeWaits(writer, waits, size, random);
	writeSums(writer, size, (size.seconds * 1e9) / unit);
	Object.assign(writer.header, header(size, unit, entries));
	return writer;
}

if (process.argv[1] === new URL(import.meta.url).pathname)
	process.stdout.write(makePayload(process.argv[2] ?? 'small').text());
