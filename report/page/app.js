/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The state of the page, and what is derived from it. State is plain and small: a link contains all of it. Everything
 * else is derived when a view asks, and kept until what it was derived from changes.
 */
(function (rwalker) {
	'use strict';

	const START = {
		source: 0,
		from: null,
		to: null,
		otherFrom: null,
		otherTo: null,
		base: false,
		threads: '',
		classes: null,
		shape: 'icicle',
		function: null,
		zoom: [],
		search: '',
		wait: null,
		viewFrom: null,
		viewTo: null,
		tab: 'functions',
		order: 'cpu',
		fold: false,
		throughout: false,
	};

	/* The axis that all recordings share. */
	function axisOf(profile) {
		const spans = rwalker.requestedSpans(profile);
		const from = Math.min(...spans.map(span => span.from)),
			to = Math.max(...spans.map(span => span.to));

		return {from, to: to > from ? to : from + 1};
	}

	class App {
		constructor(profile) {
			this.profile = profile;
			this.threads = rwalker.threadsOf(profile);
			this.axis = axisOf(profile);
			this.runOf = rwalker.runFinder(profile.waits);
			this.sources = profile.sources
				.map((source, number) => ({...source, number}))
				.filter(source => Number(source.count));
			this.start = {
				...START,
				source: this.sources[0]?.number ?? 0,
				base: Boolean(profile.base), /* --base asks for the comparison */
			};
			this.state = {...this.start};
			this.views = [];
			this.kept = new Map();
			this.waiting = false;
		}

		/* Changes the state. Draws once for all changes within a frame. */
		change(values) {
			Object.assign(this.state, values);
			if (this.waiting) return;
			this.waiting = true;
			requestAnimationFrame(() => {
				this.waiting = false;
				this.render();
			});
		}

		render() {
			for (const view of this.views) view.update(this.state);
		}

		/* A value that is computed again only if its key changes. */
		derive(name, key, make) {
			const text = JSON.stringify(key),
				old = this.kept.get(name);

			if (old?.key === text) return old.value;
			const value = make();

			this.kept.set(name, {key: text, value});
			return value;
		}

		/* The colours, which change with the window's scheme and for paper. */
		theme() {
			const schemes = ['(prefers-color-scheme: dark)', 'print'].map(
				query => matchMedia(query).matches
			);

			return this.derive('theme', schemes, rwalker.readTheme);
		}

		get source() {
			return this.profile.sources[this.state.source];
		}

		get unit() {
			return this.source?.kind === 'tasks' ? 'tasks' : (this.source?.unit ?? 'samples');
		}

		tasks() {
			return this.derive('tasks', this.state.threads, () =>
				rwalker.tasksMatching(this.profile, this.state.threads)
			);
		}

		selectionKey() {
			const {source, from, to, threads, classes} = this.state;

			return [source, from, to, threads, classes];
		}

		selection() {
			const {source, from, to, classes} = this.state,
				hasWaits = this.hasWaits();

			return {
				source,
				from,
				to,
				tasks: this.tasks(),
				classes: hasWaits ? classes : null,
			};
		}

		/* Whether the source has timed events. */
		isTimed() {
			return (
				this.source !== undefined &&
				this.source.kind !== 'tasks' &&
				(this.source.timed || this.hasWaits())
			);
		}

		hasWaits() {
			return this.source?.kind === 'offcpu';
		}

		sums() {
			return this.derive('sums', this.selectionKey(), () =>
				rwalker.select(this.profile, this.selection())
			);
		}

		/* Whether the selection is made from single events, and the page does not have all of them. */
		isIncomplete() {
			const {from, classes} = this.state;

			return (from !== null || classes !== null) && (this.profile.what ?? []).length > 0;
		}

		comparing() {
			return (
				(this.state.base && this.profile.base !== null) ||
				this.state.otherFrom !== null
			);
		}

		comparisonKey() {
			const {base, otherFrom, otherTo} = this.state;

			return [...this.selectionKey(), base, otherFrom, otherTo];
		}

		/* The seconds of the selection, and of what it is compared with. */
		seconds() {
			const {from, to, source, otherFrom, otherTo, base} = this.state,
				{profile} = this;
			const ticks = this.axis.to - this.axis.from;
			const here = from === null ? ticks * profile.unit : (to - from) * profile.unit;

			if (!base)
				return {
					here: here / 1e9,
					there: ((otherTo - otherFrom) * profile.unit) / 1e9,
				};
			return {
				here: (from === null ? Number(profile.sources[source].duration) : here) / 1e9,
				there: Number(profile.base.seconds[source]),
			};
		}

		/* What the selection is compared with, scaled to its time; null if nothing. */
		otherSums() {
			return this.derive('other', this.comparisonKey(), () =>
				this.comparing() ? this.makeOther() : null
			);
		}

		makeOther() {
			const {base, otherFrom, otherTo, source} = this.state,
				{here, there} = this.seconds();
			const sums = base
				? rwalker.selectBase(this.profile, source)
				: rwalker.select(this.profile, {
						...this.selection(),
						from: otherFrom,
						to: otherTo,
					});
			const scale = there > 0 ? here / there : 0;

			return {
				...sums,
				total: sums.total * scale,
				weight: sums.weight.map(weight => weight * scale),
			};
		}

		chains() {
			return this.derive('chains', this.comparisonKey(), () =>
				rwalker.chainsOf(
					this.profile,
					this.sums().weight,
					this.otherSums()?.weight ?? null
				)
			);
		}

		outermost() {
			return this.derive('outermost', 0, () =>
				rwalker.outermost(this.profile.tree, this.profile.functions.length)
			);
		}

		functionSums() {
			return this.derive('functions', this.selectionKey(), () =>
				rwalker.sumFunctions(this.profile, this.sums(), this.outermost())
			);
		}

		otherFunctionSums() {
			return this.derive('otherFunctions', this.comparisonKey(), () =>
				this.otherSums()
					? rwalker.sumFunctions(
							this.profile,
							this.otherSums(),
							this.outermost()
						)
					: null
			);
		}

		/* By function: 1 if it matches the search. null if there is no search. */
		matches() {
			return this.derive('matches', this.state.search, () => {
				const {search} = this.state,
					matches = search ? rwalker.matcher(search) : null;

				return (
					matches &&
					Uint8Array.from(this.profile.functions, called =>
						matches(called.name) ? 1 : 0
					)
				);
			});
		}

		chainsIndex() {
			return this.derive(
				'index',
				0,
				() => new rwalker.ChainsIndex(this.profile, this.threads.of)
			);
		}

		/* The chain of the clicked wait, and the threads that it goes through. */
		chain() {
			const {wait} = this.state;

			return this.derive('chain', wait, () => {
				const seen = [];

				return wait === null
					? null
					: {
							wait,
							seen,
							tree: rwalker.followWaits(
								this.profile,
								this.chainsIndex(),
								[wait],
								seen
							),
						};
			});
		}

		/* ns from the start of the axis. */
		momentOf(tick) {
			return (tick - this.axis.from) * this.profile.unit;
		}

		weight(value) {
			return rwalker.weight(value, this.unit);
		}

		rangeText(from, to) {
			const {unit} = this.profile;

			return (
				`${rwalker.moment(this.momentOf(from))} to ${rwalker.moment(this.momentOf(to))} ` +
				`(${rwalker.time((to - from) * unit)})`
			);
		}
	}

	Object.assign(rwalker, {App});
})((globalThis.rwalker ??= {}));
