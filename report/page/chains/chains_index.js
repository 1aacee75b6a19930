/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A thread's waits in one recording, by time, and the total length of its waits that have no event (wait_index.h).
 */
(function (rwalker) {
	'use strict';

	class ThreadWaits {
		constructor(profile) {
			this.waits = profile.waits;
			this.runs = [];
			this.order =
				null; /* only if runs overlap: a thread that took an earlier comm again */
			this.ends = null; /* only if waits overlap: at least the end of the one before */
			this.first = this.count = this.brief = this.running = this.unknown = 0;
			this.summed = false;
			this.from = -Infinity; /* since when it is known, in ticks; before that it did not run */
			this.to = -Infinity; /* until when its sums tell of it */
			this.started = false; /* it did not exist before */
		}

		number(i) {
			return this.order ? this.order[i] : this.first + i;
		}

		end(i) {
			const number = this.number(i);

			if (this.ends) return this.ends[i];
			return this.waits.out[number] + this.waits.length[number];
		}

		/* The first wait that ends after `time`: the current one at that time, or the next; else count. */
		after(time) {
			let first = 0,
				end = this.count;

			while (first < end) {
				const middle = (first + end) >>> 1;

				if (this.end(middle) > time) end = middle;
				else first = middle + 1;
			}
			return first;
		}

		finish() {
			const {out} = this.waits,
				several = this.runs.length > 1;

			this.count = this.runs.reduce((sum, run) => sum + run.end - run.first, 0);
			this.first = this.runs[0]?.first ?? 0;
			if (several) {
				this.order = new Uint32Array(this.count);
				this.runs.reduce((at, run) => {
					for (let i = run.first; i < run.end; i++) this.order[at++] = i;
					return at;
				}, 0);
				this.order.sort((left, right) => out[left] - out[right] || left - right);
			}
			this.ends = this.ascending();
		}

		/* A wait within an earlier one never is the current one: it ends with that one. null: there is none. */
		ascending() {
			let ends = null;

			for (let i = 1, last = this.count ? this.end(0) : 0; i < this.count; i++) {
				const end = this.end(i);

				if (end < last && !ends)
					ends = Float64Array.from({length: this.count}, (_, k) => this.end(k));
				last = Math.max(last, end);
				if (ends) ends[i] = last;
			}
			return ends;
		}
	}

	class ChainsIndex {
		constructor(profile, threadOf) {
			this.profile = profile;
			this.threadOf = threadOf;
			this.known = new Map();
			for (const run of profile.waits.runs)
				this.enter(run.recording, run.task).runs.push(run);
			this.addSums();
			for (const thread of this.known.values()) thread.finish();
		}

		key(recording, task) {
			return recording * (this.threadOf.length + 1) + this.threadOf[task];
		}

		enter(recording, task) {
			const key = this.key(recording, task);

			if (!this.known.has(key)) this.known.set(key, new ThreadWaits(this.profile));
			return this.known.get(key);
		}

		find(recording, task) {
			return this.known.get(this.key(recording, task));
		}

		addSums() {
			const {sums, unit, recordings} = this.profile;

			for (let i = 0; i < sums.task.length; i++) {
				const thread = this.enter(sums.recording[i], sums.task[i]);

				const {offset} = recordings[sums.recording[i]];
				const from = offset + sums.from[i];

				thread.from = thread.summed ? Math.min(thread.from, from) : from;
				thread.to = Math.max(thread.to, offset + sums.to[i]);
				thread.summed = true;
				thread.started ||= sums.count[(i + 1) * sums.kinds - 1] > 0; /* the last kind: started */
				thread.running += sums.running[i];
				thread.unknown += sums.unknown[i];
				for (let kind = 0; kind < sums.kinds; kind++)
					thread.brief += sums.total[i * sums.kinds + kind];
			}
			for (const thread of this.known.values())
				for (const part of ['brief', 'running', 'unknown'])
					thread[part] = Math.floor(thread[part] / unit);
		}
	}

	Object.assign(rwalker, {ChainsIndex});
})((globalThis.rwalker ??= {}));
