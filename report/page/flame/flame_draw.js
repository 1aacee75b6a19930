/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Paints the boxes of a flame graph. */
(function (rwalker) {
	'use strict';

	const ROW = 18;
	const TEXT_WIDTH = 26; /* of a box with room for letters */
	const TEXTURE_WIDTH = 6;

	function nameOf(profile, node) {
		if (node.text !== null) return node.text;
		return node.function < 0 ? 'all' : profile.functions[node.function].name;
	}

	/* From -1 (gone) to 1 (new). */
	function changeOf(node) {
		const both = node.weight + node.base;

		return both ? (node.weight - node.base) / both : 0;
	}

	class FlamePainter {
		constructor(profile, theme, context, texts) {
			Object.assign(this, {profile, theme, context, texts});
			this.textures = rwalker.makeTextures(context, theme);
			this.colors = rwalker.KINDS.map(kind => theme[kind]);
		}

		kindOf(node) {
			return node.function < 0 ? -1 : this.profile.functions[node.function].kind;
		}

		colorOf(node, {matches, comparing}) {
			if (matches && node.function >= 0 && matches[node.function]) return this.theme.match;
			if (comparing) {
				const change = changeOf(node);

				return rwalker.mixed(
					this.theme.same,
					change > 0 ? this.theme.grew : this.theme.shrank,
					Math.abs(change)
				);
			}
			return this.colors[this.kindOf(node)] ?? this.theme.root;
		}

		paintBox(box, options) {
			const {context} = this,
				y = box.row * ROW,
				width = Math.max(box.width - 1, 0.5);

			context.fillStyle = this.colorOf(box.node, options);
			context.fillRect(box.x, y, width, ROW - 1);
			if (box.width < TEXTURE_WIDTH) return;
			const texture = this.textures[this.kindOf(box.node)];

			if (texture) {
				context.fillStyle = texture;
				context.fillRect(box.x, y, width, ROW - 1);
			}
			if (box.width >= TEXT_WIDTH) this.paintText(box, y, options);
		}

		paintText(box, y, {matches}) {
			const {context} = this,
				matched = matches && box.node.function >= 0 && matches[box.node.function];

			context.fillStyle = matched ? this.theme['match-ink'] : this.theme['box-ink'];
			context.fillText(
				this.texts.fitted(context, nameOf(this.profile, box.node), box.width - 8),
				box.x + 4,
				y + ROW / 2
			);
		}

		paintFocus(box) {
			const {context} = this;

			context.strokeStyle = this.theme.focus;
			context.lineWidth = 2.5;
			context.strokeRect(box.x + 1, box.row * ROW + 1, Math.max(box.width - 3, 1), ROW - 3);
		}
	}

	function flameLegend(theme, comparing) {
		if (comparing)
			return [
				['grew', 'grew'], ['same', 'same'], ['shrank', 'shrank'],
			].map(([name, text]) => [
				(context, width, height) =>
					fillSwatch(context, theme[name], null, width, height),
				text,
			]);
		return rwalker.KINDS.map((kind, number) => [
			(context, width, height) => {
				const texture = rwalker.makeTextures(context, theme)[number];

				fillSwatch(context, theme[kind], texture, width, height);
			},
			rwalker.KIND_WORDS[number],
		]);
	}

	function fillSwatch(context, color, texture, width, height) {
		for (const style of [color, texture]) {
			if (!style) continue;
			context.fillStyle = style;
			context.fillRect(0, 0, width, height);
		}
	}

	/*
	 * Boxes of a flame graph: {node, x, width, row}, in pixels and rows. A box that is narrower than half a pixel is left
	 * out, with everything below it. Rows count from the root (icicle) or from the bottom (flame).
	 */

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

	Object.assign(rwalker, {
		FlamePainter, nameOf, changeOf, flameLegend, fillSwatch, FLAME_ROW: ROW, layOutTree,
		layOutSandwich, pathTo, follow, sizeOf, ancestorsOf,
	});
})((globalThis.rwalker ??= {}));
