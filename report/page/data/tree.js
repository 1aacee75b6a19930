/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The tree of all call chains, merged by function, in preorder: a node's descendants are the numbers from it to `end`
 * (exclusive), so a subtree is skipped in one step. Node 0 is the root and not a function.
 */
(function (rwalker) {
	'use strict';

	const {Refusal} = rwalker;
	const MOST_DEPTH = 65535;

	/* Closes the nodes of the path from `depth` on: their subtrees end before node `next`. */
	function closePath(tree, path, from, depth, next) {
		for (let k = from; k >= depth; k--) tree.end[path[k]] = next;
	}

	function place(tree, up, number, path, depth) {
		const below = depth + 1 - up[number - 1];

		if (below < 1 || below > MOST_DEPTH)
			throw new Refusal("column 'nodeUp' leads out of the tree");
		closePath(tree, path, depth, below, number);
		tree.parent[number] = path[below - 1];
		tree.depth[number] = below;
		path[below] = number;
		return below;
	}

	function readTree(columns, functions) {
		const count = columns.same(['nodeUp', 'nodeFunction']) + 1;
		const up = columns.numbers('nodeUp', MOST_DEPTH),
			named = columns.numbers('nodeFunction', functions);
		const tree = {
			count,
			parent: new Uint32Array(count),
			depth: new Uint16Array(count),
			end: new Uint32Array(count),
			function: new Uint32Array(count),
		};
		const path = [0];
		let depth = 0;

		tree.function.set(named, 1);
		for (let i = 1; i < count; i++) depth = place(tree, up, i, path, depth);
		closePath(tree, path, depth, 0, count);
		return tree;
	}

	/* Functions from the root to the node. */
	function chainOf(tree, node) {
		const chain = [];

		for (; node; node = tree.parent[node]) chain.push(tree.function[node]);
		return chain.reverse();
	}

	/* The ancestor of a node at a depth, or itself. */
	function ancestorAt(tree, node, depth) {
		while (tree.depth[node] > depth) node = tree.parent[node];
		return node;
	}

	/*
	 * Whether a node is the first of its function on the path from the root: a recursive function
	 * counts once in its total.
	 */
	function outermost(tree, functions) {
		const first = new Uint8Array(tree.count),
			open = new Uint32Array(functions),
			path = [];

		for (let i = 1; i < tree.count; i++) {
			while (path.length >= tree.depth[i]) open[tree.function[path.pop()]]--;
			first[i] = open[tree.function[i]]++ ? 0 : 1;
			path.push(i);
		}
		return first;
	}

	/* Adds up `own` (changed in place) over the descendants of each node. */
	function sumUp(tree, own) {
		for (let i = tree.count - 1; i > 0; i--) own[tree.parent[i]] += own[i];
		return own;
	}

	/* The nodes that have one of the functions on their path from the root (`wanted`: by function). */
	function nodesThrough(tree, wanted) {
		const through = new Uint8Array(tree.count);

		for (let i = 1; i < tree.count; i++)
			through[i] = wanted[tree.function[i]] | through[tree.parent[i]];
		return through;
	}

	Object.assign(rwalker, {readTree, chainOf, ancestorAt, outermost, sumUp, nodesThrough});
})((globalThis.rwalker ??= {}));
