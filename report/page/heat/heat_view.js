/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The heat map on its canvas. Dragging, or arrow keys with Shift, selects a range for everything below. */
(function (rwalker) {
	'use strict';

	const HEIGHT = 120,
		AXIS = 18,
		LEAST_COLUMN = 9;

	class HeatView {
		constructor(app) {
			this.app = app;
			this.canvas = document.getElementById('heat');
			this.at = null; /* number of the cell under the keys */
			this.anchor = null; /* where a selection began */
			this.listen();
		}

		listen() {
			const {canvas} = this;

			canvas.addEventListener('pointerdown', event => this.down(event));
			canvas.addEventListener('pointermove', event => this.move(event));
			canvas.addEventListener('pointerup', event => this.up(event));
			canvas.addEventListener('pointerleave', () => rwalker.showTip(''));
			canvas.addEventListener('keydown', event => rwalker.runKey(this.keys(), event));
		}

		prepare(width) {
			const {app} = this,
				{source, threads, classes} = app.state,
				most = Math.max(10, Math.floor(width / LEAST_COLUMN));

			return app.derive('heat', [source, threads, classes, most], () => {
				const grid = heatGrid(app, most, Number(app.source.count));
				const values = sumHeat(app.profile, app.selection(), grid);

				return {grid, values, ...heatBounds(values)};
			});
		}

		update({from, to}) {
			document.getElementById('heat-section').hidden = !this.app.isTimed();
			if (!this.canvas.clientWidth) return;
			const key = JSON.stringify([
				this.app.selectionKey(),
				from,
				to,
				this.at,
				this.canvas.clientWidth,
				this.app.theme().paper,
			]);

			if (key === this.drawn) return;
			this.drawn = key;
			this.heat = this.prepare(this.canvas.clientWidth);
			this.draw();
			this.describe();
		}

		describe() {
			const {grid, low, high} = this.heat,
				{app} = this,
				cell = rwalker.time(grid.ticks * app.profile.unit);
			const what = app.hasWaits() ? 'time in waits' : 'samples';

			document.getElementById('heat-text').textContent =
				`${what}: a column is ${rwalker.time(
					grid.ticks * grid.cells * app.profile.unit
				)}, from top to bottom; a cell is ${cell}, from ${app.weight(low)} to ${app.weight(high)}; ` +
				'drag to select';
			this.canvas.setAttribute(
				'aria-label',
				`Heat map of ${what} by time, ${grid.columns} columns; arrow keys move, ` +
					'with Shift they select'
			);
		}

		/* ---- Drawing ---- */

		draw() {
			const {heat} = this,
				theme = this.app.theme(),
				{context, width} = rwalker.fit(this.canvas, HEIGHT);
			const {columns, cells} = heat.grid,
				cellHeight = (HEIGHT - AXIS) / cells;

			this.columnWidth = width / columns;
			this.cellHeight = cellHeight;
			for (let i = 0; i < heat.values.length; i++) {
				context.fillStyle = this.color(theme, heat.values[i]);
				context.fillRect(
					Math.floor(i / cells) * this.columnWidth,
					(i % cells) * cellHeight,
					Math.max(this.columnWidth - 1, 0.5),
					cellHeight - 0.6
				);
			}
			this.drawAxis(context, theme, width);
			this.drawRange(context, theme);
		}

		color(theme, value) {
			const {low, high} = this.heat,
				share = rwalker.clamp((value - low) / (high - low), 0, 1);

			if (!value) return theme['heat-low'];
			return share < 0.5
				? rwalker.mixed(theme['heat-low'], theme['heat-middle'], 0.12 + share * 1.76)
				: rwalker.mixed(theme['heat-middle'], theme['heat-high'], share * 2 - 1);
		}

		drawAxis(context, theme, width) {
			const {grid} = this.heat,
				column = grid.ticks * grid.cells * this.app.profile.unit;
			const step = rwalker.niceStep((column * 80) / this.columnWidth),
				every = Math.max(1, Math.round(step / column));

			context.fillStyle = theme.faint;
			for (let i = 0; i < grid.columns; i += every) {
				const x = i * this.columnWidth;

				if (x < width - 30)
					context.fillText(
						rwalker.axisTime(i * column, step),
						x,
						HEIGHT - AXIS / 2 + 1
					);
			}
		}

		/* Paints everything outside of the range paler. */
		drawRange(context, theme) {
			const {from, to} = this.app.state,
				{grid, values} = this.heat,
				cellOf = tick => (tick - grid.from) / grid.ticks;

			context.fillStyle = theme.paper;
			context.globalAlpha = 0.68;
			if (from !== null)
				for (const [first, end] of [[0, cellOf(from)], [cellOf(to), values.length]])
					this.eachStretch(first, end, (column, top, bottom) =>
						context.fillRect(
							column * this.columnWidth,
							top * this.cellHeight,
							this.columnWidth,
							(bottom - top) * this.cellHeight
						)
					);
			context.globalAlpha = 1;
			if (this.at !== null) this.drawCursor(context, theme);
		}

		drawCursor(context, theme) {
			const {cells} = this.heat.grid;

			context.strokeStyle = theme.focus;
			context.lineWidth = 2;
			context.strokeRect(
				Math.floor(this.at / cells) * this.columnWidth + 1,
				(this.at % cells) * this.cellHeight + 1,
				Math.max(2, this.columnWidth - 2),
				this.cellHeight
			);
		}

		eachStretch(first, end, each) {
			const {cells, columns} = this.heat.grid;

			for (
				let column = Math.max(0, Math.floor(first / cells));
				column < columns && column * cells < end;
				column++
			)
				each(
					column,
					Math.max(0, first - column * cells),
					Math.min(cells, end - column * cells)
				);
		}

		/* ---- Pointer and keys ---- */

		cellAt(event) {
			const {columns, cells} = this.heat.grid,
				column = Math.floor(event.offsetX / this.columnWidth);
			const cell = Math.floor(event.offsetY / this.cellHeight);

			return rwalker.clamp(column, 0, columns - 1) * cells + rwalker.clamp(cell, 0, cells - 1);
		}

		tickOf(cell) {
			return Math.round(this.heat.grid.from + cell * this.heat.grid.ticks);
		}

		selectCells(first, last) {
			const [from, to] = first < last ? [first, last] : [last, first];

			this.app.change({
				from: this.tickOf(from),
				to: Math.min(this.tickOf(to + 1), this.app.axis.to),
			});
		}

		down(event) {
			if (event.button) return;
			this.anchor = this.cellAt(event);
			this.dragged = false;
			this.canvas.setPointerCapture(event.pointerId);
		}

		move(event) {
			const cell = this.cellAt(event);

			rwalker.showTip(this.textOf(cell), event);
			if (this.anchor === null || !event.buttons || cell === this.anchor) return;
			this.dragged = true;
			this.selectCells(this.anchor, cell);
		}

		/* A click without a drag selects the column. */
		up(event) {
			if (this.anchor !== null && !this.dragged) this.selectColumn(this.cellAt(event));
			this.anchor = null;
		}

		selectColumn(cell) {
			const {cells} = this.heat.grid,
				first = Math.floor(cell / cells) * cells;

			this.selectCells(first, first + cells - 1);
		}

		textOf(cell) {
			const {app} = this;

			return `${rwalker.moment(app.momentOf(this.tickOf(cell)))}: ${app.weight(this.heat.values[cell])}`;
		}

		keys() {
			const {cells = 1} = this.heat?.grid ?? {};

			return {
				ArrowLeft: () => this.step(-cells),
				ArrowRight: () => this.step(cells),
				ArrowUp: () => this.step(-1),
				ArrowDown: () => this.step(1),
				'Shift+ArrowLeft': () => this.step(-cells, true),
				'Shift+ArrowRight': () => this.step(cells, true),
				'Shift+ArrowUp': () => this.step(-1, true),
				'Shift+ArrowDown': () => this.step(1, true),
				Enter: () => this.selectColumn(this.at ?? 0),
				Escape: () => this.app.change({from: null, to: null}),
			};
		}

		step(by, select = false) {
			const next = this.at === null ? 0 : rwalker.clamp(this.at + by, 0, this.heat.values.length - 1);

			this.stretchFrom = select ? (this.stretchFrom ?? this.at ?? 0) : null;
			this.at = next;
			rwalker.say(this.textOf(next));
			if (select) this.selectCells(this.stretchFrom, next);
			else this.app.change({});
		}
	}

	/*
	 * The heat map of time: a column is a period of time, and its cells, from top to bottom, are parts of it. A cell has
	 * the weight of the samples in it, or the time that waits overlap with it.
	 */

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

	Object.assign(rwalker, {HeatView});
})((globalThis.rwalker ??= {}));
