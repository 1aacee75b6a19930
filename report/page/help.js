/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The list of keys, and the keys that work everywhere. */
(function (rwalker) {
	'use strict';

	const KEYS = [
		['Tab', 'to the next part of the page'],
		['?', 'this list'],
		['/', 'search functions'],
		['t', 'filter threads'],
		['Esc', 'closes the details, shows all of a flame graph, or ends a selection'],
		['When: arrows', 'move by cell or column; with Shift they select'],
		['When: Enter', 'selects the column; Esc selects everything'],
		['Threads: ← →', 'move by time; with Shift they select a range'],
		['Threads: ↑ ↓', 'another row'],
		['Threads: + −', 'zoom in, zoom out; 0 shows everything, r the selected range'],
		[
			'Threads: n p',
			'the next or previous wait of the row; Enter opens the longest one at the cursor',
		],
		['Call chains: arrows', 'callers, callees, and what stands beside'],
		['Call chains: Enter', 'zooms into it; Backspace zooms out'],
		['Call chains: s', 'the function alone: all its callers and callees'],
		[
			'Pointer',
			'drag to select a range; Ctrl and wheel zoom, Shift and wheel move; right-click a function to see it alone',
		],
	];

	class Help {
		constructor() {
			const dialog = document.getElementById('help'),
				{element} = rwalker;

			document.getElementById('help-keys').append(
				...KEYS.flatMap(([key, text]) => [
					element('dt', {}, element('kbd', {text: key})),
					element('dd', {text}),
				])
			);
			document.getElementById('help-open').addEventListener('click', () =>
				dialog.showModal()
			);
			document.getElementById('help-close').addEventListener('click', () => dialog.close());
			document.addEventListener('keydown', event => this.key(event, dialog));
		}

		key(event, dialog) {
			if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
			rwalker.runKey(
				{
					'?': () => dialog.showModal(),
					'/': () => document.getElementById('search').focus(),
					t: () => document.getElementById('threads').focus(),
				},
				event
			);
		}
	}

	Object.assign(rwalker, {Help});
})((globalThis.rwalker ??= {}));
