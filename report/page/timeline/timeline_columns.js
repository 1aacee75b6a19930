/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A row of the timeline as pixels: each column is a stack of what the thread did in that time. This runs for each
 * pixel of each frame, so it allocates nothing.
 */
(function (rwalker) {
	'use strict';

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

	Object.assign(rwalker, {paintColumns});
})((globalThis.rwalker ??= {}));
