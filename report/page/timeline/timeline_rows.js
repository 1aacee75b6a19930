/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The rows of the timeline and their order: threads, or processes with all their threads. */
(function (rwalker) {
	'use strict';

	/* [name in links, text, what is compared: largest first, or texts] */
	const ORDERS = [
		['held', 'run queue and D', row => row.queued + row.deep],
		['running', 'running', row => row.running],
		['blocked', 'blocked', row => row.blocked],
		['samples', 'samples', row => row.samples],
		['name', 'name', null],
		['process', 'process', row => -row.threads[0].tgid],
	];

	/* Computes the figures of all threads, once. */
	function measure(app) {
		const {profile, threads} = app,
			whole = {from: null, to: null},
			{first} = threads.samples;

		threads.list.forEach(thread => {
			const times = rwalker.threadTimes(profile, thread, whole);

			Object.assign(thread, {
				queued: times.queued,
				blocked: times.blocked,
				deep: times.D,
				running: times.running ?? 0,
				samples: first[thread.number + 1] - first[thread.number],
				shown: 0,
				name: rwalker.threadName(thread, profile.hosts),
			});
		});
		markShown(app);
		addBins(profile, threads);
		addWalked(profile, threads);
	}

	/* The waits that --max-page reduced to sums. */
	function addBins({bins, unit}, threads) {
		bins.task.forEach((task, row) => {
			const thread = threads.list[threads.of[task]];

			(thread.bins ??= []).push(row);
			thread.queued += bins.runQueue[row] * unit;
			thread.blocked += bins.blocked[row] * unit;
		});
	}

	function addWalked({walked}, threads) {
		walked.task.forEach((task, row) => (threads.list[threads.of[task]].walked ??= []).push(row));
	}

	/* Marks the threads that the report is about: not those whose waits are only for chains. */
	function markShown({profile, threads}) {
		const {waits} = profile,
			shown = rwalker.shownKinds(waits);

		for (const thread of threads.list)
			thread.shown =
				thread.samples > 0 ||
				thread.runs.some(run => {
					for (let i = run.first; i < run.end; i++)
						if (shown[waits.kind[i]]) return true;
					return false;
				});
	}

	function isKnown(thread) {
		return (
			thread.waits > 0 ||
			thread.samples > 0 ||
			thread.sums.length > 0 ||
			Boolean(thread.bins ?? thread.walked)
		);
	}

	function isApart(thread) {
		return (
			Boolean(thread.flags & rwalker.TASK.APART) ||
			(!thread.shown && !thread.bins && !thread.walked)
		);
	}

	function rowOf(threads, name) {
		const sum = key => threads.reduce((total, thread) => total + thread[key], 0);

		return {
			threads,
			name,
			queued: sum('queued'),
			deep: sum('deep'),
			running: sum('running'),
			blocked: sum('blocked'),
			samples: sum('samples'),
		};
	}

	function foldRows(threads, hosts) {
		const processes = new Map();

		for (const thread of threads) {
			const key = `${thread.host} ${thread.tgid}`;

			processes.set(key, [...(processes.get(key) ?? []), thread]);
		}
		return [...processes.values()].map(members => {
			const [{process, tgid, host}] = members;
			const name = rwalker.threadName({comm: process, tid: tgid, tgid, host}, hosts);

			return rowOf(members, members.length > 1 ? `${name} ×${members.length}` : name);
		});
	}

	function sortRows(rows, order) {
		const [, , figure] = ORDERS.find(([name]) => name === order) ?? ORDERS[0];

		rows.sort(
			(left, right) =>
				(figure ? figure(right) - figure(left) : 0) ||
				left.name.localeCompare(right.name, 'en') ||
				left.threads[0].number - right.threads[0].number
		);
	}

	/* The threads of a chain, in the order in which the chain goes through them. */
	function chainThreads(app) {
		const chain = app.chain(),
			{of, list} = app.threads;

		if (!chain) return [];
		const tasks = [app.runOf(chain.wait).task, ...chain.seen.map(part => part.task)];

		return [...new Set(tasks.map(task => list[of[task]]))].slice(0, 24);
	}

	/* {rows, apart: number of threads that are collapsed or can be}. */
	function timelineRows(app) {
		const {profile, threads, state} = app,
			tasks = app.tasks(),
			first = chainThreads(app),
			firsts = new Set(first);
		const wanted = threads.list.filter(
			thread =>
				isKnown(thread) &&
				!firsts.has(thread) &&
				(!tasks || thread.tasks.some(task => tasks[task]))
		);
		const others = wanted.filter(thread => state.throughout || !isApart(thread));
		const rows = state.fold
			? foldRows(others, profile.hosts)
			: others.map(thread => rowOf([thread], thread.name));

		sortRows(rows, state.order);
		return {
			rows: [
				...first.map(thread => ({
					...rowOf([thread], thread.name),
					inChain: true,
				})),
				...rows,
			],
			apart: wanted.filter(isApart).length,
		};
	}

	Object.assign(rwalker, {timelineRows, measureThreads: measure, ORDERS});
})((globalThis.rwalker ??= {}));
