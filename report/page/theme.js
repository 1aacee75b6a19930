/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Colours and canvases. The colours are those of page.css, which has sets for light, dark and paper. Kinds of
 * functions also differ in their texture and their letters, for people who do not see the colour.
 */
(function (rwalker) {
	'use strict';

	const NAMES = [
		'ground', 'paper', 'ink', 'faint', 'line', 'accent', 'kernel', 'user', 'inlined', 'jit', 'note',
		'box-ink', 'root', 'match', 'match-ink', 'focus', 'ran', 'brief', 'unknown', 'queued',
		'blocked', 'blocked-deep', 'summed', 'sample', 'unsure', 'walk', 'link', 'grid', 'grew',
		'shrank', 'same', 'brush', 'heat-low', 'heat-middle', 'heat-high',
	];
	/* By kind of function, with the numbers of the payload. */
	const KINDS = ['user', 'kernel', 'inlined', 'jit', 'note'];
	const LETTERS = ['u', 'k', 'i', 'j', '·'];
	const KIND_WORDS = ['user', 'kernel', 'inlined', 'JIT', 'a note, not code'];
	const FONT = '12px system-ui, sans-serif';

	function readTheme() {
		const style = getComputedStyle(document.documentElement),
			theme = {};

		for (const name of NAMES) theme[name] = style.getPropertyValue(`--${name}`).trim();
		return theme;
	}

	/* "#rrggbb" -> [r, g, b]; "#rgb" likewise. */
	function channels(color) {
		const digits =
			color.length === 4
				? [...color.slice(1)].map(digit => digit + digit).join('')
				: color.slice(1);

		return [0, 2, 4].map(at => parseInt(digits.slice(at, at + 2), 16));
	}

	/* For ImageData on little-endian machines, the only ones that browsers run on. */
	function pixelOf(color) {
		const [red, green, blue] = channels(color);

		return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
	}

	function mixed(from, to, part) {
		const left = channels(from),
			right = channels(to);

		return `rgb(${left.map((value, i) => Math.round(value + (right[i] - value) * part)).join(' ')})`;
	}

	/* Makes the canvas as sharp as the screen; returns its context, scaled to CSS pixels, and its size. */
	function fit(canvas, height) {
		const ratio = globalThis.devicePixelRatio || 1,
			width = Math.max(1, Math.round(canvas.clientWidth));
		const context = canvas.getContext('2d');

		canvas.style.height = `${height}px`;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		context.scale(ratio, ratio);
		context.font = FONT;
		context.textBaseline = 'middle';
		return {context, width, height, ratio};
	}

	/* Diagonal strokes: kernel; dots: inlined; upright strokes: JIT. */
	const TEXTURES = {
		kernel: context =>
			[[0, 6, 6, 0], [-1, 1, 1, -1], [5, 7, 7, 5]].forEach(line => stroke(context, line)),
		inlined: context => [[1, 1, 2, 2], [4, 4, 5, 5]].forEach(line => stroke(context, line)),
		jit: context => stroke(context, [3, 0, 3, 6]),
	};

	function stroke(context, [fromX, fromY, toX, toY]) {
		context.beginPath();
		context.moveTo(fromX, fromY);
		context.lineTo(toX, toY);
		context.stroke();
	}

	function makeTexture(context, kind, ink) {
		const tile = document.createElement('canvas');

		tile.width = tile.height = 6;
		const inside = tile.getContext('2d');

		inside.strokeStyle = ink;
		inside.globalAlpha = 0.16;
		TEXTURES[kind]?.(inside);
		return context.createPattern(tile, 'repeat');
	}

	/* By kind of function. */
	function makeTextures(context, theme) {
		return KINDS.map(kind =>
			TEXTURES[kind] ? makeTexture(context, kind, theme['box-ink']) : null
		);
	}

	/* Shortens texts to a width; caches the widths of whole texts. */
	class Texts {
		constructor() {
			this.widths = new Map();
		}

		width(context, text) {
			let width = this.widths.get(text);

			if (width === undefined) {
				width = context.measureText(
					text.length > 300 ? text.slice(0, 300) : text
				).width;
				this.widths.set(text, width);
			}
			return width;
		}

		fitted(context, text, room) {
			const width = this.width(context, text);

			if (width <= room) return text;
			const kept = Math.floor((Math.min(text.length, 300) * (room - 8)) / width);

			return kept > 0 ? `${text.slice(0, kept)}…` : '';
		}
	}

	/* A list of swatches and words: [[paint(context, width, height), text]]. */
	function fillLegend(list, rows) {
		list.replaceChildren(
			...rows.map(([paint, text]) => {
				const item = document.createElement('li'),
					swatch = document.createElement('canvas');

				swatch.width = 44;
				swatch.height = 26;
				swatch.setAttribute('aria-hidden', 'true');
				paint(swatch.getContext('2d'), 44, 26);
				item.append(swatch, text);
				return item;
			})
		);
	}

	Object.assign(rwalker, {
		readTheme, pixelOf, mixed, fit, makeTextures, Texts, fillLegend, KINDS, LETTERS, KIND_WORDS,
	});
})((globalThis.rwalker ??= {}));
