/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * A row of the timeline as pixels: each column is a stack of what the thread did in that time. This runs for each
 * pixel of each frame, so it allocates nothing.
 */
(function (rwalker) {
	'use strict';

	const PARTS = 6; /* ran, ran or waited briefly, queued, known as a sum, blocked deeply, blocked */

	/* What a thread did in column `x`. Returns whether anything is known. */
	function fillParts(parts, {sums, alive}, x, brief) {
		const blocked = sums[0][x],
			deep = sums[1][x],
			queued = sums[2][x],
			summed = sums[3][x],
			rest = alive[x] - blocked - deep - queued - summed;

		parts[0] = rest > 0 ? rest * (1 - brief) : 0;
		parts[1] = rest > 0 ? rest * brief : 0;
		parts[2] = queued;
		parts[3] = summed;
		parts[4] = deep;
		parts[5] = blocked;
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
	 * `box`: the rows of pixels; `whole`: ticks of a full column; `brief`: the part of the rest
	 * that may be brief waits.
	 */
	function paintColumns(columns, pixels, box, {whole, brief, colors}) {
		const parts = new Float64Array(PARTS),
			scale = (box.to - box.from) / whole;

		for (let x = 0; x < columns.count; x++)
			if (fillParts(parts, columns, x, brief))
				paintParts(pixels, x, columns.count, box, parts, scale, colors);
	}

	Object.assign(rwalker, {paintColumns});
})((globalThis.rwalker ??= {}));
