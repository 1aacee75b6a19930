/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Threads: the tasks that the payload marks as one thread, which are several if it changed its comm. Each thread has
 * its runs of waits, by recording and time, and its sums.
 */
(function (rwalker) {
	'use strict';

	const TASK = {KERNEL: 1, APART: 2};

	function collectThreads(profile) {
		const numbers = new Map(),
			threads = [],
			of = new Uint32Array(profile.tasks.length);

		for (const task of profile.tasks) {
			if (!numbers.has(task.thread)) {
				numbers.set(task.thread, threads.length);
				threads.push({
					number: threads.length,
					tasks: [],
					runs: [],
					sums: [],
					tid: task.tid,
					tgid: task.tgid,
					host: task.host,
					flags: task.flags,
				});
			}
			of[task.number] = numbers.get(task.thread);
			const thread = threads[of[task.number]];

			thread.tasks.push(task.number);
			thread.process = task.process;
			/* The last one, by which it is known; a first thread has the name of its process. */
			thread.comm = task.tid === task.tgid ? task.process : task.comm;
			thread.flags &= task.flags;
		}
		return {threads, of};
	}

	/* Adds up how long each thread is known to have waited and run, in ticks and ns. */
	function addFigures(profile, threads, of) {
		const {waits, sums} = profile;

		for (const run of waits.runs) threads[of[run.task]].runs.push(run);
		for (let i = 0; i < sums.task.length; i++) threads[of[sums.task[i]]].sums.push(i);
		for (const thread of threads) {
			thread.runs.sort(
				(left, right) =>
					left.recording - right.recording ||
					waits.out[left.first] - waits.out[right.first]
			);
			thread.waits = thread.runs.reduce((sum, run) => sum + run.end - run.first, 0);
			thread.running = thread.sums.reduce((sum, row) => sum + sums.running[row], 0);
			thread.unknown = thread.sums.reduce((sum, row) => sum + sums.unknown[row], 0);
		}
	}

	function threadsOf(profile) {
		const {threads, of} = collectThreads(profile);

		addFigures(profile, threads, of);
		return {
			list: threads,
			of,
			samples: rwalker.samplesByThread(profile, of, threads.length),
		};
	}

	function threadName(thread, hosts) {
		const host = hosts.length > 1 ? `${hosts[thread.host] ?? '?'} ` : '';

		return thread.tid === thread.tgid
			? `${host}${thread.comm} ${thread.tid}`
			: `${host}${thread.comm} ${thread.tid} (${thread.tgid})`;
	}

	/*
	 * By task: 1 if its comm, tid, pid, container or cgroup matches; null: all. An incomplete pattern
	 * is searched as text.
	 */
	function tasksMatching(profile, text) {
		const matches = text ? rwalker.matcher(text) : null;

		if (!matches) return null;
		return Uint8Array.from(profile.tasks, task => {
			const fields = [
				task.comm,
				String(task.tid),
				`pid ${task.tgid}`,
				`tid ${task.tid}`,
				profile.hosts[task.host] ?? '',
				task.container,
				task.cgroup,
			];

			return fields.some(matches) ? 1 : 0;
		});
	}

	function hasContainers(profile) {
		return profile.tasks.some(task => task.container);
	}

	/* The containers that a thread was in, in order. */
	function containersText(profile, thread) {
		return [...new Set(thread.tasks.map(task => profile.tasks[task].container))]
			.filter(Boolean)
			.join(', ');
	}

	/*
	 * How a thread spent its time, like --summary for the whole recording: waits with an event, waits that were only
	 * counted, and running by the kernel's accounting. In a range only single waits are known; running is null then.
	 */

	/* enum wait_sum_kind: the blocked kinds, by the letter of their state. */
	const SUM_STATES = ['S', 'D', 'other'];

	function emptyTimes() {
		return {
			running: null, queued: 0, throttled: 0, blocked: 0, waits: 0, S: 0, D: 0, other: 0,
			iowait: 0,
		};
	}

	function addBlocked(times, state, length) {
		const letter = state === 'S' || state === 'D' ? state : 'other';

		times.blocked += length;
		times[letter] += length;
	}

	function addWait(times, kind, part, queued) {
		times.waits++;
		times.queued += queued;
		if (kind.waitClass === rwalker.CLASS.THROTTLED) times.throttled += part - queued;
		else addBlocked(times, kind.state[0], part - queued);
		if (kind.flags & rwalker.WAIT.IOWAIT) times.iowait += part - queued;
	}

	function addSums(times, {sums}, thread) {
		times.running = thread.sums.length ? thread.running : null;
		for (const row of thread.sums)
			for (let kind = 0; kind < sums.kinds; kind++) {
				const at = row * sums.kinds + kind,
					queued = Math.min(sums.runQueue[at], sums.total[at]);

				times.waits += sums.count[at];
				times.queued += queued;
				addBlocked(times, SUM_STATES[Math.min(kind, 2)], sums.total[at] - queued);
			}
	}

	function threadTimes(profile, thread, range) {
		const {waits, unit} = profile,
			times = emptyTimes(),
			spans = rwalker.requestedSpans(profile);

		for (const run of thread.runs)
			rwalker.eachWaitWithin(
				waits,
				run,
				rwalker.spanOf(spans[run.recording], range),
				(number, part) => {
					const kind = waits.kinds[waits.kind[number]];

					if (!(kind.flags & rwalker.WAIT.UNASKED))
						addWait(
							times,
							kind,
							part * unit,
							rwalker.queuedOf(waits, number, part) * unit
						);
				}
			);
		if (range.from === null) addSums(times, profile, thread);
		return times;
	}

	Object.assign(rwalker, {
		TASK, threadsOf, threadName, tasksMatching, hasContainers, containersText, threadTimes,
	});
})((globalThis.rwalker ??= {}));
