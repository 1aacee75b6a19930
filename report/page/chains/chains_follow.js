/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The real causes of a wait. The method is that of the reporter's chains.h, rule by rule, so the page says
 * what --chains says. All of a blocked thread's time is attributed to its waker; the same time is then examined for
 * the waker, and so on. The weight of a target is divided in proportion to the lengths found.
 *
 * `seen`, if given, gets the parts of threads that the path went through, for the timeline: {task, from, to, kind,
 * wait}, and the wakeups: {task, sleeper, at}.
 */
(function (rwalker) {
	'use strict';

	const MOST_HOPS = 64;
	/* Names of wakerStep values other than 0 (follow the waker's own waits). */
	const STEPS = [null, 'timer', 'softirq', 'irq', 'idle', 'oddContext'];

	/* left * right / divisor, rounded down, also if the product is not exact in a double. */
	function scaled(left, right, divisor) {
		const product = left * right;

		if (product <= Number.MAX_SAFE_INTEGER) return Math.floor(product / divisor);
		return Number((BigInt(left) * BigInt(right)) / BigInt(divisor));
	}

	function lengthOf({from, to}) {
		return to > from ? to - from : 0;
	}

	function cut(span, from, to) {
		return {from: Math.max(span.from, from), to: Math.min(span.to, to)};
	}

	class Follower {
		constructor(profile, index, tree, seen = null) {
			this.profile = profile;
			this.waits = profile.waits;
			this.index = index;
			this.tree = tree;
			this.seen = seen;
			this.work = this.momentWork = this.moments = this.sampled = 0;
			this.spans = rwalker.requestedSpans(profile);
			this.recordingOf = recordingFinder(profile.waits);
		}

		/* ---- Ends of paths ---- */

		weightOf(length) {
			return scaled(this.weight, length, this.length);
		}

		/* `length` is in units of the target. */
		endWhole(parent, step, length) {
			const before = this.weightOf(this.divided);

			if (!length) return;
			let node = this.tree.enter(parent, step);

			if (node < 0) node = this.tree.enter(parent, {kind: 'tooMuch'});
			this.divided += length;
			this.tree.add(node, this.weightOf(this.divided) - before);
		}

		/* The same for a length in which a tick may represent more. */
		end(parent, step, length) {
			this.endWhole(parent, step, length * this.scale);
		}

		endAs(parent, kind, length) {
			this.end(parent, {kind}, length);
		}

		/* ---- One wait ---- */

		hop(number, span, node) {
			if (this.way.includes(number)) this.endAs(node, 'cycle', lengthOf(span));
			else if (this.way.length === MOST_HOPS) this.endAs(node, 'tooDeep', lengthOf(span));
			else {
				this.way.push(number);
				this.follow(number, span, node);
				this.way.pop();
			}
		}

		/* Attributes the blocked part `span` of a wait to its waker. `node` is the step of the wait. */
		follow(number, span, node) {
			const kind = this.waits.kinds[this.waits.kind[number]],
				waker = this.waits.waker[number] - 1;

			if (kind.waitClass === rwalker.CLASS.THROTTLED)
				this.endAs(node, 'throttled', lengthOf(span));
			else if (this.waits.next[number]) this.followNext(number, span, node);
			else if (kind.flags & rwalker.WAIT.NOT_ENDED) this.endAs(node, 'notEnded', lengthOf(span));
			else if (waker < 0 || kind.context === rwalker.CONTEXT.NONE)
				this.endAs(node, 'noWaker', lengthOf(span));
			else this.followWaker(number, waker, span, node);
		}

		/* Follows another thread where the waker says too little. */
		followNext(number, span, node) {
			const {task, by} = this.waits.nexts,
				next = this.waits.next[number] - 1;
			const {comm} = this.profile.tasks[task[next]];

			this.divideWaker(number, task[next], span, node, {comm, by: by[next]});
		}

		followWaker(number, waker, span, node) {
			const {task, stack, step} = this.waits.wakers,
				kind = STEPS[step[waker]];
			const interrupt = step[waker] >= 1 && step[waker] <= 3;
			const wake = rwalker.placeText(this.profile, stack[waker], !interrupt);

			if (interrupt) this.end(node, {kind, wake}, lengthOf(span));
			else this.followTask(number, task[waker] - 1, {wake, kind}, span, node);
		}

		followTask(number, waker, {wake, kind}, span, node) {
			const step = {comm: this.profile.tasks[waker].comm, wake};

			this.note({
				task: waker,
				sleeper: number,
				at: rwalker.runnableSince(this.waits, number),
			});
			if (kind) this.end(node, {...step, kind}, lengthOf(span));
			else this.divideWaker(number, waker, span, node, step);
		}

		note(what) {
			if (this.seen) this.seen.push(what);
		}

		/* ---- What a waker did in the meantime ---- */

		divideWaker(number, waker, span, node, woke) {
			const recording = this.recordingOf(number),
				thread = this.index.find(recording, waker);
			const state = {number, waker, thread, node, woke, running: 0, at: span.from};
			const cutShort = thread && this.divideOwnWaits(state, span);

			if (cutShort) {
				this.divideRest(state, {from: state.at, to: span.to});
				state.at = span.to;
			}
			this.divideGap(state, null, span.to);
			this.divideRunning(state, recording);
		}

		/* Returns whether the work ran out. */
		divideOwnWaits(state, span) {
			const {thread} = state,
				{out, length} = this.waits;

			for (let next = thread.after(span.from); next < thread.count; next++) {
				const own = thread.number(next);
				const part = cut(
					{from: state.at, to: span.to},
					out[own],
					out[own] + length[own]
				);

				if (out[own] >= span.to) break;
				if (!lengthOf(part)) continue;
				if (!this.work) return true;
				this.work--;
				this.divideGap(state, own, part.from);
				this.divideOwn(state, own, part);
				state.at = part.to;
			}
			return false;
		}

		/*
		 * Between two waits, until `to`, a waker ran, but not before it was created, or was first seen; `own` is the
		 * later wait, or null: then who is not a waker may have ended.
		 */
		divideGap(state, own, to) {
			const {thread, waker, at} = state,
				starts =
					own !== null &&
					this.waits.kinds[this.waits.kind[own]].waitClass === rwalker.CLASS.STARTED;
			const known = starts ? to : Math.min(Math.max(thread?.from ?? at, at), to);
			const mayEnd = own === null && state.woke.by && thread?.summed;
			const last = mayEnd ? Math.max(known, Math.min(thread.to, to)) : to;
			const kind = starts || thread?.started ? 'notBorn' : 'unseen';

			if (last > known) this.note({task: waker, from: known, to: last, kind: 'ran'});
			state.running += Math.max(last - known, 0);
			this.end(state.node, {...state.woke, kind}, Math.max(known - at, 0));
			this.end(state.node, {...state.woke, kind: 'unseen'}, Math.max(to - last, 0));
		}

		/* Notes what a part of a waker's own wait was for. */
		notePurpose(node, number, length) {
			const purpose = rwalker.purposeOf(this.waits, number);

			this.tree.addPurpose(node, purpose, this.weightOf(length * this.scale));
		}

		divideOwn(state, own, span) {
			const since = rwalker.runnableSince(this.waits, own);
			const blocked = cut(span, -Infinity, since),
				queued = cut(span, since, Infinity);

			this.note({task: state.waker, from: span.from, to: span.to, kind: 'waited', wait: own});
			this.end(state.node, {...state.woke, kind: 'waitedForCpu'}, lengthOf(queued));
			if (!lengthOf(blocked)) return;
			if (this.waits.kinds[this.waits.kind[own]].waitClass === rwalker.CLASS.THROTTLED) {
				this.end(state.node, {...state.woke, kind: 'wasThrottled'}, lengthOf(blocked));
				return;
			}
			const at = rwalker.placeText(this.profile, this.waits.stack[own]);
			const child = this.tree.enter(state.node, {
				...state.woke,
				kind: 'blocked',
				at,
			});

			if (child < 0) {
				this.endAs(state.node, 'tooMuch', lengthOf(blocked));
				return;
			}
			this.notePurpose(child, own, lengthOf(blocked));
			this.hop(own, blocked, child);
		}

		/* The time for which no wait of the waker is known. */
		divideRunning({thread, node, woke, running}, recording) {
			const length = running * this.scale,
				brief = thread ? this.briefPart(thread, recording, length) : 0,
				unknown = thread ? this.unknownPart(thread, length - brief) : length;

			this.endWhole(node, {...woke, kind: 'ran'}, length - brief - unknown);
			this.endWhole(node, {...woke, kind: 'ranOrBrief'}, brief);
			this.endWhole(node, {...woke, kind: 'unseen'}, unknown);
		}

		/*
		 * The part of `length` that nothing explains: all of it that fits, or in proportion to the thread's other
		 * such time.
		 */
		unknownPart({unknown, running}, length) {
			if (!unknown || length >= unknown) return unknown;
			return scaled(unknown, length, unknown + running);
		}

		/*
		 * The part of `length` that a thread may have spent in waits that were too short. A moment gets
		 * its share of the total.
		 */
		briefPart(thread, recording, length) {
			if (!this.profile.recordings[recording].leastWait) return 0;
			if (!thread.summed) return length;
			const brief = this.momentSpan
				? scaled(thread.brief, length, this.momentSpan)
				: thread.brief;

			return Math.min(brief, length);
		}

		/* ---- When there is too much work ---- */

		divideRest(state, span) {
			if (!lengthOf(span)) return;
			if (this.momentSpan || !this.momentWork)
				this.endAs(state.node, 'tooMuch', lengthOf(span));
			else this.divideMoments(state, span);
		}

		/* There is not enough work left for the whole span, so this samples some moments of it. */
		divideMoments({number, waker, node, woke}, span) {
			const length = lengthOf(span),
				before = this.weightOf(this.divided);
			const count = scaled(length, this.moments, this.length) + 1;
			let {from} = span;

			this.momentSpan = length;
			this.work = this.momentWork;
			for (let i = 0; i < count; i++) {
				const to = span.from + scaled(length, i + 1, count);
				const moment = from + Math.floor((to - from) / 2);

				this.scale = to - from;
				if (this.scale)
					this.divideWaker(
						number, waker, {from: moment, to: moment + 1}, node, woke,
					);
				from = to;
			}
			this.momentWork = this.work;
			this.work = this.momentSpan = 0;
			this.scale = 1;
			this.sampled += this.weightOf(this.divided) - before;
		}

		/* ---- A target ---- */

		/* The part of a wait within its recording and the requested times; all of it if that would be empty. */
		requestedPart(number) {
			const span = this.spans[this.recordingOf(number)];
			const all = {
				from: this.waits.out[number],
				to: this.waits.out[number] + this.waits.length[number],
			};
			const part = cut(all, span.from, span.to);

			return lengthOf(part) ? part : all;
		}

		/* What views sum: the ticks within the recording and the requested times. */
		weightOfWait(number) {
			const span = this.spans[this.recordingOf(number)],
				{out, length} = this.waits;

			return lengthOf(cut(span, out[number], out[number] + length[number]));
		}

		begin(number) {
			this.weight = this.weightOfWait(number);
			this.length = lengthOf(this.requestedPart(number));
			this.divided = this.momentSpan = 0;
			this.scale = 1;
			this.way = [];
		}

		/* Divides one wait into the tree. */
		divide(number, comm) {
			const span = this.requestedPart(number),
				since = rwalker.runnableSince(this.waits, number);
			const kind = this.waits.kinds[this.waits.kind[number]];
			const at = rwalker.placeText(this.profile, this.waits.stack[number]);

			this.begin(number);
			if (!this.length) return;
			const node = this.tree.enter(0, {kind: 'target', waitClass: kind.waitClass, comm, at});

			if (node < 0) {
				this.endAs(0, 'tooMuch', this.length);
				return;
			}
			this.notePurpose(node, number, this.length);
			this.endAs(node, 'runQueue', lengthOf(cut(span, since, Infinity)));
			if (lengthOf(cut(span, -Infinity, since)))
				this.hop(number, cut(span, -Infinity, since), node);
		}
	}

	/* Finds the run of a wait, and so its task and recording, by binary search. */
	function runFinder({runs}) {
		const firsts = Float64Array.from(runs, run => run.first);

		return number => {
			let at = rwalker.lowerBound(firsts, 0, firsts.length, number + 1) - 1;

			while (runs[at].end <= number) at--;
			return runs[at];
		};
	}

	function recordingFinder(waits) {
		const runOf = runFinder(waits);

		return number => runOf(number).recording;
	}

	Object.assign(rwalker, {Follower, runFinder});
})((globalThis.rwalker ??= {}));
