/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Numbers as reports print them (figures.h): rounded half up. */
(function (rwalker) {
	'use strict';

	const UNITS = [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']];

	function rounded(value, digits) {
		const scale = 10 ** digits;

		return (Math.floor(value * scale + 0.5) / scale).toFixed(digits);
	}

	function percent(part, whole) {
		return whole ? `${rounded((part * 100) / whole, 2)}%` : '0.00%';
	}

	/* "1.234 ms" */
	function time(ns) {
		const size = Math.abs(ns);

		for (const [unit, name] of UNITS) if (size >= unit) return `${rounded(ns / unit, 3)} ${name}`;
		return `${Math.round(ns)} ns`;
	}

	/* "+1.234567 s": from the start of the recording. */
	function moment(ns) {
		const us = Math.abs(ns) < 1 ? 0 : Math.ceil(ns / 1000);

		return `${us < 0 ? '-' : '+'}${(Math.abs(us) / 1e6).toFixed(6)} s`;
	}

	/* A time on an axis, no more exact than the step between marks. */
	function axisTime(ns, step) {
		const [unit, name] = UNITS.find(([size]) => step >= size) ?? [1, 'ns'];
		const shown = unit === 1e9 || Math.abs(ns) < 1e9 ? unit : 1e9;
		const digits = Math.max(
			0,
			Math.round(Math.log10(shown / 10 ** Math.floor(Math.log10(step))))
		);

		return `${(ns / shown).toFixed(digits)} ${shown === unit ? name : 's'}`;
	}

	/* Puts narrow spaces between groups of three digits; toLocaleString() takes 50 times as long. */
	function number(value) {
		const text = String(Math.round(value));

		return text.length > 3 ? text.replace(/\B(?=(?:\d{3})+$)/g, '\u202f') : text;
	}

	function plural(count, one, many = `${one}s`) {
		return `${number(count)} ${count === 1 ? one : many}`;
	}

	/* A weight, in the unit of its source. */
	function weight(value, unit) {
		return unit === 'ns'
			? time(value)
			: `${number(value)} ${value === 1 ? unit.replace(/s$/, '') : unit}`;
	}

	/* A step of 1, 2 or 5 that is at least `least`. */
	function niceStep(least) {
		const power = 10 ** Math.floor(Math.log10(least));

		return power * ([1, 2, 5].find(factor => factor * power >= least) ?? 10);
	}

	/* A function that says whether a text matches. An invalid pattern is searched for literally. */
	function matcher(pattern) {
		try {
			const expression = new RegExp(pattern, /[A-Z]/.test(pattern) ? 'u' : 'iu');

			return text => expression.test(text);
		} catch {
			const plain = pattern.toLowerCase();

			return text => text.toLowerCase().includes(plain);
		}
	}

	Object.assign(rwalker, {
		percent, time, moment, axisTime, number, plural, weight, niceStep, matcher, rounded,
	});
})((globalThis.rwalker ??= {}));
