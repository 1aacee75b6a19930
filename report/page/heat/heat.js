/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The heat map of time: a column is a period of time, and its cells, from top to bottom, are parts of it. A cell has
 * the weight of the samples in it, or the time that waits overlap with it.
 */
(function (rwalker) {
	'use strict';

	const CELLS = 20,
		FEW_CELLS = 10,
		FEW_EVENTS = 4000;

	/* Columns of a round length, at most `most`: {columns, cells, ticks: per cell, from}. */
	function heatGrid({axis, profile}, most, events) {
		const cells = events < FEW_EVENTS ? FEW_CELLS : CELLS,
			length = axis.to - axis.from;
		const column = Math.max(
			rwalker.niceStep((length * profile.unit) / most) / profile.unit,
			cells
		);

		return {
			columns: Math.max(1, Math.ceil(length / column)),
			cells,
			ticks: column / cells,
			from: axis.from,
		};
	}

	/* The time of an event; a wakeup may be the end of a wait. */
	function eventTimes(profile, source) {
		if (rwalker.areEndsOfWaits(profile, source))
			return wait => rwalker.runnableSince(profile.waits, wait);
		return sample => profile.samples.time[sample];
	}

	function sumHeat(profile, selection, grid) {
		const count = grid.columns * grid.cells,
			values = new Float64Array(count),
			all = {...selection, from: null, to: null},
			timeOf = eventTimes(profile, selection.source);

		if (rwalker.hasWaits(profile, selection.source)) addWaits(profile, all, grid, values);
		else
			rwalker.visitEvents(profile, all, (stack, weight, events, runQueue, task, sample) => {
				const at = Math.floor((timeOf(sample) - grid.from) / grid.ticks);

				if (at >= 0 && at < count) values[at] += weight;
			});
		return values;
	}

	function addWaits(profile, selection, grid, values) {
		const {waits, unit} = profile;

		rwalker.visitEvents(profile, selection, (stack, weight, events, runQueue, task, wait) => {
			const from = waits.out[wait] - grid.from;

			rwalker.addSpan(
				values,
				0,
				values.length,
				grid.ticks,
				from,
				from + waits.length[wait]
			);
		});
		addBins(profile, selection, grid, values);
		for (let i = 0; i < values.length; i++) values[i] *= unit;
	}

	/* Spreads time that is known only as a sum over its bin. */
	function addBins({bins, recordings}, {tasks, classes}, grid, values) {
		for (let row = 0; row < bins.task.length; row++) {
			const from =
				recordings[bins.recording[row]].offset +
				bins.first[row] * bins.ticks -
				grid.from;
			const to = from + bins.ticks,
				first = Math.max(0, Math.floor(from / grid.ticks));
			const each = (bins.blocked[row] + bins.runQueue[row] + bins.other[row]) / bins.ticks;

			if (classes !== null || (tasks && !tasks[bins.task[row]])) continue;
			for (let i = first; i < values.length && i * grid.ticks < to; i++)
				values[i] +=
					each *
					(Math.min(to, (i + 1) * grid.ticks) - Math.max(from, i * grid.ticks));
		}
	}

	/* The coldest and hottest values, except for a few cells: one odd cell must not make all others look equal. */
	function heatBounds(values) {
		const sorted = Float64Array.from(values).sort(),
			at = share => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
		const low = at(0.01),
			high = at(0.99);

		return high > low ? {low, high} : {low: 0, high: sorted.at(-1) || 1};
	}

	Object.assign(rwalker, {heatGrid, sumHeat, heatBounds});
})((globalThis.rwalker ??= {}));
