// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What selections weigh, worked out by hand for the profile of tiny.mjs.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {rwalker} from './load.mjs';
import {tinyWriter} from './tiny.mjs';

const profile = rwalker.decode(new Uint8Array(tinyWriter().bytes()));
const whole = {source: 0, from: null, to: null, tasks: null, classes: null};

function weights(selection) {
	return [...rwalker.select(profile, {...whole, ...selection}).weight];
}

test('everything comes from the exact sums', () => {
	assert.deepEqual(weights({}), [0, 30, 0, 10]);
	assert.deepEqual(weights({source: 1}), [0, 220, 320, 0]);
	assert.deepEqual(weights({tasks: [1, 0]}), [0, 0, 0, 10]);
});

test('sums of a source whose samples are all there are made of them', () => {
	const writer = tinyWriter({
		numbers: Object.fromEntries(
			['Source', 'Stack', 'Task', 'Flags', 'Count', 'Weight', 'RunQueue'].map(name => [
				`entry${name}`,
				[],
			])
		),
	});

	writer.header.sources = writer.header.sources.map((source, i) => ({...source, complete: i === 0}));
	const complete = rwalker.decode(new Uint8Array(writer.bytes()));

	assert.deepEqual([...rwalker.select(complete, whole).weight], [0, 30, 0, 10]);
	assert.deepEqual([...rwalker.select(complete, {...whole, tasks: [1, 0]}).weight], [0, 0, 0, 10]);
	assert.equal(rwalker.select(complete, whole).events, 4);
});

test('a range has the samples from its start, and not those at its end', () => {
	assert.deepEqual(weights({from: 100, to: 500}), [0, 10, 0, 10]);
	assert.deepEqual(weights({from: 101, to: 901}), [0, 20, 0, 10]);
	assert.deepEqual(weights({from: 0, to: 1000}), [0, 30, 0, 10]);
});

test('a range has the overlap of waits', () => {
	assert.deepEqual(weights({source: 1, from: 200, to: 260}), [0, 60, 60, 0]);
	assert.deepEqual(weights({source: 1, from: 260, to: 410}), [0, 10, 150, 0]);
	assert.deepEqual(weights({source: 1, from: 500, to: 600}), [0, 0, 0, 0]);
	assert.deepEqual(weights({source: 1, classes: 1 << rwalker.CLASS.PREEMPTED}), [0, 0, 0, 0]);
});

/* In ticks of a microsecond: from before the start until within the first one, within one, and within the last one. */
test('what has less than a tick counts, but not in a range that only touches it', () => {
	const writer = tinyWriter({
		numbers: {
			waitRuns: [0, 0, 3],
			waitSleep: [50, 0, 0],
			waitRunQueue: [0, 0, 0],
			waitKind: [0, 0, 0],
			waitStack: [2, 2, 2],
			waitCpu: [0, 0, 0],
			waitWaker: [0, 0, 0],
			waitPurpose: [0, 0, 0],
		},
		signed: {waitGap: [-50, 500, 499]},
	});
	const edges = rwalker.decode(new Uint8Array(writer.bytes()));
	const events = (from, to) => rwalker.select(edges, {...whole, source: 1, from, to}).events;
	const counted = range => {
		const [thread] = rwalker.threadsOf(edges).list;

		return rwalker.threadTimes(edges, thread, range).waits;
	};

	assert.equal(counted({from: null, to: null}), 3);
	assert.equal(counted({from: 0, to: 1000}), 2);
	assert.equal(events(0, 500), 0);
	assert.equal(events(500, 999), 1);
	assert.equal(events(500, 1000), 2);
});

test('a function that calls itself is counted once in its total', () => {
	const outermost = rwalker.outermost(profile.tree, 4),
		sums = rwalker.select(profile, whole);
	const {self, total} = rwalker.sumFunctions(profile, sums, outermost);

	assert.deepEqual([...self], [0, 10, 0, 30]);
	assert.deepEqual([...total], [30, 40, 10, 30]);
});

test('the share of a search is that of the chains that have it', () => {
	const sums = rwalker.select(profile, whole),
		found = name =>
			rwalker.weightThrough(
				profile,
				sums,
				Uint8Array.from(profile.functions, called => called.name === name)
			);

	assert.equal(found('sell'), 10);
	assert.equal(found('main'), 40);
	assert.equal(found('nothing'), 0);
});

function drawn(node) {
	const children = rwalker.childrenOf(node).map(drawn);

	return [node.text ?? profile.functions[node.function]?.name ?? 'all', node.weight, ...children];
}

test('a flame graph, its leaves first, and one function of it', () => {
	const sums = rwalker.select(profile, whole),
		chains = rwalker.chainsOf(profile, sums.weight, null);
	const outermost = rwalker.outermost(profile.tree, 4),
		both = rwalker.sandwich(profile, chains, outermost, 0);

	assert.deepEqual(drawn(rwalker.downTree(profile, chains, {})), [
		'all',
		40,
		['main', 40, ['bake', 30, ['sys_read', 30]], ['sell', 10, ['main', 10]]],
	]);
	assert.deepEqual(drawn(rwalker.upTree(profile, chains, {})), [
		'all',
		40,
		['sys_read', 30, ['bake', 30, ['main', 30]]],
		['main', 10, ['sell', 10, ['main', 10]]],
	]);
	assert.deepEqual(drawn(both.callers), ['bake', 30, ['main', 30]]);
	assert.deepEqual(drawn(both.callees), ['bake', 30, ['sys_read', 30]]);
});

test('bands have the threads, off-wake stacks the wakers', () => {
	const groups = rwalker.groupSelection(profile, whole, task => profile.tasks[task].comm);
	const tree = rwalker.wakerTree(profile, {...whole, source: 1});

	assert.deepEqual(drawn(rwalker.bandTree(profile, groups)), [
		'all',
		40,
		['baker', 30, ['main', 30, ['bake', 30, ['sys_read', 30]]]],
		['clerk', 10, ['main', 10, ['sell', 10, ['main', 10]]]],
	]);
	assert.deepEqual(drawn(tree), [
		'all',
		540,
		[
			'main',
			540,
			[
				'bake',
				540,
				[
					'sys_read',
					220,
					[
						'woken by a timer',
						220,
						['main', 220, ['sell', 220, ['main', 220]]],
					],
				],
				['woken by baker', 320, ['bake', 320, ['main', 320]]],
			],
		],
	]);
});

test('a comparison has both weights in one tree', () => {
	const sums = rwalker.select(profile, {...whole, from: 0, to: 300}),
		other = rwalker.select(profile, {...whole, from: 300, to: 1000});
	const root = rwalker.downTree(profile, rwalker.chainsOf(profile, sums.weight, other.weight), {});
	const [bake, sell] = rwalker.childrenOf(rwalker.childrenOf(root)[0]);

	assert.deepEqual([bake.weight, bake.base, sell.weight, sell.base], [10, 20, 10, 0]);
});

test('a wait is divided among its causes', () => {
	const index = new rwalker.ChainsIndex(profile, rwalker.threadsOf(profile).of);
	const tree = rwalker.followWaits(profile, index, [0]);
	const steps = number =>
		tree.nodes[number].children.flatMap(child => [
			`${rwalker.stepText(tree.nodes[child], 0)}: ${tree.nodes[child].weight}`,
			...steps(child),
		]);

	/* Of the clerk's 320: its own 20 on the run queue, and the baker's 150 blocked, 20 queued, and 130 running. */
	assert.deepEqual(steps(0), [
		'clerk blocked in bake, in read of pipe:5: 320',
		'woken by baker in bake, which was blocked in sys_read (bake), sleep 200 us: 150',
		'woken by a timer: 150', 'woken by baker in bake, which was running: 130',
		'runnable, waiting for a CPU: 20', 'woken by baker in bake, which was waiting for a CPU: 20',
	]);
});

test('running needs evidence', () => {
	const {of} = rwalker.threadsOf(profile),
		unknown = profile.sums.task.map(task => (of[task] === of[1] ? 130 : 0));
	const lost = {...profile, sums: {...profile.sums, unknown: [...unknown].map(ticks => ticks * profile.unit)}};
	const tree = rwalker.followWaits(lost, new rwalker.ChainsIndex(lost, of), [0]),
		kinds = tree.nodes.map(node => `${node.step?.kind} ${node.weight}`);

	assert.ok(kinds.includes('unseen 130'), kinds.join(', '));
	assert.ok(!kinds.some(kind => kind.startsWith('ran')), kinds.join(', '));
});

test('a wait within another one is never the current one', () => {
	const waits = {
		out: [50, 100, 300],
		length: [200, 1, 50],
		runs: [{recording: 0, task: 0, first: 0, end: 3}],
	};
	const index = new rwalker.ChainsIndex({waits, sums: {task: []}, unit: 1}, [0]),
		thread = index.find(0, 0);

	assert.deepEqual(
		[0, 99, 100, 150, 249, 250, 349, 350].map(time => thread.after(time)),
		[0, 0, 0, 0, 0, 2, 2, 3]
	);
});

test('a link says what a state is, and one that was made up does no harm', () => {
	const start = {...new rwalker.App(profile).start},
		state = {
			...start,
			source: 1,
			from: 5,
			to: 9,
			search: 'a&b=c',
			zoom: ['1', '-x/y'],
			wait: 1,
		};

	assert.deepEqual(rwalker.readLink(`#${rwalker.writeLink(state, start)}`, start, profile), state);
	assert.deepEqual(
		rwalker.readLink('#wait=99&source=x&from=9&to=5&__proto__=1&search=%', start, profile),
		start
	);
});

test('a pyramid has the time of its waits, at each level', () => {
	const [clerk] = rwalker.threadsOf(profile).list,
		axis = {from: 0, to: 1000};

	for (const count of [1, 2, 10, 1000]) {
		const pixels = rwalker.makePixels(count, 0, 1000 / count);

		rwalker.addThread(profile, clerk, axis, pixels);
		const sum = channel =>
			Math.round(pixels.sums[channel].reduce((left, right) => left + right, 0));

		assert.deepEqual(
			[sum(rwalker.CHANNEL.BLOCKED), sum(rwalker.CHANNEL.QUEUED)],
			[300, 20],
			`${count} pixels`
		);
	}
});

test('figures are rounded as in reports', () => {
	assert.equal(rwalker.percent(1, 3), '33.33%');
	assert.equal(rwalker.percent(1, 0), '0.00%');
	assert.equal(rwalker.time(1234567), '1.235 ms');
	assert.equal(rwalker.time(12), '12 ns');
	assert.equal(rwalker.axisTime(1.5e9, 5e8), '1.5 s');
});
