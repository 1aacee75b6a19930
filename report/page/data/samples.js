/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Single events with a time: samples, hits, wakeups. Those of one source and recording are a run, ordered by
 * time. Times are ticks on the common axis of all recordings. They are grouped by thread when a row of the
 * timeline first asks.
 */
(function (rwalker) {
	'use strict';

	const {Refusal} = rwalker;

	function readRuns(columns, bounds, total) {
		const values = columns.amounts('sampleRuns'),
			runs = [];
		let first = 0;

		for (let i = 0; i < values.length; i += 3) {
			const run = {
				source: values[i],
				recording: values[i + 1],
				first,
				end: first + values[i + 2],
			};

			if (!(
				run.source < bounds.sources &&
				run.recording < bounds.recordings &&
				run.end <= total
			))
				throw new Refusal("column 'sampleRuns' names what is not there");
			first = run.end;
			runs.push(run);
		}
		if (first !== total) throw new Refusal("column 'sampleRuns' does not have all samples");
		return runs;
	}

	function addUp(times, run, offset) {
		let time = offset;

		for (let i = run.first; i < run.end; i++) times[i] = time += times[i];
	}

	function readSamples(columns, header, limits) {
		const count = columns.same(['sampleTime', 'sampleTask', 'sampleStack', 'sampleCpu']);
		const samples = {
			count,
			time: columns.signed('sampleTime'),
			runs: readRuns(columns, limits, count),
			task: columns.numbers('sampleTask', limits.tasks),
			stack: columns.numbers('sampleStack', limits.stacks),
			cpu: columns.numbers('sampleCpu', 65537),
			probe: columns.numbers('sampleProbe', (header.probes ?? []).length + 1),
			weight: columns.amounts('sampleWeight'),
		};

		for (const optional of ['probe', 'weight'])
			if (samples[optional].length && samples[optional].length !== count)
				throw new Refusal(`column 'sample${optional}' does not fit 'sampleTime'`);
		for (const run of samples.runs)
			addUp(samples.time, run, header.recordings[run.recording].offset);
		return samples;
	}

	/* What one sample weighs, in the unit of its source. */
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
