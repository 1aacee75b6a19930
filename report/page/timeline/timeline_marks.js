/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Samples of a thread by pixel of the timeline. */
(function (rwalker) {
	'use strict';

	/* Times of a thread's samples of one source, in order; made when its row is first visible. */
	function timesOf(app, thread, source) {
		const {of, first} = app.threads.samples,
			{samples} = app.profile;

		thread.times ??= new Map();
		if (!thread.times.has(source)) {
			const runs = samples.runs.filter(run => run.source === source);
			const numbers = of
				.subarray(first[thread.number], first[thread.number + 1])
				.filter(number => runs.some(run => number >= run.first && number < run.end));

			thread.times.set(
				source,
				Float64Array.from(numbers, number => samples.time[number]).sort()
			);
		}
		return thread.times.get(source);
	}

	/* Counts the samples of each pixel. Returns whether there are any. */
	function countSamples(app, thread, source, {from, ticks, count}, marks) {
		const times = timesOf(app, thread, source),
			end = from + count * ticks;
		const first = rwalker.lowerBound(times, 0, times.length, from),
			last = rwalker.lowerBound(times, first, times.length, end);

		if (last - first > count * 16) {
			countByPixel(times, first, last, {from, ticks, count}, marks);
		} else {
			for (let i = first; i < last; i++)
				marks[Math.min(count - 1, Math.floor((times[i] - from) / ticks))]++;
		}
		return last > first;
	}

	/* If there are many samples per pixel, finding a pixel's bounds is faster than counting its samples. */
	function countByPixel(times, first, last, {from, ticks, count}, marks) {
		let at = first;

		for (let x = 0; x < count; x++) {
			const next = rwalker.lowerBound(times, at, last, from + (x + 1) * ticks);

			marks[x] += next - at;
			at = next;
		}
	}

	Object.assign(rwalker, {countSamples});
})((globalThis.rwalker ??= {}));
