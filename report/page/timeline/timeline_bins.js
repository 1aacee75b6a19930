/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * How a thread spent each pixel of the timeline. Millions of waits cannot be visited for each frame, so each thread
 * has a pyramid: 2^k bins of equal time, no more than it has waits, and above them levels with half as many each. A
 * picture uses the level whose bins are just narrower than a pixel, or single waits if there is none.
 *
 * Channels: what a thread did in that time.
 */
(function (rwalker) {
	'use strict';

	const CHANNEL = {BLOCKED: 0, DEEP: 1, QUEUED: 2, SUMMED: 3};
	const CHANNELS = 4;
	const MOST_BITS = 17;

	/* D: uninterruptible, the state of waits for disks and kernel locks. Throttled threads are runnable. */
	function channelOf({state, waitClass}) {
		if (waitClass === rwalker.CLASS.THROTTLED) return CHANNEL.QUEUED;
		return state[0] === 'D' ? CHANNEL.DEEP : CHANNEL.BLOCKED;
	}

	/* Adds [from, to) to bins of `width` that start at 0, to each its part; `at`: where bins are in `sums`. */
	function addSpan(sums, at, count, width, from, to) {
		const low = Math.max(from, 0),
			high = Math.min(to, count * width);

		if (high <= low) return;
		const first = Math.min(count - 1, Math.floor(low / width)),
			last = Math.min(count - 1, Math.floor(high / width));

		if (first === last) {
			sums[at + first] += high - low;
			return;
		}
		sums[at + first] += (first + 1) * width - low;
		for (let i = first + 1; i < last; i++) sums[at + i] += width;
		sums[at + last] += high - last * width;
	}

	class Pyramid {
		constructor(profile, thread, axis) {
			this.axis = axis;
			this.bits = Math.min(MOST_BITS, Math.max(0, Math.floor(Math.log2(thread.waits + 1))));
			this.count = 2 ** this.bits;
			this.width = (axis.to - axis.from) / this.count;
			this.sums = Array.from(
				{length: CHANNELS - 1},
				() => new Float32Array(2 * this.count)
			);
			for (const run of thread.runs) this.addRun(profile.waits, run);
			this.sumUp();
		}

		addRun(waits, run) {
			const {out, length, kind, kinds} = waits,
				origin = this.axis.from;

			for (let i = run.first; i < run.end; i++) {
				const from = out[i] - origin,
					since = rwalker.runnableSince(waits, i) - origin;

				this.add(channelOf(kinds[kind[i]]), from, since);
				this.add(CHANNEL.QUEUED, since, from + length[i]);
			}
		}

		add(channel, from, to) {
			addSpan(this.sums[channel], this.count, this.count, this.width, from, to);
		}

		/* Level k starts at 2^k, as in a heap. */
		sumUp() {
			for (const sums of this.sums)
				for (let i = this.count - 1; i > 0; i--)
					sums[i] = sums[2 * i] + sums[2 * i + 1];
		}

		/* The coarsest level whose bins are at most `ticks` long; -1 if none is. */
		levelFor(ticks) {
			let level = this.bits;

			if (this.width > ticks) return -1;
			while (level > 0 && this.width * 2 ** (this.bits - level + 1) <= ticks) level--;
			return level;
		}
	}

	/* Adds one level of the pyramid to pixels: {sums: by channel, count, from, ticks: per pixel}. */
	function addLevel(pyramid, level, pixels) {
		const bins = 2 ** level,
			width = (pyramid.axis.to - pyramid.axis.from) / bins,
			origin = pyramid.axis.from;
		const first = Math.max(0, Math.floor((pixels.from - origin) / width));
		const last = Math.min(
			bins - 1,
			Math.ceil((pixels.from + pixels.count * pixels.ticks - origin) / width)
		);

		pyramid.sums.forEach((sums, channel) => {
			const into = pixels.sums[channel];

			for (let i = first; i <= last; i++) {
				const at = Math.floor((origin + i * width - pixels.from) / pixels.ticks);

				if (at >= 0 && at < pixels.count) into[at] += sums[bins + i];
			}
		});
	}

	function addToPixels(pixels, sums, from, to) {
		addSpan(sums, 0, pixels.count, pixels.ticks, from, to);
	}

	function addSingle(waits, run, pixels) {
		const {out, length, kind, kinds} = waits,
			origin = pixels.from;
		const span = {from: origin, to: origin + pixels.count * pixels.ticks};

		rwalker.eachWaitWithin(waits, run, span, i => {
			const from = out[i] - origin,
				since = rwalker.runnableSince(waits, i) - origin;

			addToPixels(pixels, pixels.sums[channelOf(kinds[kind[i]])], from, since);
			addToPixels(pixels, pixels.sums[CHANNEL.QUEUED], since, from + length[i]);
		});
	}

	/* The shorter waits that --max-page reduced to sums: drawn as sums, over their bins. */
	function addBins(profile, thread, pixels) {
		const {bins} = profile,
			origin = pixels.from;

		for (const row of thread.bins ?? []) {
			const from =
				profile.recordings[bins.recording[row]].offset +
				bins.first[row] * bins.ticks -
				origin;
			const queued = bins.runQueue[row],
				rest = bins.blocked[row] + bins.other[row];

			addToPixels(pixels, pixels.sums[CHANNEL.SUMMED], from, from + rest);
			addToPixels(pixels, pixels.sums[CHANNEL.QUEUED], from + rest, from + rest + queued);
		}
	}

	/* The thread exists from its first to its last accounting, in each recording. */
	function addAlive(profile, thread, pixels) {
		const {sums, recordings} = profile;

		for (const row of thread.sums) {
			const {offset} = recordings[sums.recording[row]];

			addToPixels(
				pixels,
				pixels.alive,
				offset + sums.from[row] - pixels.from,
				offset + sums.to[row] - pixels.from
			);
		}
	}

	function makePixels(count, from, ticks) {
		return {
			sums: Array.from({length: CHANNELS}, () => new Float32Array(count)),
			alive: new Float32Array(count),
			count,
			from,
			ticks,
		};
	}

	function clearPixels(pixels) {
		for (const sums of [...pixels.sums, pixels.alive]) sums.fill(0);
	}

	/* Adds everything that is known about the thread's waits. */
	function addThread(profile, thread, axis, pixels) {
		if (thread.waits) {
			thread.pyramid ??= new Pyramid(profile, thread, axis);
			const level = thread.pyramid.levelFor(pixels.ticks);

			if (level >= 0) addLevel(thread.pyramid, level, pixels);
			else thread.runs.forEach(run => addSingle(profile.waits, run, pixels));
		}
		addBins(profile, thread, pixels);
		addAlive(profile, thread, pixels);
	}

	Object.assign(rwalker, {makePixels, clearPixels, addThread, addSpan, CHANNEL});
})((globalThis.rwalker ??= {}));
