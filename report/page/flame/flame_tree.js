/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Trees of boxes for flame graphs. A node knows its weight, and finds its children when they are first needed: what
 * is too narrow to be seen costs nothing. A node is {function, text, weight, base, parent, children, find}.
 *
 * function: number or -1; text: shown instead of a name; base: the weight that it is compared with.
 *
 * Weighted chains are sorted by their node in the tree of all chains, which is in preorder. So the chains below a
 * node are one range of them, and its weight is a difference of two running sums.
 */
(function (rwalker) {
	'use strict';

	/* Numbers of all stacks, sorted by node; made once per profile. */
	function stackOrder(profile) {
		const {stackNode} = profile;

		profile.stackOrder ??= Uint32Array.from(stackNode, (node, stack) => stack).sort(
			(left, right) => stackNode[left] - stackNode[right]
		);
		return profile.stackOrder;
	}

	function runningSums(values) {
		const sums = new Float64Array(values.length + 1);

		for (let i = 0; i < values.length; i++) sums[i + 1] = sums[i] + values[i];
		return sums;
	}

	/* {nodes, weights, bases} of the stacks that have a weight; `base` may be null. */
	function chainsOf(profile, weight, base) {
		const stacks = stackOrder(profile).filter(stack => weight[stack] || base?.[stack]);

		return {
			nodes: stacks.map(stack => profile.stackNode[stack]),
			weights: Float64Array.from(stacks, stack => weight[stack]),
			bases: base ? Float64Array.from(stacks, stack => base[stack]) : null,
		};
	}

	function makeNode(parent, values) {
		return {
			function: -1,
			text: null,
			weight: 0,
			base: 0,
			parent,
			children: null,
			find: () => [],
			...values,
		};
	}

	function sumOf(values) {
		return values ? values.reduce((sum, value) => sum + value, 0) : 0;
	}

	function childrenOf(node) {
		node.children ??= node.find(node);
		return node.children;
	}

	/* ---- From callers to callees ---- */

	function prepareDown(chains) {
		return {
			...chains,
			weightSums: runningSums(chains.weights),
			baseSums: chains.bases ? runningSums(chains.bases) : null,
		};
	}

	function weigh(chains, node, range) {
		node.weight += chains.weightSums[range.end] - chains.weightSums[range.first];
		if (chains.baseSums) node.base += chains.baseSums[range.end] - chains.baseSums[range.first];
		node.ranges.push(range);
	}

	/* The first chain of a range that continues below its node. */
	function skipOwn(chains, {node, first, end}) {
		while (first < end && chains.nodes[first] === node) first++;
		return first;
	}

	function findBelow(tree, chains, parent) {
		const found = new Map(),
			extra = chains.atEnd ? chains.atEnd(parent) : [];

		for (const range of parent.ranges) {
			for (let i = skipOwn(chains, range); i < range.end;) {
				const child = rwalker.ancestorAt(
					tree,
					chains.nodes[i],
					tree.depth[range.node] + 1
				);
				const end = rwalker.lowerBound(chains.nodes, i, range.end, tree.end[child]);
				const called = tree.function[child];

				if (!found.has(called))
					found.set(
						called,
						makeNode(parent, {
							function: called,
							ranges: [],
							find: parent.find,
						})
					);
				weigh(chains, found.get(called), {node: child, first: i, end});
				i = end;
			}
		}
		return [...found.values()]
			.sort((left, right) => left.function - right.function)
			.concat(extra);
	}

	/* A root with the chains below it. `ranges`: where to start, or null for the root of the tree. */
	function downTree(profile, chains, values, ranges = null) {
		const prepared = prepareDown(chains),
			find = node => findBelow(profile.tree, prepared, node);
		const root = makeNode(null, {find, ranges: [], ...values, weight: 0});

		for (const range of ranges ?? [{node: 0, first: 0, end: chains.nodes.length}])
			weigh(prepared, root, range);
		return root;
	}

	/* ---- From callees to callers ---- */

	function findAbove(tree, parent) {
		const found = new Map(),
			{nodes, weights, bases} = parent.list;

		for (let i = 0; i < nodes.length; i++) {
			const called = tree.function[nodes[i]];

			if (!nodes[i]) continue;
			if (!found.has(called))
				found.set(
					called,
					makeNode(parent, {
						function: called,
						find: parent.find,
						list: {nodes: [], weights: [], bases: bases && []},
					})
				);
			addAbove(found.get(called), tree.parent[nodes[i]], weights[i], bases?.[i] ?? 0);
		}
		return [...found.values()].sort(
			(left, right) =>
				right.weight + right.base - left.weight - left.base ||
				left.function - right.function
		);
	}

	function addAbove(node, caller, weight, base) {
		node.weight += weight;
		node.base += base;
		node.list.nodes.push(caller);
		node.list.weights.push(weight);
		node.list.bases?.push(base);
	}

	function upTree(profile, chains, values) {
		return makeNode(null, {
			find: node => findAbove(profile.tree, node),
			list: chains,
			weight: sumOf(chains.weights),
			base: sumOf(chains.bases),
			...values,
		});
	}

	/* ---- One function: its callers and its callees ---- */

	/* Where the function is outermost: {node, first, end} of the chains below it. */
	function rangesThrough(profile, chains, outermost, wanted) {
		const {tree} = profile,
			ranges = [];

		for (let node = 1; node < tree.count; node++) {
			if (tree.function[node] !== wanted || !outermost[node]) continue;
			const first = rwalker.lowerBound(chains.nodes, 0, chains.nodes.length, node);
			const end = rwalker.lowerBound(
				chains.nodes,
				first,
				chains.nodes.length,
				tree.end[node]
			);

			if (end > first) ranges.push({node, first, end});
		}
		return ranges;
	}

	function sandwich(profile, chains, outermost, wanted) {
		const ranges = rangesThrough(profile, chains, outermost, wanted),
			{parent} = profile.tree;
		const callees = downTree(profile, chains, {function: wanted}, ranges);
		const part = (values, {first, end}) => sumOf(values.subarray(first, end));
		const callers = upTree(
			profile,
			{
				nodes: ranges.map(range => parent[range.node]),
				weights: ranges.map(range => part(chains.weights, range)),
				bases: chains.bases && ranges.map(range => part(chains.bases, range)),
			},
			{function: wanted}
		);

		return {callers, callees};
	}

	/* ---- Bands: a tree for each thread or comm, side by side ---- */

	function bandTree(profile, groups) {
		const root = makeNode(null, {}),
			empty = new Float64Array(profile.stackNode.length);

		root.children = groups
			.map(({text, stacks, weights}) => {
				for (let i = 0; i < stacks.length; i++) empty[stacks[i]] = weights[i];
				const band = downTree(profile, sparseChains(profile, stacks, empty), {text});

				for (const stack of stacks) empty[stack] = 0;
				band.parent = root;
				root.weight += band.weight;
				return band;
			})
			.sort((left, right) => right.weight - left.weight);
		return root;
	}

	function sparseChains({stackNode}, stacks, weight) {
		const sorted = Uint32Array.from(stacks).sort(
			(left, right) => stackNode[left] - stackNode[right]
		);

		return {
			nodes: sorted.map(stack => stackNode[stack]),
			weights: Float64Array.from(sorted, stack => weight[stack]),
			bases: null,
		};
	}

	/* Weights by stack of each group: [{text, stacks, weights}]. `groupOf`: task -> text. */
	function groupSelection(profile, selection, groupOf) {
		const groups = new Map();

		rwalker.visitSelection(profile, selection, (stack, weight, count, runQueue, task) => {
			const text = groupOf(task);
			let group = groups.get(text);

			if (!group) groups.set(text, (group = new Map()));
			group.set(stack, (group.get(stack) ?? 0) + weight);
		});
		return [...groups].map(([text, stacks]) => ({
			text,
			stacks: [...stacks.keys()],
			weights: [...stacks.values()],
		}));
	}

	/*
	 * Off-wake stacks: the chain of the sleeper from root to leaf, then its waker, then the waker's chain from leaf to
	 * root. So the two places where they met are side by side.
	 */

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

	Object.assign(rwalker, {
		chainsOf, childrenOf, makeNode, downTree, upTree, sandwich, bandTree, groupSelection,
		wakerTree, wakerText,
	});
})((globalThis.rwalker ??= {}));
