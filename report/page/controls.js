/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Small parts of the page that several views use: choice buttons, tips, keys, announcements. */
(function (rwalker) {
	'use strict';

	function element(name, values = {}, ...children) {
		const made = document.createElement(name);

		for (const [key, value] of Object.entries(values)) {
			if (key === 'text') made.textContent = value;
			else if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
			else if (value !== null && value !== false)
				made.setAttribute(key, value === true ? '' : value);
		}
		made.append(...children);
		return made;
	}

	/* Handlers of an event, by the id of the element. */
	function listen(name, handlers) {
		for (const [id, handler] of Object.entries(handlers))
			document.getElementById(id).addEventListener(name, handler);
	}

	function clamp(value, least, most) {
		return Math.min(Math.max(value, least), most);
	}

	/* A row of buttons; one of them is pressed. */
	function choices(id, name, rows, choose) {
		document.getElementById(id).append(
			...rows.map(([value, text]) =>
				element('button', {
					type: 'button',
					text,
					'data-value': value,
					'aria-pressed': 'false',
					onclick: () => choose(value),
				})
			)
		);
	}

	function choiceButtons(id) {
		return [...document.getElementById(id).querySelectorAll('button')];
	}

	function markChoice(id, value) {
		for (const button of choiceButtons(id))
			button.setAttribute('aria-pressed', String(button.dataset.value === value));
	}

	function choiceHidden(id, value, hidden) {
		for (const button of choiceButtons(id))
			if (button.dataset.value === value) button.hidden = hidden;
	}

	/* Shows a tip beside the pointer, within the window. */
	function showTip(text, event) {
		const tip = document.getElementById('tip');

		tip.hidden = !text;
		if (!text) return;
		tip.textContent = text.length > 1500 ? `${text.slice(0, 1500)}…` : text;
		const {offsetWidth: width, offsetHeight: height} = tip;

		tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - width - 8))}px`;
		tip.style.top = `${event.clientY + height + 24 > innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
	}

	/* For screen readers, and for users who watch the status line. */
	function say(text) {
		document.getElementById('status').textContent = text.replaceAll('\n', '; ');
	}

	/* Runs the action that a table of keys has for the event. */
	function runKey(keys, event) {
		const action =
			event.ctrlKey || event.metaKey || event.altKey
				? null
				: (event.shiftKey && keys[`Shift+${event.key}`]) || keys[event.key];

		if (!action) return;
		event.preventDefault();
		event.stopPropagation();
		action();
	}

	/* The list of keys, and the keys that work everywhere. */

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
			listen('click', {'help-open': () => dialog.showModal(), 'help-close': () => dialog.close()});
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

	Object.assign(rwalker, {element, listen, clamp, choices, markChoice, choiceHidden, showTip, say, runKey, Help});
})((globalThis.rwalker ??= {}));
