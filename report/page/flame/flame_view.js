/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The flame graph of the selection: its tree, its shape, and what pointer and keys do in it. */
(function (rwalker) {
	'use strict';

	/* [name in links, text, for which sources] */
	const SHAPES = [
		['icicle', 'Icicle'], ['flame', 'Flame'], ['leaf', 'By leaf'], ['threads', 'By thread'],
		['comms', 'By comm'], ['wakers', 'Off-wake'],
	];

	class FlameView {
		constructor(app) {
			this.app = app;
			this.canvas = document.getElementById('flame');
			this.texts = new rwalker.Texts();
			this.boxes = [];
			this.at = null; /* the box under the pointer or the keys */
			rwalker.choices('shapes', 'shape', SHAPES, shape =>
				app.change({shape, zoom: [], function: null})
			);
			rwalker.listen('click', {'focus-clear': () => this.showAll()});
			this.listen();
		}

		listen() {
			const {canvas} = this;

			canvas.addEventListener('click', event => this.zoomTo(this.boxAt(event)));
			canvas.addEventListener('pointermove', event => this.point(this.boxAt(event), event));
			canvas.addEventListener('pointerleave', () => this.point(null, null));
			canvas.addEventListener('contextmenu', event => this.menu(event));
			canvas.addEventListener('dblclick', event =>
				this.sandwichOf(this.boxAt(event)?.node)
			);
			canvas.addEventListener('keydown', event => rwalker.runKey(this.keys(), event));
		}

		/* ---- Trees ---- */

		treeKey() {
			const {shape, function: called} = this.app.state;

			return [...this.app.comparisonKey(), shape, called];
		}

		makeTree() {
			const {app} = this,
				{profile} = app,
				{shape, function: called} = app.state;

			if (called !== null)
				return rwalker.sandwich(profile, app.chains(), app.outermost(), called);
			if (shape === 'leaf') return rwalker.upTree(profile, app.chains(), {});
			if (shape === 'wakers' && app.hasWaits())
				return rwalker.wakerTree(profile, app.selection());
			if (shape === 'threads' || shape === 'comms')
				return rwalker.bandTree(
					profile,
					rwalker.groupSelection(profile, app.selection(), this.groupOf(shape))
				);
			return rwalker.downTree(profile, app.chains(), {});
		}

		groupOf(shape) {
			const {profile, threads} = this.app;

			if (shape === 'comms') return task => profile.tasks[task].comm;
			return task => rwalker.threadName(threads.list[threads.of[task]], profile.hosts);
		}

		tree() {
			return this.app.derive('flame', this.treeKey(), () => this.makeTree());
		}

		layOut(width) {
			const tree = this.tree(),
				{shape, zoom} = this.app.state;

			if (tree.callers) {
				this.focused = tree.callees;
				return rwalker.layOutSandwich(tree, width);
			}
			this.focused = rwalker.follow(tree, zoom);
			return rwalker.layOutTree(this.focused, width, shape === 'flame');
		}

		/* ---- Drawing ---- */

		/* Does not include the view of the timeline: moving there changes nothing here. */
		drawnKey() {
			const {zoom, search} = this.app.state;

			return JSON.stringify([
				...this.treeKey(),
				zoom,
				search,
				this.canvas.clientWidth,
				devicePixelRatio,
				this.app.theme().paper,
			]);
		}

		update() {
			const key = this.drawnKey();

			if (key === this.drawn) return;
			this.drawn = key;
			const {boxes, rows} = this.layOut(this.canvas.clientWidth),
				{app} = this;

			this.boxes = boxes;
			this.rows = rows;
			this.at = (this.at && boxes.find(box => box.node === this.at.node)) || null;
			this.draw();
			this.describe();
			rwalker.markChoice('shapes', app.state.function === null ? app.state.shape : '');
			rwalker.choiceHidden('shapes', 'wakers', !app.hasWaits() || app.comparing());
		}

		draw() {
			const {app} = this,
				theme = this.app.theme();
			const {context} = rwalker.fit(
				this.canvas,
				Math.max(this.rows, 1) * rwalker.FLAME_ROW
			);
			const painter = new rwalker.FlamePainter(app.profile, theme, context, this.texts);
			const options = {matches: app.matches(), comparing: app.comparing()};

			for (const box of this.boxes) painter.paintBox(box, options);
			if (this.at) painter.paintFocus(this.at);
			this.legend(theme, options.comparing);
		}

		legend(theme, comparing) {
			this.app.derive('flameLegend', [theme.kernel, comparing], () =>
				rwalker.fillLegend(
					document.getElementById('flame-legend'),
					rwalker.flameLegend(theme, comparing)
				)
			);
		}

		describe() {
			const {app} = this,
				total = app.sums().total,
				{zoom, function: called} = app.state;
			const focus = document.getElementById('focus-text'),
				zoomed = zoom.length > 0 || called !== null;

			document.getElementById('flame-empty').hidden = total > 0 || app.comparing();
			document.getElementById('focus-clear').hidden = !zoomed;
			focus.textContent = zoomed ? this.textOf(this.focused) : `all ${app.weight(total)}`;
			this.canvas.setAttribute(
				'aria-label',
				`Flame graph of ${app.weight(total)}, as the table of functions ` +
					'has it; arrow keys move, Enter zooms'
			);
		}

		textOf(node) {
			const {app} = this,
				total = app.sums().total,
				part = rwalker.percent(node.weight, total);
			const text = `${rwalker.nameOf(app.profile, node)}: ${part}, ${app.weight(node.weight)}`;

			if (!app.comparing()) return text;
			return `${text}; compared with ${app.weight(node.base)}`;
		}

		/* ---- Pointer and keys ---- */

		boxAt(event) {
			const x = event.offsetX,
				row = Math.floor(event.offsetY / rwalker.FLAME_ROW);

			return (
				this.boxes.find(
					box => box.row === row && x >= box.x && x < box.x + box.width
				) ?? null
			);
		}

		point(box, event) {
			if (box !== this.at) {
				this.at = box;
				this.draw();
			}
			rwalker.showTip(box && event ? this.tipOf(box.node) : '', event);
		}

		tipOf(node) {
			const {app} = this,
				called = app.profile.functions[node.function],
				total = app.sums().total;
			const lines = [this.textOf(node)];

			if (node.parent?.weight)
				lines.push(
					`${rwalker.percent(node.weight, node.parent.weight)} of ${rwalker.nameOf(app.profile, node.parent)}`
				);
			if (called) {
				lines.push(
					`${rwalker.KIND_WORDS[called.kind]}${called.module ? `, ${called.module}` : ''}`
				);
				lines.push(
					`self ${rwalker.percent(app.functionSums().self[node.function], total)}, total ` +
						rwalker.percent(
							app.functionSums().total[node.function],
							total
						)
				);
			}
			return lines.join('\n');
		}

		zoomTo(box) {
			if (!box) return;
			if (this.app.state.function !== null) this.sandwichOf(box.node);
			else this.app.change({zoom: rwalker.pathTo(box.node)});
		}

		sandwichOf(node) {
			if (node && node.function >= 0) this.app.change({function: node.function, zoom: []});
		}

		menu(event) {
			event.preventDefault();
			this.sandwichOf(this.boxAt(event)?.node);
		}

		showAll() {
			this.app.change({zoom: [], function: null});
		}

		keys() {
			return {
				ArrowUp: () => this.move(0, -1),
				ArrowDown: () => this.move(0, 1),
				ArrowLeft: () => this.move(-1, 0),
				ArrowRight: () => this.move(1, 0),
				Enter: () => this.zoomTo(this.at),
				Escape: () => this.showAll(),
				s: () => this.sandwichOf(this.at?.node),
				Backspace: () => this.zoomOut(),
			};
		}

		zoomOut() {
			this.app.change({function: null, zoom: this.app.state.zoom.slice(0, -1)});
		}

		/* Moves to the next box of a row, or to the box above or below the middle of this one. */
		move(sideways, down) {
			const {at} = this,
				first = this.boxes[0];

			if (!at && !first) return;
			const next = at ? this.neighbour(at, sideways, down) : first;

			if (!next) return;
			this.at = next;
			this.draw();
			rwalker.say(this.tipOf(next.node));
		}

		neighbour(at, sideways, down) {
			const row = this.boxes
				.filter(box => box.row === at.row + down)
				.sort((left, right) => left.x - right.x);

			if (sideways) return row[row.findIndex(box => box === at) + sideways];
			return row.find(
				box => box.x + box.width > at.x + 0.01 && box.x < at.x + at.width - 0.01
			);
		}
	}

	Object.assign(rwalker, {FlameView});
})((globalThis.rwalker ??= {}));
