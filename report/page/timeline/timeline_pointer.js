/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The pointer in the timeline: drags select, wheels zoom and move, clicks open waits. Also finds the wait meant. */
(function (rwalker) {
	'use strict';

	const DRAG = 4; /* pixels before it counts as a drag */

	function longestWithin(waits, threads, span) {
		let longest = -1;

		for (const thread of threads)
			for (const run of thread.runs)
				rwalker.eachWaitWithin(waits, run, span, wait => {
					if (longest < 0 || waits.length[wait] > waits.length[longest])
						longest = wait;
				});
		return longest;
	}

	/* The first wait of the threads that starts after (or before) a tick; -1: none. */
	function nextWait(waits, threads, tick, step) {
		let best = -1;

		for (const {first, end} of threads.flatMap(thread => thread.runs)) {
			const from = rwalker.lowerBound(waits.out, first, end, step > 0 ? tick + 1e-6 : tick);
			const wait = step > 0 ? from : from - 1;

			if (wait < first || wait >= end) continue;
			if (
				best < 0 ||
				(step > 0
					? waits.out[wait] < waits.out[best]
					: waits.out[wait] > waits.out[best])
			)
				best = wait;
		}
		return best;
	}

	function waitText(app, wait) {
		const {waits, unit} = app.profile;

		if (wait < 0) return 'no wait';
		const kind = waits.kinds[waits.kind[wait]],
			place = rwalker.placeText(app.profile, waits.stack[wait]);

		return (
			`${rwalker.CLASS_NAMES[kind.waitClass]} ${rwalker.boundOf(kind)}${rwalker.time(waits.length[wait] * unit)}` +
			`${place ? ` in ${place}` : ''}`
		);
	}

	/* [colour, text] for what the trace contains. */
	function timelineWords({profile}) {
		const least = rwalker.leastWaitOf(profile),
			rows = [];

		if (profile.waits.count || profile.bins.task.length)
			rows.push(
				['ran', 'ran'],
				...(least ? [['brief', `waits shorter than ${rwalker.time(least)}, in proportion`]] : []),
				...(profile.sums.unknown.some(Boolean) ? [['unknown', 'unknown, in proportion']] : []),
				['queued', 'runnable, waiting for a CPU or a quota'],
				['blocked', 'blocked'],
				['blocked-deep', 'blocked, uninterruptible (D)']
			);
		if (profile.bins.task.length) rows.push(['summed', 'waits known as sums only']);
		if (profile.samples.count) rows.push(['sample', 'samples']);
		if (profile.walked.walks.length) rows.push(['walk', 'walks']);
		if (profile.unsure?.length) rows.push(['unsure', 'names may be wrong']);
		return rows;
	}

	class TimelinePointer {
		constructor(view) {
			const {canvas} = view;

			this.view = view;
			this.app = view.app;
			canvas.addEventListener('pointerdown', event => this.down(event));
			canvas.addEventListener('pointermove', event => this.move(event));
			canvas.addEventListener('pointerup', event => this.up(event));
			canvas.addEventListener('pointercancel', () => this.cancel());
			canvas.addEventListener('pointerleave', () => rwalker.showTip(''));
			canvas.addEventListener('wheel', event => this.wheel(event), {
				passive: false,
			});
			canvas.addEventListener('dblclick', event => this.zoomIn(event));
		}

		down(event) {
			if (event.button || event.pointerType === 'touch') return;
			this.start = event.offsetX;
			this.view.canvas.setPointerCapture(event.pointerId);
		}

		move(event) {
			const {view} = this;

			if (
				this.start === undefined ||
				(Math.abs(event.offsetX - this.start) < DRAG && !view.brush)
			) {
				this.hover(event);
				return;
			}
			const [from, to] = [this.start, event.offsetX]
				.map(x => this.clamped(view.tickAt(x)))
				.sort((left, right) => left - right);

			view.brush = {
				from: Math.round(from),
				to: Math.max(Math.round(to), Math.round(from) + 1),
			};
			rwalker.say(this.app.rangeText(view.brush.from, view.brush.to));
			this.app.change({});
		}

		clamped(tick) {
			return rwalker.clamp(tick, this.app.axis.from, this.app.axis.to);
		}

		up(event) {
			const {view} = this,
				{brush} = view;

			this.cancel();
			if (brush) this.app.change(brush);
			else this.click(event);
		}

		cancel() {
			this.start = undefined;
			this.view.brush = null;
		}

		click(event) {
			const {view} = this,
				row = view.rowAt(event.offsetY),
				wait = view.waitAt(row, view.tickAt(event.offsetX));

			if (view.rows[row]) view.cursor = {row, at: view.tickAt(event.offsetX)};
			view.clicked = wait;
			this.app.change(wait < 0 ? {} : {wait});
		}

		hover(event) {
			const {view} = this,
				number = view.rowAt(event.offsetY),
				row = view.rows[number];
			const tick = view.tickAt(event.offsetX);

			if (!row) {
				rwalker.showTip('');
				return;
			}
			const wait = event.offsetX < view.painter.place.left ? -1 : view.waitAt(number, tick);
			const lines = [`${row.name}, ${rwalker.moment(this.app.momentOf(tick))}`];

			lines.push(wait < 0 ? this.figures(row) : waitText(this.app, wait));
			rwalker.showTip(lines.join('\n'), event);
		}

		figures(row) {
			const parts = [
				row.running ? `ran ${rwalker.time(row.running)}` : '',
				row.queued ? `run queue ${rwalker.time(row.queued)}` : '',
				row.blocked ? `blocked ${rwalker.time(row.blocked)}` : '',
				row.samples ? rwalker.plural(row.samples, 'sample') : '',
			];

			return parts.filter(Boolean).join(', ');
		}

		wheel(event) {
			const {view} = this,
				sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);

			if (!event.ctrlKey && !event.metaKey && !sideways) return; /* scrolls the rows */
			event.preventDefault();
			if (sideways) view.pan(Math.sign(event.deltaX || event.deltaY) * 0.1);
			else view.zoom(event.deltaY > 0 ? 1.25 : 0.8, view.tickAt(event.offsetX));
		}

		zoomIn(event) {
			this.view.zoom(0.4, this.view.tickAt(event.offsetX));
		}
	}

	Object.assign(rwalker, {TimelinePointer, longestWithin, nextWait, waitText, timelineWords});
})((globalThis.rwalker ??= {}));
