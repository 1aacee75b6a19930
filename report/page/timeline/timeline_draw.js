/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Paints the timeline: the axis, then a row for each thread. Each column of a row is a stack of what the thread did
 * in that time: ran at the bottom, then was runnable, then blocked. Rows are written as pixels, since millions of
 * rectangles would take too long. Names, links and marks are painted over them.
 */
(function (rwalker) {
	'use strict';

	const AXIS = 24,
		ROW = 20,
		GAP = 3,
		STRIP = 4;

	class TimelinePainter {
		/* `place`: {width, height, left: where times start, top: scrolled away}. */
		constructor(app, canvas, place, texts) {
			const fitted = rwalker.fit(canvas, place.height);

			Object.assign(this, {app, place, texts, context: fitted.context, ratio: fitted.ratio});
			this.theme = app.theme();
			this.from = app.state.viewFrom ?? app.axis.from;
			this.to = app.state.viewTo ?? app.axis.to;
			this.scale = (place.width - place.left) / (this.to - this.from);
		}

		xOf(tick) {
			return this.place.left + (tick - this.from) * this.scale;
		}

		yOf(row) {
			return AXIS + row * ROW - this.place.top;
		}

		/* ---- Rows as pixels ---- */

		paintRows(rows) {
			const {place, ratio, context} = this,
				width = Math.round((place.width - place.left) * ratio);
			const height = Math.round((place.height - AXIS) * ratio);

			if (width < 1 || height < 1) return;
			const image = this.app.derive('image', [width, height], () =>
					context.createImageData(width, height)
				),
				pixels = new Uint32Array(image.data.buffer);
			const columns = rwalker.makePixels(width, this.from, (this.to - this.from) / width);

			this.colors = Object.fromEntries(
				Object.entries(this.theme)
					.filter(([, color]) => color.startsWith('#'))
					.map(([name, color]) => [name, rwalker.pixelOf(color)])
			);
			pixels.fill(this.colors.paper);
			for (const {row, number} of this.visible(rows))
				this.paintRow(row, number, columns, pixels);
			context.putImageData(image, Math.round(place.left * ratio), Math.round(AXIS * ratio));
		}

		visible(rows) {
			const first = Math.max(0, Math.floor(this.place.top / ROW));
			const last = Math.min(
				rows.length,
				Math.ceil((this.place.top + this.place.height - AXIS) / ROW)
			);

			return rows.slice(first, last).map((row, i) => ({row, number: first + i}));
		}

		paintRow(row, number, columns, pixels) {
			const {profile, axis} = this.app;

			rwalker.clearPixels(columns);
			for (const thread of row.threads) rwalker.addThread(profile, thread, axis, columns);
			const waits = row.threads.some(
				thread => thread.waits || thread.sums.length || thread.bins
			);
			const marks = this.marksOf(row, columns, waits);
			const box = this.boxOf(number);

			if (waits) this.paintTimes(row, columns, pixels, box);
			if (marks)
				this.paintMarks(
					marks,
					pixels,
					waits
						? {
								...box,
								from: box.to - Math.round(STRIP * this.ratio),
							}
						: box,
					columns.count
				);
		}

		/* The rows of pixels of a timeline row, within the image. */
		boxOf(number) {
			const {ratio} = this,
				y = (number * ROW - this.place.top) * ratio;

			return {
				from: Math.round(y + (GAP * ratio) / 2),
				to: Math.round(y + (ROW - GAP / 2) * ratio),
				limit: Math.round((this.place.height - AXIS) * ratio),
			};
		}

		/* Of the time outside of recorded waits: the shares of brief waits, which have no event, and of what is unknown. */
		shares(row) {
			const {sums} = this.app.profile;
			let brief = 0,
				unknown = 0,
				all = 0;

			for (const thread of row.threads) {
				all += thread.running;
				unknown += thread.unknown;
				for (const at of thread.sums)
					for (let kind = 0; kind < sums.kinds; kind++)
						brief += sums.total[at * sums.kinds + kind];
			}
			all += brief + unknown;
			return all ? {brief: brief / all, unknown: unknown / all} : {brief: 0, unknown: 0};
		}

		paintTimes(row, columns, pixels, box) {
			const {colors} = this;

			rwalker.paintColumns(columns, pixels, box, {
				whole: columns.ticks * row.threads.length,
				shares: this.shares(row),
				colors: [
					colors.ran,
					colors.brief,
					colors.unknown,
					colors.queued,
					colors.summed,
					colors['blocked-deep'],
					colors.blocked,
				],
			});
		}

		/* Samples of the row by column, if any. */
		marksOf(row, columns, waits) {
			const marks = new Float32Array(columns.count),
				source = this.markSource(waits);
			let any = false;

			if (source < 0) return null;
			for (const thread of row.threads)
				any = rwalker.countSamples(this.app, thread, source, columns, marks) || any;
			return any ? marks : null;
		}

		/* The source whose samples are shown; if waits are shown, that of CPU samples. */
		markSource(waits) {
			const {app} = this;

			if (!waits || !app.hasWaits()) return app.state.source;
			return app.profile.sources.findIndex(({kind}) => kind === 'cpu');
		}

		/* The more samples per pixel, the higher; a single sample is always visible. */
		paintMarks(marks, pixels, box, width) {
			const most = marks.reduce((left, right) => Math.max(left, right), 1),
				height = box.to - box.from;

			for (let x = 0; x < width; x++) {
				if (!marks[x]) continue;
				const from =
					box.to -
					Math.max(1, Math.round(height * (0.35 + (0.65 * marks[x]) / most)));

				for (let y = Math.max(from, 0); y < Math.min(box.to, box.limit); y++)
					pixels[y * width + x] = this.colors.sample;
			}
		}

		/* ---- Over the rows ---- */

		paintAxis() {
			const {context, place, theme, app} = this,
				{unit} = app.profile;
			const step = rwalker.niceStep((90 / this.scale) * unit),
				first = Math.ceil(app.momentOf(this.from) / step);

			context.fillStyle = theme.faint;
			context.strokeStyle = theme.line;
			context.lineWidth = 1;
			for (let i = first; i * step <= app.momentOf(this.to); i++) {
				const x = Math.round(this.xOf(app.axis.from + (i * step) / unit)) + 0.5;

				context.beginPath();
				context.moveTo(x, AXIS - 6);
				context.lineTo(x, place.height);
				context.globalAlpha = 0.5;
				context.stroke();
				context.globalAlpha = 1;
				context.fillText(rwalker.axisTime(i * step, step), x + 3, AXIS / 2);
			}
		}

		paintNames(rows, cursor) {
			const {context, place, theme} = this;

			context.fillStyle = theme.paper;
			context.fillRect(0, 0, place.left, place.height);
			for (const {row, number} of this.visible(rows)) {
				const y = this.yOf(number);

				if (y + ROW / 2 < AXIS) continue;
				context.fillStyle =
					number === cursor
						? theme.accent
						: row.inChain ? theme.link : theme.ink;
				context.fillText(
					this.texts.fitted(context, row.name, place.left - 10),
					2,
					y + ROW / 2
				);
			}
			context.fillStyle = theme.paper;
			context.fillRect(0, 0, place.left, AXIS);
		}

		/* Marks the times in which names may be wrong because records of mappings were lost. */
		paintUnsure() {
			const {context, theme, app, place} = this;

			for (const [recording, from, to] of app.profile.unsure ?? []) {
				const {offset} = app.profile.recordings[recording],
					left = this.xOf(offset + from);

				context.fillStyle = theme.unsure;
				context.globalAlpha = 0.45;
				context.fillRect(
					left,
					AXIS - 7,
					Math.max(2, this.xOf(offset + to) - left),
					place.height
				);
				context.globalAlpha = 1;
			}
		}

		paintWalks() {
			const {context, theme, app, place} = this;

			context.strokeStyle = theme.walk;
			context.lineWidth = 1.5;
			context.setLineDash([3, 3]);
			for (const walk of app.profile.walked.walks) {
				const x = this.xOf(walk.time);

				context.beginPath();
				context.moveTo(x, AXIS - 10);
				context.lineTo(x, place.height);
				context.stroke();
			}
			context.setLineDash([]);
		}

		/* What a walk found a thread in, and for how long it had been there. */
		paintWalked(rows) {
			const {walked, unit} = this.app.profile;

			for (const {row, number} of this.visible(rows))
				for (const found of row.threads.flatMap(thread => thread.walked ?? [])) {
					const {time} = walked.walks[walked.walk[found]];

					this.paintBox(number, time - walked.wait[found] / unit, time, 'walk');
				}
		}

		/* Paints a range and its ends. */
		paintRange(from, to, color) {
			const {context, place, theme} = this,
				left = Math.max(this.xOf(from), place.left),
				right = this.xOf(to);

			context.fillStyle = theme[color];
			context.globalAlpha = 0.14;
			context.fillRect(left, 0, Math.max(1, right - left), place.height);
			context.globalAlpha = 1;
			context.fillRect(left - 1, 0, 2, place.height);
			context.fillRect(right - 1, 0, 2, place.height);
		}

		paintBox(number, from, to, color) {
			const {context, theme, place} = this,
				left = Math.max(place.left, this.xOf(from));
			const right = Math.min(place.width, this.xOf(to));

			if (right < place.left || left > place.width) return;
			context.strokeStyle = theme[color];
			context.lineWidth = 2;
			context.strokeRect(left, this.yOf(number) + 1, Math.max(2, right - left), ROW - 2);
		}

		/* From the waker's row to the sleeper's, at the time of the wakeup. */
		paintLink(fromRow, toRow, at) {
			const {context, theme} = this,
				x = this.xOf(at),
				from = this.yOf(fromRow) + ROW / 2;
			const to = this.yOf(toRow) + ROW / 2,
				turn = to > from ? -5 : 5;

			if (x < this.place.left) return;
			context.strokeStyle = context.fillStyle = theme.link;
			context.lineWidth = 2;
			context.beginPath();
			context.moveTo(x, from);
			context.lineTo(x, to);
			context.stroke();
			context.beginPath();
			context.moveTo(x, to);
			context.lineTo(x - 4, to + turn);
			context.lineTo(x + 4, to + turn);
			context.fill();
			context.beginPath();
			context.arc(x, from, 3, 0, 7);
			context.fill();
		}
	}

	/*
	 * A row of the timeline as pixels: each column is a stack of what the thread did in that time. This runs for each
	 * pixel of each frame, so it allocates nothing.
	 */

	const PARTS = 7; /* ran, ran or waited briefly, unknown, queued, known as a sum, blocked deeply, blocked */

	/* What a thread did in column `x`. Returns whether anything is known. */
	function fillParts(parts, {sums, alive}, x, {brief, unknown}) {
		const blocked = sums[0][x],
			deep = sums[1][x],
			queued = sums[2][x],
			summed = sums[3][x],
			rest = alive[x] - blocked - deep - queued - summed;

		parts[0] = rest > 0 ? rest * (1 - brief - unknown) : 0;
		parts[1] = rest > 0 ? rest * brief : 0;
		parts[2] = rest > 0 ? rest * unknown : 0;
		parts[3] = queued;
		parts[4] = summed;
		parts[5] = deep;
		parts[6] = blocked;
		return rest > 0 || blocked > 0 || deep > 0 || queued > 0 || summed > 0;
	}

	/* Paints from the bottom. Each part that exists gets at least a pixel, so nothing rare vanishes. */
	function paintParts(pixels, x, width, box, parts, scale, colors) {
		let y = box.to;

		for (let part = 0; part < PARTS && y > box.from; part++) {
			if (!(parts[part] > 0)) continue;
			const next = Math.max(box.from, y - Math.max(1, Math.round(parts[part] * scale)));
			const low = Math.min(y, box.limit),
				color = colors[part];

			for (let at = Math.max(next, 0); at < low; at++) pixels[at * width + x] = color;
			y = next;
		}
	}

	/*
	 * `box`: the rows of pixels; `whole`: ticks of a full column; `shares`: the parts of the rest
	 * that are brief waits, and unknown.
	 */
	function paintColumns(columns, pixels, box, {whole, shares, colors}) {
		const parts = new Float64Array(PARTS),
			scale = (box.to - box.from) / whole;

		for (let x = 0; x < columns.count; x++)
			if (fillParts(parts, columns, x, shares))
				paintParts(pixels, x, columns.count, box, parts, scale, colors);
	}

	/* Samples of a thread by pixel of the timeline. */

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

	Object.assign(rwalker, {TimelinePainter, TIMELINE: {AXIS, ROW}, paintColumns, countSamples});
})((globalThis.rwalker ??= {}));
