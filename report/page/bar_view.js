/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The bar at the top: what is selected, searched and compared. */
(function (rwalker) {
	'use strict';

	const KIND_NAMES = {
		cpu: 'On CPU', offcpu: 'Waits', wakers: 'Wakeups', tracepoint: 'Tracepoint', kfunc: 'Function',
		tasks: 'Walks',
	};

	const byId = id => document.getElementById(id);

	class BarView {
		constructor(app) {
			this.app = app;
			this.fillSources();
			this.fillClasses();
			this.listen();
		}

		fillSources() {
			byId('source').append(
				...this.app.sources.map(source =>
					rwalker.element('option', {
						value: String(source.number),
						text: `${KIND_NAMES[source.kind] ?? source.kind}: ${source.name} (${rwalker.number(source.count)})`,
					})
				)
			);
		}

		fillClasses() {
			byId('classes').append(
				...rwalker.CLASS_NAMES.map((name, number) => {
					const box = rwalker.element('input', {
						type: 'checkbox',
						value: String(number),
						onchange: () => this.chooseClasses(),
					});

					return rwalker.element('label', {}, box, ` ${name}`);
				})
			);
		}

		boxes() {
			return [...byId('classes').querySelectorAll('input')];
		}

		chooseClasses() {
			const all = 2 ** rwalker.CLASS_NAMES.length - 1;
			const bits = this.boxes().reduce(
				(sum, box) => sum | (box.checked ? 1 << Number(box.value) : 0),
				0
			);

			this.app.change({classes: bits === all ? null : bits});
		}

		listen() {
			const {app} = this;

			byId('source').addEventListener('change', event =>
				app.change({source: Number(event.target.value), zoom: [], function: null})
			);
			rwalker.listen('input', {
				threads: event => app.change({threads: event.target.value}),
				search: event => app.change({search: event.target.value}),
			});
			rwalker.listen('click', {
				'range-clear': () => app.change({from: null, to: null}),
				compare: () => this.keepRange(),
				'comparison-clear': () => app.change({otherFrom: null, otherTo: null, base: false}),
				base: () => app.change({base: !app.state.base, otherFrom: null, otherTo: null}),
			});
		}

		/* Keeps the current selection, to compare the next range with it. */
		keepRange() {
			const {from, to} = this.app.state;

			this.app.change({otherFrom: from, otherTo: to, from: null, to: null, base: false});
			rwalker.say('now select the other range');
		}

		update(state) {
			byId('source').value = String(state.source);
			for (const id of ['threads', 'search'])
				if (byId(id).value !== state[id]) byId(id).value = state[id];
			byId('classes').hidden = !this.app.hasWaits();
			for (const box of this.boxes())
				box.checked =
					state.classes === null ||
					Boolean(state.classes & (1 << Number(box.value)));
			this.updateRange(state);
			this.updateShare();
		}

		updateRange({from, to, otherFrom, otherTo, base}) {
			const {app} = this,
				{axis} = app,
				whole = from === null;

			byId('range-text').textContent = whole
				? `Whole recording, ${rwalker.time((axis.to - axis.from) * app.profile.unit)}`
				: app.rangeText(from, to);
			byId('range-note').hidden = !app.isIncomplete();
			byId('range-clear').hidden = whole;
			byId('compare').hidden = whole || otherFrom !== null;
			byId('comparison').hidden = !app.comparing();
			byId('comparison-text').textContent =
				otherFrom !== null
					? `compared with ${app.rangeText(otherFrom, otherTo)}`
					: 'compared with the base, per second';
			byId('base').hidden = base || app.profile.base === null || app.profile.base === undefined;
			byId('base').setAttribute('aria-pressed', String(base));
		}

		/* The share of the selection that matches the search. */
		updateShare() {
			const {app} = this,
				matches = app.matches();

			if (!matches) {
				byId('share').textContent = '';
				return;
			}
			const found = app.derive('share', [...app.selectionKey(), app.state.search], () =>
				rwalker.weightThrough(app.profile, app.sums(), matches)
			);
			byId('share').textContent =
				`${rwalker.percent(found, app.sums().total)} in chains that match`;
		}
	}

	Object.assign(rwalker, {BarView});
})((globalThis.rwalker ??= {}));
