/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The columns and rows of the tables. A column is {key, text, figure}; a row has a value for each key, to sort by,
 * and `shown` where the printed text differs. `open` is called by a click on the row's name.
 */
(function (rwalker) {
	'use strict';

	const MOST_ROWS = 500;
	const CONTAINER = {key: 'container', text: 'Container'};

	/* Only if there are containers. */
	function withContainers(app, columns) {
		return rwalker.hasContainers(app.profile) ? [...columns, CONTAINER] : columns;
	}

	function functionColumns(app) {
		const columns = [
			['self', 'Self %'],
			['selfWeight', 'Self'],
			['total', 'Total %'],
			['totalWeight', 'Total'],
			['count', app.hasWaits() ? 'Waits' : 'Samples'],
		];

		if (app.comparing()) columns.push(['other', 'Compared'], ['change', 'Change']);
		return [
			...columns.map(([key, text]) => ({key, text, figure: true})),
			{key: 'name', text: 'Function'},
			{key: 'module', text: 'Module'},
			{key: 'kind', text: 'Kind'},
		];
	}

	function functionRow(app, number, here, other) {
		const {name, module, kind} = app.profile.functions[number],
			total = app.sums().total;
		const weight = here.total[number],
			row = {
				name,
				module,
				kind: rwalker.KIND_WORDS[kind],
				self: here.self[number],
				selfWeight: here.self[number],
				total: weight,
				totalWeight: weight,
				count: here.count[number],
			};

		row.shown = {
			self: rwalker.percent(row.self, total),
			selfWeight: app.weight(row.self),
			total: rwalker.percent(weight, total),
			totalWeight: app.weight(weight),
			count: rwalker.number(row.count),
		};
		row.open = () => app.change({function: number, zoom: []});
		if (other) addChange(app, row, weight, other.total[number]);
		return row;
	}

	function addChange(app, row, weight, other) {
		row.other = other;
		row.change = weight - other;
		row.shown.other = app.weight(other);
		row.shown.change = `${row.change < 0 ? '−' : '+'}${app.weight(Math.abs(row.change))}`;
		row.mark = row.change > 0 ? 'grew' : 'shrank';
	}

	function functionRows(app) {
		const here = app.functionSums(),
			other = app.otherFunctionSums(),
			matches = app.matches(),
			rows = [];

		for (let i = 0; i < app.profile.functions.length; i++)
			if ((here.total[i] || other?.total[i]) && (!matches || matches[i]))
				rows.push(functionRow(app, i, here, other));
		return rows;
	}

	/* ---- Waits ---- */

	const WAIT_COLUMNS = [
		{key: 'length', text: 'Length', figure: true},
		{key: 'runQueue', text: 'Run queue', figure: true}, {key: 'from', text: 'From', figure: true},
		{key: 'thread', text: 'Thread'}, {key: 'class', text: 'Class'}, {key: 'state', text: 'State'},
		{key: 'place', text: 'In'}, {key: 'purpose', text: 'What for'},
		{key: 'waker', text: 'Woken by'},
	];

	/* Keeps the longest: cheaper than sorting millions. */
	class Longest {
		constructor(most) {
			this.most = most;
			this.items = [];
			this.least = 0;
		}

		add(number, length) {
			if (length <= this.least) return;
			this.items.push({number, length});
			if (this.items.length > this.most * 4) this.cut();
		}

		cut() {
			this.items.sort(
				(left, right) => right.length - left.length || left.number - right.number
			);
			this.items.length = Math.min(this.items.length, this.most);
			if (this.items.length === this.most) this.least = this.items.at(-1).length;
		}

		list() {
			this.cut();
			return this.items.map(item => item.number);
		}
	}

	function longestWaits(app) {
		const {waits} = app.profile,
			longest = new Longest(MOST_ROWS),
			{from, to, classes} = app.state;
		const selection = {from, to, classes, tasks: app.tasks()};
		const source = app.profile.sources.findIndex(({kind}) => kind === 'offcpu');

		if (source >= 0)
			rwalker.visitEvents(
				app.profile,
				{...selection, source},
				(stack, weight, count, runQueue, task, wait) =>
					longest.add(wait, waits.length[wait])
			);
		return longest.list();
	}

	function waitRow(app, number) {
		const {profile, threads} = app,
			{waits, unit} = profile,
			kind = waits.kinds[waits.kind[number]];
		const thread = threads.list[threads.of[app.runOf(number).task]],
			queued = waits.runQueue[number] * unit;
		const row = {
			length: waits.length[number],
			from: waits.out[number],
			runQueue: queued,
			thread: rwalker.threadName(thread, profile.hosts),
			container: profile.tasks[app.runOf(number).task].container,
			class: rwalker.CLASS_NAMES[kind.waitClass],
			state: kind.state,
			place: rwalker.placeText(profile, waits.stack[number]),
			purpose: rwalker.purposeText(waits, number),
			waker: waits.waker[number] ? rwalker.wakerText(profile, waits.waker[number] - 1) : '',
		};

		row.shown = {
			length: rwalker.boundOf(kind) + rwalker.time(row.length * unit),
			runQueue: rwalker.time(queued),
			from: rwalker.moment(app.momentOf(row.from)),
		};
		row.open = () => app.change({wait: number});
		return row;
	}

	/* ---- Threads ---- */

	const THREAD_COLUMNS = [
		['running', 'Running'], ['queued', 'Run queue'], ['throttled', 'Throttled'],
		['blocked', 'Blocked'], ['waits', 'Waits'],
	]
		.map(([key, text]) => ({key, text, figure: true}))
		.concat({key: 'thread', text: 'Thread'}, {key: 'process', text: 'Process', figure: true});

	function threadRows(app) {
		const {profile, threads} = app,
			tasks = app.tasks();

		return threads.list
			.filter(thread => !tasks || thread.tasks.some(task => tasks[task]))
			.map(thread => {
				const times = rwalker.threadTimes(profile, thread, app.state);
				const row = {
					...times,
					thread: rwalker.threadName(thread, profile.hosts),
					process: thread.tgid,
					container: rwalker.containersText(profile, thread),
				};

				row.shown = {
					running: times.running === null ? '' : rwalker.time(times.running),
					queued: rwalker.time(times.queued),
					throttled: rwalker.time(times.throttled),
					blocked: rwalker.time(times.blocked),
					waits: rwalker.number(times.waits),
				};
				row.open = () => app.change({threads: `^tid ${thread.tid}$`});
				return row;
			});
	}

	/* ---- Walks ---- */

	const WALK_COLUMNS = [
		{key: 'walk', text: 'Walk', figure: true}, {key: 'wait', text: 'Waiting for', figure: true},
		{key: 'thread', text: 'Thread'}, {key: 'state', text: 'State'}, {key: 'purpose', text: 'For'},
		{key: 'place', text: 'In'},
	];

	function walkRows(app) {
		const {profile, threads} = app,
			{walked} = profile,
			tasks = app.tasks(),
			rows = [];

		for (let i = 0; i < walked.walk.length && rows.length < MOST_ROWS * 20; i++) {
			if (tasks && !tasks[walked.task[i]]) continue;
			const row = {
				walk: walked.walk[i] + 1,
				wait: walked.wait[i],
				state: walked.states[walked.state[i]],
				thread: rwalker.threadName(
					threads.list[threads.of[walked.task[i]]],
					profile.hosts
				),
				container: profile.tasks[walked.task[i]].container,
				purpose: walked.purposes[walked.purpose[i] - 1] ?? '',
				place: rwalker.placeText(profile, walked.stack[i]),
			};

			row.shown = {
				wait: row.wait ? rwalker.boundOf({bound: walked.bound[i]}) + rwalker.time(row.wait) : '',
			};
			row.open = () => app.show(rwalker.stackDetail(app, row.thread, walked.stack[i]));
			rows.push(row);
		}
		return rows;
	}

	/* ---- All tables ---- */

	const TABLES = {
		functions: {
			text: 'Functions', columns: functionColumns, rows: functionRows, sort: 'self',
			opens: 'name',
		},
		waits: {
			text: 'Longest waits',
			columns: app => withContainers(app, WAIT_COLUMNS),
			sort: 'length',
			opens: 'length',
			rows: app => longestWaits(app).map(number => waitRow(app, number)),
			has: app => app.profile.waits.count > 0,
		},
		threads: {
			text: 'Threads',
			columns: app => withContainers(app, THREAD_COLUMNS),
			rows: threadRows,
			sort: 'queued',
			opens: 'thread',
		},
		walks: {
			text: 'Walks',
			columns: app => withContainers(app, WALK_COLUMNS),
			rows: walkRows,
			sort: 'wait',
			opens: 'thread',
			has: app => app.profile.walked.walk.length > 0,
		},
	};

	Object.assign(rwalker, {TABLES, longestWaits, MOST_ROWS});
})((globalThis.rwalker ??= {}));
