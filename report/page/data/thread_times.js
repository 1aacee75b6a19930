/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How a thread spent its time, like --summary for the whole recording: waits with an event, waits that were only
 * counted, and running by the kernel's accounting. In a range only single waits are known; running is null then.
 */
(function (rwalker) {
	'use strict';

	/* enum profile_sum_kind: the blocked kinds, by the letter of their state. */
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

	Object.assign(rwalker, {threadTimes});
})((globalThis.rwalker ??= {}));
