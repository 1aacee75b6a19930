/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Off-wake stacks: the chain of the sleeper from root to leaf, then its waker, then the waker's chain from leaf to
 * root. So the two places where they met are side by side.
 */
(function (rwalker) {
	'use strict';

	/* Numbers for waits without a waker. */
	const UNKNOWN = -1,
		RUNNABLE = -2;
	const NOBODY = {[UNKNOWN]: 'waker not known', [RUNNABLE]: 'runnable all the time, woken by nobody'};
	const INTERRUPTS = {
		1: 'woken by a timer',
		2: 'woken by softirq',
		3: 'woken by irq',
		4: 'woken from an idle CPU',
	};

	function wakerText(profile, waker) {
		const {wakers} = profile.waits;

		if (waker < 0) return NOBODY[waker];
		const task = profile.tasks[wakers.task[waker] - 1];

		return INTERRUPTS[wakers.step[waker]] ?? `woken by ${task?.comm ?? 'an interrupt'}`;
	}

	/* {nodes, weights, wakers}, by the sleeper's node: one row for each pair of stack and waker. */
	function sumPairs(profile, selection) {
		const {waits, stackNode} = profile,
			pairs = new Map(),
			wakers = waits.wakers.task.length + 2;
		const wakerOf = wait =>
			waits.kinds[waits.kind[wait]].waitClass === rwalker.CLASS.BLOCKED
				? waits.waker[wait] - 1
				: RUNNABLE;

		rwalker.visitEvents(profile, selection, (stack, weight, count, runQueue, task, wait) => {
			const key = stack * wakers + wakerOf(wait) - RUNNABLE;

			pairs.set(key, (pairs.get(key) ?? 0) + weight);
		});
		const sorted = [...pairs].map(([key, weight]) => ({
			node: stackNode[Math.floor(key / wakers)],
			waker: (key % wakers) + RUNNABLE,
			weight,
		}));

		sorted.sort((left, right) => left.node - right.node);
		return {
			nodes: Uint32Array.from(sorted, pair => pair.node),
			bases: null,
			weights: Float64Array.from(sorted, pair => pair.weight),
			wakers: sorted.map(pair => pair.waker),
		};
	}

	/* The pairs whose sleeper's chain ends in the node, grouped by waker. */
	function findWakers(profile, chains, parent) {
		const groups = new Map();

		for (const {node, first, end} of parent.ranges)
			for (let i = first; i < end && chains.nodes[i] === node; i++) {
				const text = wakerText(profile, chains.wakers[i]),
					waker = chains.wakers[i];
				const list = groups.get(text) ?? {
					nodes: [],
					weights: [],
					bases: null,
				};

				list.nodes.push(
					waker < 0 ? 0 : profile.stackNode[profile.waits.wakers.stack[waker]]
				);
				list.weights.push(chains.weights[i]);
				groups.set(text, list);
			}
		return [...groups]
			.map(([text, list]) => {
				const band = rwalker.upTree(profile, list, {text});

				band.parent = parent;
				return band;
			})
			.sort((left, right) => right.weight - left.weight);
	}

	function wakerTree(profile, selection) {
		const chains = sumPairs(profile, selection);

		chains.atEnd = parent => findWakers(profile, chains, parent);
		return rwalker.downTree(profile, chains, {});
	}

	Object.assign(rwalker, {wakerTree, wakerText});
})((globalThis.rwalker ??= {}));
