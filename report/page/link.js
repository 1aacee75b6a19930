/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state as a link: the fragment contains what differs from the start. A link may be from another trace or made
 * up, so values that do not fit are left out.
 */
(function (rwalker) {
	'use strict';

	const number = {
		write: String,
		read: text => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
	};
	const flag = {write: value => (value ? '1' : '0'), read: text => text === '1'};
	const plain = {write: String, read: text => text};
	const path = {
		write: keys => keys.map(encodeURIComponent).join('/'),
		read: text => (text ? text.split('/').map(decodeURIComponent) : []),
	};

	const FIELDS = {
		source: number, from: number, to: number, otherFrom: number, otherTo: number, base: flag,
		threads: plain, classes: number, shape: plain, function: number, zoom: path, search: plain,
		wait: number, viewFrom: number, viewTo: number, tab: plain, order: plain, fold: flag,
		throughout: flag,
	};
	/* Numbers that must be below a size of the profile. */
	const SIZES = {
		source: profile => profile.sources.length,
		function: profile => profile.functions.length,
		wait: profile => profile.waits.count,
	};
	const PAIRS = [['from', 'to'], ['otherFrom', 'otherTo'], ['viewFrom', 'viewTo']];

	function writeLink(state, start) {
		const parts = Object.entries(FIELDS)
			.filter(([name]) => JSON.stringify(state[name]) !== JSON.stringify(start[name]))
			.filter(([name]) => state[name] !== null)
			.map(([name, field]) => `${name}=${encodeURIComponent(field.write(state[name]))}`);

		return parts.join('&');
	}

	function readField(name, text) {
		try {
			return FIELDS[name]?.read(decodeURIComponent(text));
		} catch {
			return undefined; /* not valid encoded text */
		}
	}

	function isSound(name, value, profile) {
		const size = SIZES[name]?.(profile);

		return size === undefined || (Number.isInteger(value) && value >= 0 && value < size);
	}

	/* The state of a link, with the values of `start` where it has none. */
	function readLink(text, start, profile) {
		const state = {...start};

		for (const part of text.replace(/^#/, '').split('&')) {
			const [name, value = ''] = part.split('='),
				read = Object.hasOwn(FIELDS, name) ? readField(name, value) : undefined;

			if (read !== undefined && isSound(name, read, profile)) state[name] = read;
		}
		for (const [from, to] of PAIRS)
			if (!(state[from] !== null && state[to] > state[from]))
				state[from] = state[to] = null;
		return state;
	}

	/* Keeps the address in step with the state, but not too often, because browsers limit that. */
	class LinkView {
		constructor(app) {
			this.app = app;
			this.timer = null;
			addEventListener('hashchange', () =>
				app.change(readLink(location.hash, app.start, app.profile))
			);
		}

		update(state) {
			clearTimeout(this.timer);
			this.timer = setTimeout(() => {
				const link = writeLink(state, this.app.start);

				if (`#${link}` !== (location.hash || '#'))
					history.replaceState(null, '', `#${link}`);
			}, 250);
		}
	}

	Object.assign(rwalker, {writeLink, readLink, LinkView});
})((globalThis.rwalker ??= {}));
