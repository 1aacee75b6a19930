/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Boxes of a flame graph: {node, x, width, row}, in pixels and rows. A box that is narrower than half a pixel is left
 * out, with everything below it. Rows count from the root (icicle) or from the bottom (flame).
 */
(function (rwalker) {
	'use strict';

	const LEAST_WIDTH = 0.5;
	const MOST_ROWS = 600;

	/* In a comparison, boxes are as wide as both weights together, so what is only in one is visible too. */
	function sizeOf(node) {
		return node.weight + node.base;
	}

	function placeBelow(boxes, node, left, scale, row) {
		let x = left;

		if (row > MOST_ROWS) return;
		for (const child of rwalker.childrenOf(node)) {
			const width = sizeOf(child) * scale;

			if (width >= LEAST_WIDTH) {
				boxes.push({node: child, x, width, row});
				placeBelow(boxes, child, x, scale, row + 1);
			}
			x += width;
		}
	}

	function ancestorsOf(node) {
		const ancestors = [];

		for (; node; node = node.parent) ancestors.push(node);
		return ancestors.reverse();
	}

	/* `focus` and its ancestors are as wide as the picture. */
	function layOut(focus, width) {
		const boxes = ancestorsOf(focus).map((node, row) => ({node, x: 0, width, row}));

		if (sizeOf(focus)) placeBelow(boxes, focus, 0, width / sizeOf(focus), boxes.length);
		return boxes;
	}

	function lastRow(boxes) {
		return boxes.reduce((last, box) => Math.max(last, box.row), 0);
	}

	/* Flips the rows: the root is at the bottom. */
	function turned(boxes, rows) {
		return boxes.map(box => ({...box, row: rows - 1 - box.row}));
	}

	function layOutTree(focus, width, upward) {
		const boxes = layOut(focus, width),
			rows = lastRow(boxes) + 1;

		return {boxes: upward ? turned(boxes, rows) : boxes, rows};
	}

	/* Callers above, callees below. Both start with the function itself, which is kept once. */
	function layOutSandwich({callers, callees}, width) {
		const above = layOut(callers, width),
			below = layOut(callees, width),
			rows = lastRow(above) + 1;
		const moved = below.map(box => ({...box, row: box.row + rows - 1}));

		return {
			boxes: [...turned(above, rows).filter(box => box.node !== callers), ...moved],
			rows: rows + lastRow(below),
		};
	}

	/* Nodes are found again by a path of keys, as far as it exists. */
	function keyOf(node) {
		return node.text === null ? String(node.function) : `-${node.text}`;
	}

	function pathTo(node) {
		return ancestorsOf(node).slice(1).map(keyOf);
	}

	function follow(root, path) {
		let node = root;

		for (const key of path) {
			const next = rwalker.childrenOf(node).find(child => keyOf(child) === key);

			if (!next) break;
			node = next;
		}
		return node;
	}

	Object.assign(rwalker, {layOutTree, layOutSandwich, pathTo, follow, sizeOf, ancestorsOf});
})((globalThis.rwalker ??= {}));
