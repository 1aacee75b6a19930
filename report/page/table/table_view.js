/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Tables as HTML: sorted by a click on a heading, copied as text. They say what the pictures show. */
(function (rwalker) {
	'use strict';

	const {element} = rwalker;
	const SHOWN = 100;

	function compare(key, down) {
		return (left, right) => {
			const [l, r] = [left[key] ?? -Infinity, right[key] ?? -Infinity];
			const order = typeof l === 'string' ? String(l).localeCompare(String(r)) : l - r;

			return down ? -order : order;
		};
	}

	/* Columns that narrow windows leave out, so names are visible. */
	const MINOR = ['selfWeight', 'totalWeight', 'kind', 'runQueue', 'from', 'state'];

	function classOf(key, figure, more = '') {
		const names = [figure && 'figure', MINOR.includes(key) && 'minor', more];

		return names.filter(Boolean).join(' ') || null;
	}

	class TableView {
		constructor(app) {
			this.app = app;
			this.sorted = {};
			this.shown = SHOWN;
			this.fillTabs();
			rwalker.listen('click', {copy: () => this.copy()});
		}

		names() {
			return Object.keys(rwalker.TABLES).filter(
				name => rwalker.TABLES[name].has?.(this.app) ?? true
			);
		}

		fillTabs() {
			const tabs = document.getElementById('tabs');

			tabs.append(
				...this.names().map(name =>
					element('button', {
						type: 'button',
						role: 'tab',
						id: `tab-${name}`,
						'aria-controls': 'table',
						text: rwalker.TABLES[name].text,
						onclick: () => this.app.change({tab: name}),
					})
				)
			);
			tabs.addEventListener('keydown', event =>
				rwalker.runKey(
					{
						ArrowRight: () => this.turn(1),
						ArrowLeft: () => this.turn(-1),
					},
					event
				)
			);
		}

		turn(step) {
			const names = this.names(),
				at = names.indexOf(this.app.state.tab);
			const next = names[(at + step + names.length) % names.length];

			this.app.change({tab: next});
			document.getElementById(`tab-${next}`).focus();
		}

		/* What a table depends on; pictures change more often than that. */
		key() {
			const {app} = this,
				{tab, search} = app.state;

			return JSON.stringify([
				...app.comparisonKey(),
				tab,
				search,
				this.sorted[tab],
				this.shown,
			]);
		}

		update({tab}) {
			const name = this.names().includes(tab) ? tab : 'functions';

			for (const other of this.names()) {
				const button = document.getElementById(`tab-${other}`);

				button.setAttribute('aria-selected', String(other === name));
				button.tabIndex = other === name ? 0 : -1;
			}
			document.getElementById('table').setAttribute('aria-labelledby', `tab-${name}`);
			this.later(name);
		}

		/* Draws after the pictures: a drag must not wait for rows. */
		later(name) {
			const key = this.key();

			if (key === this.drawn) return;
			clearTimeout(this.timer);
			this.timer = setTimeout(
				() => {
					this.drawn = key;
					this.draw(name);
				},
				this.drawn ? 120 : 0
			);
		}

		draw(name) {
			const {app} = this,
				table = rwalker.TABLES[name];
			const sorting = this.sorted[name] ?? {
				key: app.comparing() && name === 'functions' ? 'change' : table.sort,
				down: true,
			};

			this.name = name;
			this.columns = table.columns(app);
			this.rows = table.rows(app).sort(compare(sorting.key, sorting.down));
			const body = element(
				'tbody',
				{},
				...this.rows.slice(0, this.shown).map(row => this.row(row, table.opens))
			);
			const made = element(
				'table',
				{},
				element('caption', {text: this.caption()}),
				this.head(sorting),
				body
			);

			document.getElementById('table').replaceChildren(made, ...this.more());
		}

		caption() {
			const {app} = this,
				{from, to} = app.state;
			const range = from === null ? '' : `, ${app.rangeText(from, to)}`;

			return (
				`${rwalker.TABLES[this.name].text}: ${rwalker.number(Math.min(this.shown, this.rows.length))} of ` +
				`${rwalker.number(this.rows.length)}${range}`
			);
		}

		more() {
			if (this.rows.length <= this.shown) return [];
			return [
				element('button', {
					type: 'button',
					text: 'Show more',
					onclick: () => {
						this.shown *= 5;
						this.draw(this.name);
					},
				}),
			];
		}

		head(sorting) {
			return element(
				'thead',
				{},
				element(
					'tr',
					{},
					...this.columns.map(({key, text, figure}) => {
						const here = sorting.key === key,
							down = here && sorting.down;
						const order = here
							? down
								? 'descending'
								: 'ascending'
							: 'none';
						const button = element('button', {
							type: 'button',
							text: here ? `${text} ${down ? '▾' : '▴'}` : text,
							onclick: () =>
								this.sort(
									key,
									here ? !down : Boolean(figure)
								),
						});

						return element(
							'th',
							{
								scope: 'col',
								class: classOf(key, figure),
								'aria-sort': order,
							},
							button
						);
					})
				)
			);
		}

		sort(key, down) {
			this.sorted[this.name] = {key, down};
			this.draw(this.name);
		}

		row(row, opens) {
			return element(
				'tr',
				{},
				...this.columns.map(({key, figure}) => {
					const text = row.shown?.[key] ?? String(row[key] ?? '');
					const cell = element('td', {
						class: classOf(key, figure, key === 'change' ? row.mark : ''),
					});

					if (key === opens && row.open)
						cell.append(
							element('button', {
								type: 'button',
								text: text || '(no name)',
								onclick: row.open,
							})
						);
					else cell.textContent = text;
					return cell;
				})
			);
		}

		/* All rows, including those that are not shown, separated by tabs. */
		text() {
			const clean = text => text.replace(/[\t\n\r]/g, ' ');
			const rows = this.rows.map(row =>
				this.columns.map(({key}) => clean(row.shown?.[key] ?? String(row[key] ?? '')))
			);

			return [this.columns.map(column => column.text), ...rows]
				.map(cells => cells.join('\t'))
				.join('\n');
		}

		/* Not every browser lets a local page use the clipboard: then the text is selected instead. */
		async copy() {
			try {
				await navigator.clipboard.writeText(this.text());
				rwalker.say(`copied ${rwalker.plural(this.rows.length, 'row')}`);
			} catch {
				getSelection().selectAllChildren(document.querySelector('#table table'));
				rwalker.say('selected: copy with Ctrl+C');
			}
		}
	}

	Object.assign(rwalker, {TableView});
})((globalThis.rwalker ??= {}));
