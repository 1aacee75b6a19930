/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Single events with a time: samples, hits, wakeups. Those of one source and recording are a run, sorted by
 * time. Times are ticks on the common axis of all recordings. Samples are grouped by thread when a row of the
 * timeline first asks.
 *
 * The payload has them by CPU, in series, which are merged here.
 */
(function (rwalker) {
	'use strict';

	const {Refusal} = rwalker;
	const SERIES = 4; /* numbers for each */

	function readSeries(columns, bounds, total) {
		const values = columns.amounts('sampleRuns'),
			list = [];
		let first = 0;

		for (let i = 0; i < values.length; i += SERIES) {
			const [source, recording, cpu, count] = values.slice(i, i + SERIES),
				end = first + count;

			if (!(
				source < bounds.sources &&
				recording < bounds.recordings &&
				cpu < 65536 &&
				end <= total
			))
				throw new Refusal("column 'sampleRuns' names what is not there");
			list.push({source, recording, cpu, first, end});
			first = end;
		}
		if (first !== total) throw new Refusal("column 'sampleRuns' does not have all samples");
		return list;
	}

	/* In place: each time is stored as the difference from one step after the previous time. */
	function addUp(times, {first, end}, offset, step) {
		let time = offset - step;

		for (let i = first; i < end; i++) times[i] = time += times[i] + step;
	}

	/*
	 * A spell is a sequence of samples of one task. 0: a task that is new in this series; n: the task of the nth
	 * last spell, where 1 is the current one.
	 */
	function readTasks(columns, series, tasks) {
		const ago = columns.amounts('sampleTask'),
			fresh = columns.signed('sampleNewTask');
		const result = rwalker.arrayFor(tasks, ago.length),
			spells = new Uint32Array(ago.length + 1);
		let next = 0,
			newest = 0;

		for (const {first, end} of series) {
			let count = 0;

			for (let i = first; i < end; i++) {
				if (ago[i] === 0) {
					newest += fresh[next++];
					if (!(newest >= 0 && newest < tasks))
						throw new Refusal(
							"column 'sampleNewTask' names what is not there"
						);
					spells[count++] = newest;
				} else if (ago[i] > count) {
					throw new Refusal("column 'sampleTask' goes back too far");
				} else if (ago[i] > 1) {
					spells[count] = spells[count - ago[i]];
					count++;
				}
				result[i] = spells[count - 1];
			}
		}
		if (next !== fresh.length)
			throw new Refusal("column 'sampleNewTask' does not fit 'sampleTask'");
		return result;
	}

	/* Merges two adjacent parts of `order`, sorted by time, into `into`. For equal times the first part wins. */
	function mergeParts(time, order, into, [first, middle, end]) {
		let left = first,
			right = middle;

		for (let i = first; i < end; i++)
			into[i] =
				right >= end || (left < middle && time[order[left]] <= time[order[right]])
					? order[left++]
					: order[right++];
	}

	/* Numbers of the samples within the outer bounds, by time. Parts between two bounds are sorted already. */
	function mergedOrder(time, bounds) {
		const base = bounds[0],
			count = bounds.at(-1) - base;
		let order = Uint32Array.from({length: count}, (_, i) => base + i),
			other = new Uint32Array(count),
			parts = bounds.map(bound => bound - base);

		while (parts.length > 2) {
			const next = [0];

			for (let i = 0; i + 1 < parts.length; i += 2) {
				const end = parts[i + 2] ?? parts[i + 1];

				mergeParts(time, order, other, [parts[i], parts[i + 1], end]);
				next.push(end);
			}
			[order, other, parts] = [other, order, next];
		}
		return order;
	}

	/* Merges the series of all CPUs into runs: sorts the samples of each by time, in all columns. */
	function joinSeries(series, samples) {
		const runs = [];

		for (const {source, recording, first, end} of series) {
			const run = runs.at(-1);

			if (run?.source === source && run.recording === recording) {
				run.bounds.push(end);
				run.end = end;
			} else {
				runs.push({source, recording, first, end, bounds: [first, end]});
			}
		}
		for (const {bounds, first, end} of runs.filter(run => run.bounds.length > 2)) {
			const order = mergedOrder(samples.time, bounds);

			for (const column of [samples.time, samples.task, samples.stack, samples.cpu])
				reorder(column, order, first, end);
			for (const column of [samples.probe, samples.weight])
				if (column.length) reorder(column, order, first, end);
		}
		return runs.map(({source, recording, first, end}) => ({source, recording, first, end}));
	}

	function reorder(column, order, first, end) {
		const before = column.slice(first, end);

		for (let i = 0; i < order.length; i++) column[first + i] = before[order[i] - first];
	}

	function readSamples(columns, header, limits) {
		const count = columns.same(['sampleTime', 'sampleTask', 'sampleStack']),
			series = readSeries(columns, limits, count);
		const samples = {
			count,
			time: columns.signed('sampleTime'),
			task: readTasks(columns, series, limits.tasks),
			stack: columns.numbers('sampleStack', limits.stacks),
			cpu: new Uint16Array(count),
			probe: columns.numbers('sampleProbe', (header.probes ?? []).length + 1),
			weight: columns.amounts('sampleWeight'),
		};

		for (const optional of ['probe', 'weight'])
			if (samples[optional].length && samples[optional].length !== count)
				throw new Refusal(`column 'sample${optional}' does not fit 'sampleTime'`);
		for (const part of series) {
			const {offset} = header.recordings[part.recording];

			addUp(samples.time, part, offset, header.sources[part.source].step ?? 0);
			samples.cpu.fill(part.cpu, part.first, part.end);
		}
		samples.runs = joinSeries(series, samples);
		return samples;
	}

	/* The weight of one sample, in the unit of its source. */
	function weightOfEach(profile, source) {
		const {count, weight} = profile.sources[source];

		return count ? Number(weight) / count : 0;
	}

	/* Numbers of the samples of each thread, by time: {of: Uint32Array, first: by thread}. */
	function samplesByThread(profile, threadOf, threads) {
		const {task, count} = profile.samples,
			first = new Uint32Array(threads + 1);
		const of = new Uint32Array(count),
			at = new Uint32Array(threads);

		for (let i = 0; i < count; i++) first[threadOf[task[i]] + 1]++;
		for (let i = 0; i < threads; i++) first[i + 1] += first[i];
		at.set(first.subarray(0, threads));
		for (let i = 0; i < count; i++) of[at[threadOf[task[i]]]++] = i;
		return {of, first};
	}

	Object.assign(rwalker, {readSamples, weightOfEach, samplesByThread});
})((globalThis.rwalker ??= {}));
