/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What the panel shows about one thing: a wait with its stack, its waker and its chain; a stack. */
(function (rwalker) {
	'use strict';

	const {element} = rwalker;
	const MOST_STEPS = 300;
	const LEAST_SHARE = 0.0025; /* of a step, as in reports */

	function facts(rows) {
		return element(
			'dl',
			{},
			...rows
				.filter(([, text]) => text !== '' && text !== null)
				.flatMap(([name, text]) => [
					element('dt', {text: name}),
					element('dd', {text}),
				])
		);
	}

	function frameItem(app, number) {
		const {name, module, kind} = app.profile.functions[number];
		const mark = element('span', {
			class: `mark ${rwalker.KINDS[kind]}`,
			text: rwalker.LETTERS[kind],
			title: rwalker.KIND_WORDS[kind],
		});
		const button = element(
			'button',
			{
				type: 'button',
				class: 'frame',
				onclick: () => app.change({function: number, zoom: []}),
			},
			mark,
			element('span', {text: name || '(no name)'}),
			element('span', {class: 'module', text: module})
		);

		return element('li', {}, button);
	}

	/* Leaf first, as in reports. */
	function stackList(app, stack) {
		const chain = rwalker.chainOf(app.profile.tree, app.profile.stackNode[stack]).reverse();

		if (!chain.length) return element('p', {class: 'hint', text: 'no stack was recorded'});
		return element('ol', {}, ...chain.map(number => frameItem(app, number)));
	}

	function stackDetail(app, title, stack) {
		return {title, parts: [stackList(app, stack)]};
	}

	/* A step, with its causes below it. Small ones are only counted. */
	function stepItem(app, tree, number, total, room) {
		const node = tree.nodes[number],
			{unit} = app.profile,
			shown = [],
			leastWait = leastWaitOf(app.profile);
		let hidden = 0;

		for (const child of node.children) {
			if (tree.nodes[child].weight < total * LEAST_SHARE || room.left-- <= 0) hidden++;
			else shown.push(stepItem(app, tree, child, total, room));
		}
		if (hidden)
			shown.push(
				element('li', {
					class: 'hint',
					text: `${rwalker.plural(hidden, 'smaller cause')} not shown`,
				})
			);
		const text = `${rwalker.stepText(node, leastWait)}  (${rwalker.time(node.weight * unit)})`;
		const item = element(
			'li',
			{},
			element('span', {
				class: 'part',
				text: `${rwalker.percent(node.weight, total)} `,
			}),
			text
		);

		if (shown.length) item.append(element('ol', {}, ...shown));
		return item;
	}

	function leastWaitOf({recordings}) {
		return Math.max(0, ...recordings.map(recording => recording.leastWait ?? 0));
	}

	function chainList(app, {tree}) {
		const root = tree.nodes[0],
			room = {left: MOST_STEPS};

		return element(
			'ol',
			{},
			...root.children.map(child => stepItem(app, tree, child, root.weight, room))
		);
	}

	function wakerParts(app, number) {
		const {waits} = app.profile,
			waker = waits.waker[number] - 1;

		if (waker < 0) return [];
		return [
			element('h3', {
				text: `${capital(rwalker.wakerText(app.profile, waker))}, there`,
			}),
			stackList(app, waits.wakers.stack[waker]),
		];
	}

	function capital(text) {
		return text.slice(0, 1).toUpperCase() + text.slice(1);
	}

	function waitFacts(app, number) {
		const {profile} = app,
			{waits, unit} = profile,
			kind = waits.kinds[waits.kind[number]],
			run = app.runOf(number);
		const cpu = waits.cpu[number],
			end = waits.out[number] + waits.length[number],
			task = profile.tasks[run.task];

		return facts([
			[
				'thread',
				rwalker.threadName(app.threads.list[app.threads.of[run.task]], profile.hosts),
			],
			['container', task.container],
			['cgroup', task.cgroup],
			['length', rwalker.boundOf(kind) + rwalker.time(waits.length[number] * unit)],
			[
				'of it on the run queue',
				rwalker.time(rwalker.queuedOf(waits, number, waits.length[number]) * unit),
			],
			['from', rwalker.moment(app.momentOf(waits.out[number]))],
			[
				'until',
				kind.flags & rwalker.WAIT.NOT_ENDED
					? 'not ended'
					: rwalker.moment(app.momentOf(end)),
			],
			['what for', rwalker.purposeText(waits, number)],
			[
				'class',
				[rwalker.CLASS_NAMES[kind.waitClass], kind.state, opennessOf(kind)]
					.filter(Boolean)
					.join(', '),
			],
			['CPU afterwards', cpu ? String(cpu - 1) : ''],
			['recording', profile.recordings.length > 1 ? String(run.recording + 1) : ''],
		]);
	}

	function opennessOf({flags}) {
		if (flags & rwalker.WAIT.NOT_ENDED) return 'not ended';
		return flags & rwalker.WAIT.BEGAN_BEFORE ? 'began before the recording' : '';
	}

	function waitDetail(app, number) {
		const {waits} = app.profile,
			kind = waits.kinds[waits.kind[number]];
		const name = app.profile.tasks[app.runOf(number).task].comm;
		const range = element('button', {
			type: 'button',
			text: 'Select its time',
			onclick: () =>
				app.change({
					from: waits.out[number],
					to: waits.out[number] + waits.length[number],
				}),
		});

		return {
			title:
				`${name} ${rwalker.CLASS_NAMES[kind.waitClass]} for ` +
				rwalker.boundOf(kind) +
				rwalker.time(waits.length[number] * app.profile.unit),
			parts: [
				waitFacts(app, number),
				range,
				element('h3', {text: 'What held it'}),
				chainList(app, app.chain()),
				element('h3', {text: 'Where it waited'}),
				stackList(app, waits.stack[number]),
				...wakerParts(app, number),
			],
		};
	}

	class DetailView {
		constructor(app) {
			this.app = app;
			this.section = document.getElementById('detail');
			this.wait = null;
			app.show = detail => this.show(detail);
			rwalker.listen('click', {'detail-close': () => this.close()});
			this.section.addEventListener('keydown', event =>
				rwalker.runKey({Escape: () => this.close()}, event)
			);
		}

		show({title, parts}) {
			this.section.hidden = false;
			document.getElementById('detail-title').textContent = title;
			document.getElementById('detail-body').replaceChildren(...parts);
			this.section.scrollTop = 0;
			/* On narrow windows the panel is below the pictures. */
			if (matchMedia('(max-width: 1000px)').matches)
				this.section.scrollIntoView({block: 'nearest'});
		}

		close() {
			this.section.hidden = true;
			this.app.change({wait: null});
		}

		update({wait}) {
			if (wait === this.wait) return;
			this.wait = wait;
			if (wait === null) {
				this.section.hidden = true;
				return;
			}
			this.show(waitDetail(this.app, wait));
			rwalker.say(document.getElementById('detail-title').textContent);
		}
	}

	Object.assign(rwalker, {DetailView, stackDetail, leastWaitOf});
})((globalThis.rwalker ??= {}));
