/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The timeline: which part of it is visible, and what pointer and keys do. */
(function (rwalker) {
	'use strict';

	const {AXIS, ROW} = rwalker.TIMELINE;
	const HEIGHT_SHARE = 0.46; /* of the window, as in page.css */
	const STEP = 1.5; /* of zooming */

	const byId = id => document.getElementById(id);

	class TimelineView {
		constructor(app) {
			this.app = app;
			this.canvas = byId('timeline');
			this.texts = new rwalker.Texts();
			this.cursor = {row: 0, at: app.axis.from};
			this.drag = null;
			this.brush = null;
			rwalker.measureThreads(app);
			app.start.order = app.state.order =
				app.profile.waits.count || app.profile.bins.task.length ? 'held' : 'samples';
			byId('order').append(
				...rwalker.ORDERS.map(([value, text]) =>
					rwalker.element('option', {value, text})
				)
			);
			this.listen();
			new rwalker.TimelinePointer(this);
		}

		listen() {
			const {app} = this;

			rwalker.listen('change', {
				order: event => app.change({order: event.target.value}),
				fold: event => app.change({fold: event.target.checked}),
				throughout: event => app.change({throughout: event.target.checked}),
			});
			rwalker.listen('click', {
				'zoom-in': () => this.zoom(1 / STEP),
				'zoom-out': () => this.zoom(STEP),
				'zoom-all': () => app.change({viewFrom: null, viewTo: null}),
				'zoom-range': () => this.zoomToRange(),
			});
			byId('rows').addEventListener('scroll', () => app.change({}));
			this.canvas.addEventListener('keydown', event => rwalker.runKey(this.keys(), event));
		}

		view() {
			const {state, axis} = this.app;

			return {from: state.viewFrom ?? axis.from, to: state.viewTo ?? axis.to};
		}

		/* Keeps a view within the axis, and at least a few ticks long. */
		setView(from, to) {
			const {axis} = this.app,
				whole = axis.to - axis.from,
				length = rwalker.clamp(to - from, 20, whole);
			const first = rwalker.clamp(from, axis.from, axis.to - length);

			this.app.change(
				length === whole
					? {viewFrom: null, viewTo: null}
					: {viewFrom: first, viewTo: first + length}
			);
		}

		/* Zooms around a tick, which stays where it is. */
		zoom(factor, around = null) {
			const {from, to} = this.view(),
				at = around ?? (from + to) / 2;

			this.setView(at - (at - from) * factor, at + (to - at) * factor);
		}

		pan(part) {
			const {from, to} = this.view(),
				by = (to - from) * part;

			this.setView(from + by, to + by);
		}

		zoomToRange() {
			const {from, to} = this.app.state;

			if (from !== null) this.setView(from - (to - from) * 0.05, to + (to - from) * 0.05);
		}

		/* ---- Drawing ---- */

		place() {
			const width = Math.max(1, this.canvas.clientWidth),
				wanted = AXIS + this.rows.length * ROW + 4;
			const height = Math.min(
				wanted,
				Math.max(AXIS + 4 * ROW, Math.floor(innerHeight * HEIGHT_SHARE))
			);

			byId('rows-space').style.height = `${wanted - height}px`;
			return {
				width,
				height,
				left: Math.min(190, Math.round(width * 0.3)),
				top: byId('rows').scrollTop,
			};
		}

		update(state) {
			const {app} = this,
				{rows, apart} = app.derive(
					'rows',
					[state.threads, state.order, state.fold, state.throughout, state.wait],
					() => rwalker.timelineRows(app)
				);

			this.rows = rows;
			this.showControls(state, apart);
			this.showWait(state.wait);
			this.draw();
		}

		showControls(state, apart) {
			byId('order').value = state.order;
			byId('fold').checked = state.fold;
			byId('throughout').checked = state.throughout;
			byId('throughout-label').hidden = !apart;
			byId('throughout-text').textContent = `${rwalker.plural(apart, 'thread')} that waited all the time`;
			byId('zoom-range').hidden = state.from === null;
			this.canvas.setAttribute(
				'aria-label',
				`Timeline of ${rwalker.plural(this.rows.length, 'row')}; the tables have ` +
					'its waits and threads; arrow keys move, Enter opens a wait'
			);
		}

		/* Brings a wait that was opened into view, unless it was clicked and so is visible already. */
		showWait(wait) {
			if (wait === this.wait) return;
			this.wait = wait;
			if (wait === null) return;
			byId('rows').scrollTop = 0;
			const {state, axis, profile} = this.app,
				{from, to} = this.view(),
				out = profile.waits.out[wait],
				length = profile.waits.length[wait];
			const least = (to - from) / (this.clicked === wait ? 200 : 4);

			if (length >= least && out < to && out + length > from) return;
			state.viewFrom = Math.max(axis.from, out - length * 0.6 - 10);
			state.viewTo = Math.min(axis.to, out + length * 1.6 + 10);
		}

		draw() {
			const begin = performance.now(),
				place = this.place(),
				{app} = this,
				{state} = app;
			const painter = new rwalker.TimelinePainter(app, this.canvas, place, this.texts);

			painter.paintRows(this.rows);
			painter.paintAxis();
			painter.paintUnsure();
			painter.paintWalks();
			painter.paintWalked(this.rows);
			if (state.otherFrom !== null)
				painter.paintRange(state.otherFrom, state.otherTo, 'shrank');
			if (this.brush ?? state.from !== null)
				painter.paintRange(
					this.brush?.from ?? state.from,
					this.brush?.to ?? state.to,
					'brush'
				);
			painter.paintNames(
				this.rows,
				document.activeElement === this.canvas ? this.cursor.row : -1
			);
			this.paintChain(painter);
			if (document.activeElement === this.canvas)
				painter.paintBox(this.cursor.row, this.cursor.at, this.cursor.at, 'accent');
			this.painter = painter;
			this.legend(painter.theme);
			rwalker.frame = performance.now() - begin;
		}

		rowOfTask(task) {
			const thread = this.app.threads.list[this.app.threads.of[task]];

			return this.rows.findIndex(row => row.threads.includes(thread));
		}

		paintChain(painter) {
			const {app} = this,
				chain = app.chain(),
				{waits} = app.profile;

			if (!chain) return;
			painter.context.save();
			painter.context.beginPath();
			painter.context.rect(0, AXIS, painter.place.width, painter.place.height);
			painter.context.clip();
			const {wait} = chain;

			painter.paintBox(
				this.rowOfTask(app.runOf(wait).task),
				waits.out[wait],
				waits.out[wait] + waits.length[wait],
				'accent'
			);
			for (const part of chain.seen.slice(0, 500)) {
				const row = this.rowOfTask(part.task);

				if (row < 0) continue;
				if (part.kind) painter.paintBox(row, part.from, part.to, 'link');
				else
					painter.paintLink(
						row,
						this.rowOfTask(app.runOf(part.sleeper).task),
						part.at
					);
			}
			painter.context.restore();
		}

		legend(theme) {
			this.app.derive('timelineLegend', theme.ran, () => {
				const fill = name => (context, width, height) =>
					rwalker.fillSwatch(context, theme[name], null, width, height);

				rwalker.fillLegend(
					byId('timeline-legend'),
					rwalker
						.timelineWords(this.app)
						.map(([name, text]) => [fill(name), text])
				);
			});
		}

		/* ---- Places ---- */

		tickAt(x) {
			const {from, scale, place} = this.painter;

			return from + (x - place.left) / scale;
		}

		rowAt(y) {
			return y < AXIS ? -1 : Math.floor((y - AXIS + byId('rows').scrollTop) / ROW);
		}

		/* The longest wait of the row that has a part within the pixel; -1 if there is none. */
		waitAt(number, tick) {
			const row = this.rows[number],
				half = 0.75 / this.painter.scale;

			return row
				? rwalker.longestWithin(this.app.profile.waits, row.threads, {
						from: tick - half,
						to: tick + half,
					})
				: -1;
		}

		/* ---- Keys ---- */

		keys() {
			return {
				ArrowLeft: () => this.moveTime(-1),
				ArrowRight: () => this.moveTime(1),
				ArrowUp: () => this.moveRow(-1),
				ArrowDown: () => this.moveRow(1),
				'Shift+ArrowLeft': () => this.stretch(-1),
				'Shift+ArrowRight': () => this.stretch(1),
				'+': () => this.zoom(1 / STEP, this.cursor.at),
				'=': () => this.zoom(1 / STEP, this.cursor.at),
				'-': () => this.zoom(STEP, this.cursor.at),
				0: () => this.app.change({viewFrom: null, viewTo: null}),
				r: () => this.zoomToRange(),
				n: () => this.jump(1),
				p: () => this.jump(-1),
				Enter: () => this.open(),
				Escape: () => this.app.change({wait: null, from: null, to: null}),
			};
		}

		moveRow(step) {
			const {cursor} = this,
				scroller = byId('rows');

			cursor.row = rwalker.clamp(cursor.row + step, 0, this.rows.length - 1);
			const y = cursor.row * ROW,
				seen = scroller.clientHeight - AXIS - ROW;

			if (y < scroller.scrollTop || y > scroller.scrollTop + seen)
				scroller.scrollTop = Math.max(0, y - seen / 2);
			this.tell();
		}

		moveTime(step) {
			const {from, to} = this.view(),
				{axis} = this.app;

			this.cursor.at = rwalker.clamp(this.cursor.at + (step * (to - from)) / 50, axis.from, axis.to);
			if (this.cursor.at < from || this.cursor.at > to) this.pan(step * 0.5);
			this.tell();
		}

		/* Selects from where the selection began to the cursor. */
		stretch(step) {
			this.anchor ??= this.cursor.at;
			this.moveTime(step);
			const [from, to] = [this.anchor, this.cursor.at].sort((left, right) => left - right);

			if (to > from) this.app.change({from: Math.round(from), to: Math.round(to)});
		}

		jump(step) {
			const {waits} = this.app.profile,
				row = this.rows[this.cursor.row];
			const next = row ? rwalker.nextWait(waits, row.threads, this.cursor.at, step) : -1;

			if (next < 0) return;
			this.cursor.at = waits.out[next];
			this.open();
		}

		open() {
			const {waits} = this.app.profile,
				row = this.rows[this.cursor.row];
			const wait = this.waitAt(this.cursor.row, this.cursor.at + 0.75 / this.painter.scale);

			if (wait < 0) {
				this.tell();
				return;
			}
			this.app.change({wait});
			this.cursor = {row: 0, at: waits.out[wait]};
			rwalker.say(row.name);
		}

		tell() {
			const row = this.rows[this.cursor.row],
				wait = this.waitAt(this.cursor.row, this.cursor.at);

			this.app.change({});
			if (row)
				rwalker.say(
					`${row.name} at ${rwalker.moment(this.app.momentOf(this.cursor.at))}: ` +
						rwalker.waitText(this.app, wait)
				);
		}
	}

	Object.assign(rwalker, {TimelineView});
})((globalThis.rwalker ??= {}));
