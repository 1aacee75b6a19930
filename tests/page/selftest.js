/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The page's figures, one object each, computed by the same code as the pictures. A test compares them with the
 * reporter's text of the same trace.
 */
(function (rwalker) {
	'use strict';

	const RANGES = 20;

	function whole(source) {
		return {source, from: null, to: null, tasks: null, classes: null};
	}

	function sourceLine(profile, source, sums) {
		const {kind, name} = profile.sources[source];

		return {
			what: 'source',
			source,
			kind,
			name,
			count: sums.events,
			weight: sums.total,
			queued: sums.queued,
			single: rwalker.select(profile, {...whole(source), from: -Infinity, to: Infinity})
				.events,
		};
	}

	function functionLines(profile, source, sums, outermost) {
		const {self, total, count, queued} = rwalker.sumFunctions(profile, sums, outermost);

		return profile.functions
			.map(({name, module, kind}, number) => ({
				what: 'function',
				source,
				name,
				module,
				kind,
				self: self[number],
				total: total[number],
				count: count[number],
				queued: queued[number],
			}))
			.filter(line => line.total > 0);
	}

	/* The sums of --folded by its first word. */
	function commLines(profile, source) {
		const comms = new Map();

		rwalker.visitSelection(profile, whole(source), (stack, weight, count, runQueue, task) => {
			const {comm} = profile.tasks[task],
				line = comms.get(comm) ?? {what: 'comm', source, comm, weight: 0, count: 0};

			line.weight += weight;
			line.count += count;
			comms.set(comm, line);
		});
		return [...comms.values()];
	}

	function threadLines(profile, threads) {
		return threads.list
			.filter(thread => thread.sums.length || thread.waits)
			.map(thread => {
				const times = rwalker.threadTimes(profile, thread, {from: null, to: null});

				return {
					what: 'thread',
					tid: thread.tid,
					pid: thread.tgid,
					...times,
				};
			});
	}

	function chainLines(profile, threads) {
		const index = new rwalker.ChainsIndex(profile, threads.of),
			leastWait = rwalker.leastWaitOf(profile);
		const tree = rwalker.followWaits(profile, index, rwalker.chooseTargets(profile));

		return tree.nodes.slice(1).map(node => ({
			what: node.step.kind === 'target' ? 'target' : 'step',
			text: rwalker.stepText(node, leastWait),
			purposes: rwalker.purposesText(node),
			weight: node.weight * profile.unit,
			count: node.count,
		}));
	}

	/* The same ranges each time, in whole µs, as --time accepts them. */
	function makeRanges({from, to}, unit) {
		const us = 1000 / unit,
			length = Math.floor((to - from) / us),
			ranges = [];
		let seed = 12345;
		const random = () => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) / 2 ** 32;

		for (let i = 0; i < RANGES; i++) {
			const [first, last] = [random(), random()]
				.map(part => Math.floor(part * length))
				.sort((left, right) => left - right);

			if (last > first) ranges.push({from: from + first * us, to: from + last * us});
		}
		return ranges;
	}

	function rangeLines(profile, source, axis) {
		return makeRanges(axis, profile.unit).map(range => {
			const sums = rwalker.select(profile, {...whole(source), ...range});

			return {
				what: 'range',
				source,
				from: (range.from - axis.from) * profile.unit,
				to: (range.to - axis.from) * profile.unit,
				count: sums.events,
				weight: sums.total,
			};
		});
	}

	function selftestLines(profile) {
		const app = new rwalker.App(profile),
			lines = [{what: 'unit', unit: profile.unit, begin: profile.times?.[0]?.[1]}];

		for (const {number, timed} of app.sources) {
			const sums = rwalker.select(profile, whole(number));

			lines.push(
				sourceLine(profile, number, sums),
				...functionLines(profile, number, sums, app.outermost()),
				...commLines(profile, number),
				...(timed ? rangeLines(profile, number, app.axis) : [])
			);
		}
		lines.push(
			...threadLines(profile, app.threads),
			...chainLines(profile, app.threads)
		);
		return lines;
	}

	Object.assign(rwalker, {selftestLines});
})((globalThis.rwalker ??= {}));
