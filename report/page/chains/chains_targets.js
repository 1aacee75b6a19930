/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Chooses which waits are followed, and with how much work: as in the reporter's chains_targets.c. */
(function (rwalker) {
	'use strict';

	const LONGEST = 1000;
	const WORK = 3000000,
		MOMENT_WORK = 3000000,
		NODES = 250000;
	const LEAST_WORK = 100,
		LEAST_NODES = 20,
		LEAST_MOMENTS = 4,
		MOST_MOMENTS = 10000,
		USUAL_HOPS = 32;

	/* A target may use its share of what is left, so an expensive one does not starve the rest. */
	function shareOf(left, targets, least) {
		return Math.min(Math.max(Math.floor(left / targets), least), left);
	}

	function followTarget(follower, left, number, comm, targets) {
		const share = {
			work: shareOf(left.work, targets, LEAST_WORK),
			momentWork: shareOf(left.momentWork, targets, LEAST_WORK),
			nodes: shareOf(left.nodes, targets, LEAST_NODES),
		};

		follower.work = share.work;
		follower.momentWork = share.momentWork;
		follower.moments = Math.min(
			Math.max(Math.floor(share.momentWork / USUAL_HOPS), LEAST_MOMENTS),
			MOST_MOMENTS
		);
		follower.tree.room = share.nodes;
		follower.divide(number, comm);
		left.work -= share.work - follower.work;
		left.momentWork -= share.momentWork - follower.momentWork;
		left.nodes -= share.nodes - follower.tree.room;
	}

	/* Divides waits into one tree. `seen` is passed to the follower. */
	function followWaits(profile, index, numbers, seen = null) {
		const tree = new rwalker.ChainsTree(0),
			follower = new rwalker.Follower(profile, index, tree, seen);
		const left = {work: WORK, momentWork: MOMENT_WORK, nodes: NODES},
			runOf = rwalker.runFinder(profile.waits);

		numbers.forEach((number, i) => {
			const {comm} = profile.tasks[runOf(number).task];

			followTarget(follower, left, number, comm, numbers.length - i);
		});
		tree.finish();
		tree.sampled = follower.sampled;
		return tree;
	}

	/* Nobody held up a sleep that a timer ended, unless it then waited for a CPU for longer than it slept. */
	function endsByTimer({wakers, waker, runQueue, length}, number) {
		return (
			waker[number] > 0 &&
			wakers.step[waker[number] - 1] === 1 &&
			runQueue[number] <= Math.floor(length[number] / 2)
		);
	}

	/* The waits that --chains follows by default: the longest ones that somebody held up. */
	function chooseTargets(profile) {
		const {waits} = profile,
			weight = new Float64Array(waits.count),
			targets = [];
		const spans = rwalker.requestedSpans(profile);

		for (const run of waits.runs) {
			const isKernel = profile.tasks[run.task].flags & rwalker.TASK.KERNEL,
				beside = isKernel ? rwalker.WAIT.BESIDE : rwalker.WAIT.UNASKED;

			rwalker.eachWaitWithin(waits, run, spans[run.recording], (number, part) => {
				const {flags} = waits.kinds[waits.kind[number]];

				weight[number] = part;
				if (
					!(flags & beside) &&
					(waits.next[number] || !(flags & rwalker.WAIT.NOT_ENDED)) &&
					!endsByTimer(waits, number)
				)
					targets.push(number);
			});
		}
		targets.sort((left, right) => weight[right] - weight[left] || left - right);
		return targets.slice(0, LONGEST);
	}

	Object.assign(rwalker, {followWaits, chooseTargets});
})((globalThis.rwalker ??= {}));
