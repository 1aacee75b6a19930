/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * What a selection weighs, by call chain: every picture and table starts from here. A selection is
 *	{source, from, to, tasks, classes}
 * from, to: ticks on the common axis, or null for everything; tasks: by task 1 or 0, or null; classes: bits
 * of enum wait_class, or null. Weights are in the unit of the source: ns, cycles, samples.
 *
 * Everything comes from the exact sums, or from single samples that add up to them. Ranges and classes come from single
 * events, whose times may be rounded to µs: then so are the sums.
 */
(function (rwalker) {
	'use strict';

	function visitEntries(profile, {source, tasks}, visit) {
		const {entries} = profile;

		for (let i = 0; i < entries.source.length; i++)
			if (entries.source[i] === source && (!tasks || tasks[entries.task[i]]))
				visit(
					entries.stack[i],
					entries.weight[i],
					entries.count[i],
					entries.runQueue[i],
					entries.task[i]
				);
	}

	/* The runs of a source's samples, cut to the range. */
	function samplesWithin(profile, {source, from, to}) {
		const {samples} = profile;

		return samples.runs
			.filter(run => run.source === source)
			.map(run => {
				if (from === null) return {first: run.first, end: run.end};
				return {
					first: rwalker.lowerBound(samples.time, run.first, run.end, from),
					end: rwalker.lowerBound(samples.time, run.first, run.end, to),
				};
			});
	}

	function visitSamples(profile, selection, visit) {
		const {samples} = profile,
			{tasks} = selection,
			weighed = samples.weight.length > 0;
		const each = rwalker.weightOfEach(profile, selection.source);

		for (const {first, end} of samplesWithin(profile, selection))
			for (let i = first; i < end; i++)
				if (!tasks || tasks[samples.task[i]])
					visit(
						samples.stack[i],
						weighed ? samples.weight[i] : each,
						1,
						0,
						samples.task[i],
						i
					);
	}

	/* By kind of wait: 1 if the selection includes it. */
	function wantedKinds(waits, classes) {
		const wanted = rwalker.shownKinds(waits);

		if (classes !== null)
			waits.kinds.forEach((kind, number) => {
				if (!(classes & (1 << kind.waitClass))) wanted[number] = 0;
			});
		return wanted;
	}

	/*
	 * The waits of a run that end after the start of the next one: by microseconds, because times are from two
	 * clocks, or in a malformed trace. A wait that began later may have ended before them.
	 */
	function overlapping({out, length}, run) {
		if (!run.overlapping) {
			run.overlapping = [];
			for (let i = run.first; i + 1 < run.end; i++)
				if (out[i] + length[i] > out[i + 1]) run.overlapping.push(i);
		}
		return run.overlapping;
	}

	/*
	 * Calls `each` for every wait of a run that has a part within the span, with the length of that part.
	 * Parts of less than a tick count, as they do for the reporter: a wait within one tick, and those at the
	 * ends of what was requested.
	 */
	function eachWaitWithin(waits, run, span, each) {
		const {out, length} = waits,
			least = span.requested ? 0 : 1,
			end = rwalker.lowerBound(out, run.first, run.end, span.to);
		let first = rwalker.lowerBound(out, run.first, end, span.from);

		while (first > run.first && out[first - 1] + length[first - 1] >= span.from + least) first--;
		const visit = i => {
			const from = out[i] > span.from ? out[i] : span.from,
				wakes = out[i] + length[i];
			const part = (wakes < span.to ? wakes : span.to) - from;

			if (part >= least || !length[i]) each(i, part);
		};

		for (const i of overlapping(waits, run)) {
			if (i >= first) break;
			visit(i);
		}
		for (let i = first; i < end; i++) visit(i);
	}

	/* The range, limited to the requested part of a recording. */
	function spanOf(requested, {from, to}) {
		return from === null
			? requested
			: {from: Math.max(from, requested.from), to: Math.min(to, requested.to)};
	}

	function visitWaits(profile, selection, visit) {
		const {waits, unit} = profile,
			{tasks} = selection;
		const wanted = wantedKinds(waits, selection.classes),
			spans = rwalker.requestedSpans(profile);

		for (const run of waits.runs) {
			if (tasks && !tasks[run.task]) continue;
			eachWaitWithin(waits, run, spanOf(spans[run.recording], selection), (wait, part) => {
				if (wanted[waits.kind[wait]])
					visit(
						waits.stack[wait],
						part * unit,
						1,
						rwalker.queuedOf(waits, wait, part) * unit,
						run.task,
						wait
					);
			});
		}
	}

	function hasWaits(profile, source) {
		return profile.sources[source].kind === 'offcpu';
	}

	/* Wakeups are the ends of waits. They are samples of their own only where the page has no waits. */
	function areEndsOfWaits(profile, source) {
		return (
			profile.sources[source].kind === 'wakers' &&
			!profile.samples.runs.some(run => run.source === source)
		);
	}

	/* A wakeup weighs as much as the sleep that it ended, by the waker's chain; unknown interrupts have none. */
	function visitWakeups(profile, selection, visit) {
		const {waits, unit} = profile,
			{task: wakerTask, stack: wakerStack} = waits.wakers,
			{tasks} = selection;
		const asleep = wait => waits.length[wait] - rwalker.queuedOf(waits, wait, waits.length[wait]);

		visitWaits(
			profile,
			{...selection, tasks: null, classes: null},
			(stack, weight, count, runQueue, sleeper, wait) => {
				const waker = waits.waker[wait] - 1,
					task = waker < 0 ? -1 : wakerTask[waker] - 1;

				if (task >= 0 && (!tasks || tasks[task]))
					visit(
						wakerStack[waker],
						Math.min(weight, asleep(wait) * unit),
						1,
						0,
						task,
						wait
					);
			}
		);
	}

	/* Calls visit(stack, weight, count, runQueue, task, event) for each part of the selection. */
	function visitEvents(profile, selection, visit) {
		if (hasWaits(profile, selection.source)) visitWaits(profile, selection, visit);
		else if (areEndsOfWaits(profile, selection.source)) visitWakeups(profile, selection, visit);
		else visitSamples(profile, selection, visit);
	}

	function visitSelection(profile, selection, visit) {
		const {complete} = profile.sources[selection.source];

		if (selection.from === null && selection.classes === null && !complete)
			visitEntries(profile, selection, visit);
		else visitEvents(profile, selection, visit);
	}

	/* Sums by stack, and in total. */
	function makeSums(stacks) {
		const sums = {
			weight: new Float64Array(stacks),
			count: new Float64Array(stacks),
			runQueue: new Float64Array(stacks),
			total: 0,
			events: 0,
			queued: 0,
		};

		sums.add = (stack, weight, count, runQueue) => {
			sums.weight[stack] += weight;
			sums.count[stack] += count;
			sums.runQueue[stack] += runQueue;
			sums.total += weight;
			sums.events += count;
			sums.queued += runQueue;
		};
		return sums;
	}

	function select(profile, selection) {
		const sums = makeSums(profile.stackNode.length);

		visitSelection(profile, selection, sums.add);
		return sums;
	}

	/* The same for --base, which is available only as a whole. */
	function selectBase(profile, source) {
		const {baseEntries} = profile,
			sums = makeSums(profile.stackNode.length);

		for (let i = 0; i < baseEntries.source.length; i++)
			if (baseEntries.source[i] === source)
				sums.add(
					baseEntries.stack[i],
					baseEntries.weight[i],
					baseEntries.count[i],
					baseEntries.runQueue[i]
				);
		return sums;
	}

	/* Self and total of each function, as in --functions. */
	function sumFunctions(profile, sums, outermost) {
		const {tree, stackNode} = profile,
			functions = profile.functions.length;
		const sumOf = (values, self) => {
			const own = new Float64Array(tree.count),
				total = new Float64Array(functions);

			for (let stack = 0; stack < stackNode.length; stack++)
				own[stackNode[stack]] += values[stack];
			for (let i = 1; self && i < tree.count; i++) self[tree.function[i]] += own[i];
			rwalker.sumUp(tree, own);
			for (let i = 1; i < tree.count; i++)
				if (outermost[i]) total[tree.function[i]] += own[i];
			return total;
		};
		const self = new Float64Array(functions);

		return {
			self,
			total: sumOf(sums.weight, self),
			count: sumOf(sums.count, null),
			queued: sumOf(sums.runQueue, null),
		};
	}

	/* The weight of the chains that contain one of the functions. */
	function weightThrough(profile, sums, wanted) {
		const through = rwalker.nodesThrough(profile.tree, wanted);
		let weight = 0;

		for (let stack = 0; stack < sums.weight.length; stack++)
			if (through[profile.stackNode[stack]]) weight += sums.weight[stack];
		return weight;
	}

	Object.assign(rwalker, {
		select, selectBase, visitSelection, visitEvents, sumFunctions, weightThrough, eachWaitWithin,
		spanOf, hasWaits, areEndsOfWaits, samplesWithin, wantedKinds,
	});
})((globalThis.rwalker ??= {}));
