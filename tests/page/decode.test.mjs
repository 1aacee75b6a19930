// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a payload becomes, and that a damaged one becomes nothing.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {gzipSync} from 'node:zlib';
import {rwalker} from './load.mjs';
import {dense, tinyWriter} from './tiny.mjs';

const refusal = pattern => error => error instanceof rwalker.Refusal && pattern.test(error.message);

function decoded(changes) {
	return rwalker.decode(new Uint8Array(tinyWriter(changes).bytes()));
}

test('the tree is in preorder', () => {
	const {tree} = decoded();

	assert.deepEqual([...tree.parent], [0, 0, 1, 2, 1, 4]);
	assert.deepEqual([...tree.depth], [0, 1, 2, 3, 2, 3]);
	assert.deepEqual([...tree.end], [6, 6, 4, 4, 6, 6]);
	assert.deepEqual(rwalker.chainOf(tree, 3), [1, 0, 3]);
});

test('times add up, numbers above 32 bits stay exact', () => {
	const profile = decoded({
		numbers: {entryWeight: [2 ** 53 - 2, 10, 220, 320]},
		header: {recordings: [{host: 0, offset: 5000, length: 1000, leastWait: 0}]},
	});

	assert.deepEqual([...profile.samples.time], [5100, 5200, 5500, 5900]);
	assert.deepEqual([...profile.samples.task], [1, 0, 1, 1]);
	assert.deepEqual([...profile.samples.cpu], [1, 1, 2, 1]);
	assert.deepEqual([...profile.samples.stack], [1, 3, 1, 1]);
	assert.deepEqual([...profile.waits.out], [5100, 5050]);
	assert.deepEqual([...profile.waits.length], [320, 220]);
	assert.equal(profile.entries.weight[0], 2 ** 53 - 2);
});

test('waits may be longer than 32 bits in sum', () => {
	const {waits} = decoded({numbers: {waitSleep: [2 ** 32 - 10, 200], waitRunQueue: [20, 20]}});

	assert.deepEqual([...waits.length], [2 ** 32 + 10, 220]);
	assert.deepEqual([...waits.runQueue], [20, 20]);
});

test('a payload that was cut or changed gives a refusal, or the same profile', async () => {
	const text = tinyWriter().text(),
		same = JSON.stringify(await rwalker.load(text));

	for (let i = 0; i < text.length; i += 3) {
		const changed = text.slice(0, i) + (text[i] === 'A' ? 'B' : 'A') + text.slice(i + 1);

		for (const damaged of [changed, text.slice(0, i)]) {
			const result = await rwalker.load(damaged).catch(error => error);

			assert.ok(
				result instanceof rwalker.Refusal || JSON.stringify(result) === same,
				`character ${i}: ${result}`
			);
		}
	}
});

test('bytes after the gzip member are refused', async () => {
	const bytes = Buffer.concat([gzipSync(tinyWriter().bytes()), Buffer.from('more')]);

	await assert.rejects(rwalker.load(dense(bytes)), refusal(/cut or changed/));
});

test('every number is checked against its table, and the refusal names the column', () => {
	const wrong = {
		nodeUp: [0, 0, 0, 9, 0],
		nodeFunction: [1, 0, 3, 2, 4],
		functionModule: [1, 2, 1, 0],
		taskComm: [0, 2],
		taskThread: [0, 2],
		taskProcessComm: [0, 2],
		entrySource: [0, 0, 1, 2],
		entryStack: [1, 3, 1, 4],
		entryTask: [1, 0, 1, 2],
		sampleTask: [0, 0, 3, 0],
		sampleStack: [1, 3, 1, 4],
		sampleRuns: [0, 0, 1, 3],
		waitRuns: [0, 0, 1, 0, 2, 1],
		waitKind: [0, 2],
		waitStack: [2, 4],
		waitWaker: [1, 3],
		waitPurpose: [1, 3],
		wakerTask: [3, 0],
		wakerStack: [2, 4],
		wakerStep: [6, 1],
		sumTask: [0, 2],
	};

	const wrongSigned = {
		stackNode: [0, 3, -4, 3],
		sampleNewTask: [1, -2, 1],
	};
	const refused = (changes, name) =>
		assert.throws(() => decoded(changes), refusal(new RegExp(`'${name}'`)), name);

	for (const [name, values] of Object.entries(wrong)) refused({numbers: {[name]: values}}, name);
	for (const [name, values] of Object.entries(wrongSigned)) refused({signed: {[name]: values}}, name);
	refused({signed: {sampleNewTask: [1, -1, 1, 0]}}, 'sampleNewTask');
	refused({numbers: {sampleRuns: [0, 0, 1, 1, 0, 0, 2, 3]}}, 'sampleTask');
});

test('samples of several CPUs are put in the order of time', () => {
	const {samples} = decoded({
		numbers: {
			sampleRuns: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 2, 1, 0, 0, 5, 1, 0, 0, 9, 2],
			sampleTask: [0, 0, 0, 0, 0, 1],
			sampleStack: [1, 2, 3, 1, 2, 3],
		},
		signed: {sampleTime: [300, 100, 200, 100, 50, 450], sampleNewTask: [0, 1, -1, 1, -1]},
	});

	assert.deepEqual([...samples.time], [50, 100, 100, 200, 300, 500]);
	assert.deepEqual([...samples.cpu], [9, 1, 5, 2, 0, 9]);
	assert.deepEqual([...samples.stack], [2, 2, 1, 3, 1, 3]);
	assert.deepEqual([...samples.task], [0, 1, 1, 0, 0, 0]);
	assert.deepEqual(samples.runs, [{source: 0, recording: 0, first: 0, end: 6}]);
});

test('times are told by their distance from the step of their source', () => {
	const writer = tinyWriter({signed: {sampleTime: [100, -100, 500, 500]}});

	writer.header.sources = writer.header.sources.map(source => ({...source, step: 200}));
	assert.deepEqual(
		[...rwalker.decode(new Uint8Array(writer.bytes())).samples.time],
		[100, 200, 500, 900]
	);
});

test('a column is used up to its last byte', () => {
	const writer = tinyWriter();

	writer.header.columns.entryWeight[2]--;
	assert.throws(() => rwalker.decode(new Uint8Array(writer.bytes())), refusal(/'entry\w+'/));
	writer.header.columns.entryWeight[2] += 2;
	assert.throws(() => rwalker.decode(new Uint8Array(writer.bytes())), refusal(/'entry\w+'/));
});

test('a column outside of the payload, another version, and no header are refused', () => {
	const writer = tinyWriter();

	writer.header.columns.waitGap[0] = 1e6;
	assert.throws(() => rwalker.decode(new Uint8Array(writer.bytes())), refusal(/'waitGap'/));
	assert.throws(() => decoded({header: {version: 2}}), refusal(/version 2/));
	assert.throws(() => rwalker.decode(new Uint8Array([1, 2])), refusal(/header/));
	assert.throws(() => rwalker.decode(new Uint8Array([9, 0, 0, 0, 1])), refusal(/header/));
});

const PLACES = {
	json: {
		cgroups: [
			['/system.slice/docker-0123.scope', 'shop (docker 012345678901)'],
			['/user.slice', ''],
		],
	},
};

test('a page without containers has none, and says so nowhere', () => {
	const profile = decoded();

	assert.deepEqual(
		profile.tasks.map(({cgroup, container}) => [cgroup, container]),
		[['', ''], ['', '']]
	);
	assert.equal(rwalker.hasContainers(profile), false);
});

test('tasks have the cgroup and the container that they were in', () => {
	const profile = decoded({...PLACES, numbers: {taskCgroup: [1, 2]}});
	const threads = rwalker.threadsOf(profile);

	assert.deepEqual(
		profile.tasks.map(({cgroup, container}) => [cgroup, container]),
		PLACES.json.cgroups
	);
	assert.equal(rwalker.hasContainers(profile), true);
	assert.deepEqual(
		threads.list.map(thread => rwalker.containersText(profile, thread)),
		['shop (docker 012345678901)', '']
	);
	assert.deepEqual([...rwalker.tasksMatching(profile, 'shop')], [1, 0]);
	assert.deepEqual([...rwalker.tasksMatching(profile, '^/user')], [0, 1]);
	for (const taskCgroup of [[1, 3], [1]])
		assert.throws(() => decoded({...PLACES, numbers: {taskCgroup}}), refusal(/'taskCgroup'/));
});

test('a thread that was moved was in both', () => {
	const profile = decoded({
		json: {
			cgroups: [['/a', 'one'], ['/b', 'two']],
		},
		numbers: {taskCgroup: [1, 2], taskThread: [0, 1]},
	});

	assert.equal(rwalker.containersText(profile, rwalker.threadsOf(profile).list[0]), 'one, two');
});
