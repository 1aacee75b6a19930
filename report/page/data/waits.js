/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Single waits. Those of one task in one recording are a run, sorted by their start. Times are ticks on the common
 * axis of all recordings. A thread that changes its comm is several tasks, so it has several runs: threadRuns() joins
 * them for rows and chains.
 */
(function (rwalker) {
	'use strict';

	const {Refusal} = rwalker;
	/* enum profile_wait_flag, wait_class and waker_context. */
	const WAIT = {
		BEGAN_BEFORE: 1, OUT_BOUND: 2, NOT_ENDED: 4, IOWAIT: 8, UNASKED: 32,
		APART: 64, BESIDE: 96,
	};
	const CLASS = {BLOCKED: 0, PREEMPTED: 1, YIELDED: 2, CANCELLED: 3, STARTED: 4, THROTTLED: 5};
	const CLASS_NAMES = ['blocked', 'preempted', 'yielded', 'cancelled', 'started', 'throttled'];
	const CONTEXT = {NONE: 0, TASK: 1, SOFTIRQ: 2, IRQ: 3, UNKNOWN: 4};

	function readRuns(columns, limits, total) {
		const values = columns.amounts('waitRuns'),
			runs = [];
		let first = 0;

		for (let i = 0; i < values.length; i += 3) {
			const run = {
				recording: values[i],
				task: values[i + 1],
				first,
				end: first + values[i + 2],
			};

			if (!(
				run.recording < limits.recordings &&
				run.task < limits.tasks &&
				run.end <= total
			))
				throw new Refusal("column 'waitRuns' names what is not there");
			first = run.end;
			runs.push(run);
		}
		if (first !== total) throw new Refusal("column 'waitRuns' does not have all waits");
		return runs;
	}

	function addUp(waits, run, offset) {
		const {out, length} = waits;
		let end = offset;

		for (let i = run.first; i < run.end; i++) {
			out[i] += end;
			end = out[i] + length[i];
		}
	}

	function readKinds(columns) {
		return columns.json('kinds').map(([waitClass, context, flags, state, bound]) => {
			if (!(waitClass < CLASS_NAMES.length) || !(context <= CONTEXT.UNKNOWN))
				throw new Refusal("column 'kinds' has a class or context that is not known");
			return {waitClass, context, flags, state, bound};
		});
	}

	/* wakerTask is the number of a task + 1; 0 is an unknown interrupt. */
	function readWakers(columns, limits) {
		columns.same(['wakerTask', 'wakerStack', 'wakerStep']);
		return {
			task: columns.numbers('wakerTask', limits.tasks + 1),
			stack: columns.numbers('wakerStack', limits.stacks),
			step: columns.numbers('wakerStep', 6),
		};
	}

	/* The payload has the time slept and the time waiting for a CPU; a wait's length is their sum. */
	function addedTo(sleep, runQueue) {
		let most = 0;

		for (let i = 0; i < sleep.length; i++) most = Math.max(most, sleep[i] + runQueue[i]);
		const length = most < 2 ** 32 ? sleep : new Float64Array(sleep);

		for (let i = 0; i < length.length; i++) length[i] += runQueue[i];
		return length;
	}

	/* The threads that chains follow instead of wakers: next is a number + 1, 0 for none. */
	function readNexts(columns, limits, count) {
		columns.same(['nextTask', 'nextBy']);
		const nexts = {
			task: columns.numbers('nextTask', limits.tasks),
			by: columns.numbers('nextBy', 4),
		};

		if (!columns.count('waitNext')) return {nexts, next: new Uint8Array(count)};
		columns.same(['waitGap', 'waitNext']);
		return {nexts, next: columns.numbers('waitNext', nexts.task.length + 1)};
	}

	/* What waits were for: purpose is a number + 1, 0 if unknown. */
	function readPurposes(columns, count) {
		const purposes = columns.json('purposes').map(([text, rest, whole = text + rest]) => {
			if ([text, rest, whole].some(part => typeof part !== 'string'))
				throw new Refusal("column 'purposes' has what is no text");
			return {text, rest, whole};
		});

		if (!columns.count('waitPurpose')) return {purposes, purpose: new Uint8Array(count)};
		columns.same(['waitGap', 'waitPurpose']);
		return {purposes, purpose: columns.numbers('waitPurpose', purposes.length + 1)};
	}

	const NO_PURPOSE = {text: '', rest: '', whole: ''};

	function purposeOf({purposes, purpose}, number) {
		return purposes[purpose[number] - 1] ?? NO_PURPOSE;
	}

	/* "in read of pipe:5", or nothing. */
	function purposeText(waits, number) {
		return purposeOf(waits, number).whole;
	}

	function readWaits(columns, header, limits) {
		const count = columns.same([
			'waitGap', 'waitSleep', 'waitRunQueue', 'waitKind', 'waitStack', 'waitCpu', 'waitWaker',
		]);
		const kinds = readKinds(columns),
			wakers = readWakers(columns, limits);
		const waits = {
			count,
			kinds,
			wakers,
			out: columns.signed('waitGap'),
			length: columns.amounts('waitSleep'),
			runQueue: columns.amounts('waitRunQueue'),
			kind: columns.numbers('waitKind', kinds.length),
			stack: columns.numbers('waitStack', limits.stacks),
			cpu: columns.numbers('waitCpu', 65537),
			waker: columns.numbers('waitWaker', wakers.task.length + 1),
			...readPurposes(columns, count),
			...readNexts(columns, limits, count),
		};

		waits.runs = readRuns(columns, limits, count);
		waits.length = addedTo(waits.length, waits.runQueue);
		for (const run of waits.runs) addUp(waits, run, header.recordings[run.recording].offset);
		return waits;
	}

	/* When a wait's sleep ended and its run queue part began. */
	function runnableSince(waits, number) {
		const {waitClass} = waits.kinds[waits.kind[number]];

		if (waitClass !== CLASS.BLOCKED && waitClass !== CLASS.THROTTLED) return waits.out[number];
		return waits.out[number] + waits.length[number] - waits.runQueue[number];
	}

	/* Run queue time in a part of a wait. Blocked, new and throttled threads waited for no CPU at first; others always. */
	function queuedOf(waits, number, part) {
		const {waitClass} = waits.kinds[waits.kind[number]];

		return waitClass === CLASS.BLOCKED || waitClass === CLASS.STARTED || waitClass === CLASS.THROTTLED
			? Math.min(waits.runQueue[number], part)
			: part;
	}

	/* By kind: 1 if waits of this kind are part of the report, 0 if they are only for chains. */
	function shownKinds(waits) {
		return Uint8Array.from(waits.kinds, kind => (kind.flags & WAIT.BESIDE ? 0 : 1));
	}

	/* The requested part of each recording, on the common axis: --time, or the whole recording. */
	function requestedSpans(profile) {
		const spans = profile.recordings.map(({offset, length}) => ({
			from: offset,
			to: offset + length,
			requested: true,
		}));

		for (const [recording, from, to] of profile.times ?? []) {
			const span = spans[recording],
				{offset} = profile.recordings[recording];

			span.from = Math.max(span.from, offset + from);
			span.to = Math.min(span.to, offset + to);
		}
		return spans;
	}

	/* enum wait_bound: what is known about the length. */
	function boundOf({bound}) {
		return bound === 2 ? '≥ ' : '';
	}

	/* The first index from `first` to `end` with a value of at least `wanted`. */
	function lowerBound(values, first, end, wanted) {
		while (first < end) {
			const middle = (first + end) >>> 1;

			if (values[middle] < wanted) first = middle + 1;
			else end = middle;
		}
		return first;
	}

	Object.assign(rwalker, {
		WAIT, CLASS, CLASS_NAMES, CONTEXT, readWaits, purposeOf, purposeText, runnableSince, queuedOf,
		shownKinds, requestedSpans, boundOf, lowerBound,
	});
})((globalThis.rwalker ??= {}));
