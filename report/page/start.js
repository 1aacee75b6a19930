/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The start: payload, views, first picture. A page that cannot be shown is one sentence, never half a picture. */
(function (rwalker) {
	'use strict';

	/* Views that change the width of pictures come before the pictures. */
	const VIEWS = [
		'BarView', 'DetailView', 'HeatView', 'TimelineView', 'FlameView', 'TableView', 'LinkView',
	];

	function complain(error) {
		const trouble = document.getElementById('trouble'),
			known = error instanceof rwalker.Refusal;

		document.getElementById('page').hidden = true;
		trouble.textContent = `The pictures cannot be shown: ${known ? error.message : String(error)}.`;
		trouble.hidden = false;
	}

	function hasNothing(app) {
		return !app.sources.length && !app.profile.waits.count && !app.profile.walked.walk.length;
	}

	/* Makes long lines of the reporter's text scrollable by keyboard too. */
	function reachTexts() {
		for (const text of document.querySelectorAll('main pre')) text.tabIndex = 0;
	}

	function makeViews(app) {
		document.getElementById('page').hidden = false;
		document.getElementById('heat-section').hidden = !app.sources.length;
		app.views = VIEWS.filter(name => rwalker[name]).map(name => new rwalker[name](app));
		new rwalker.Help();
		app.state = rwalker.readLink(location.hash, app.start, app.profile);
		app.render();
	}

	function listen(app) {
		const again = () => app.change({});

		addEventListener('resize', again);
		new ResizeObserver(again).observe(document.getElementById('pictures'));
		for (const query of ['(prefers-color-scheme: dark)', 'print'])
			matchMedia(query).addEventListener('change', again);
	}

	async function start() {
		const payload = document.getElementById('payload');

		try {
			const profile = await rwalker.load(payload.textContent.trim());

			payload.remove();
			const app = new rwalker.App(profile);

			rwalker.app = app;
			if (hasNothing(app))
				throw new rwalker.Refusal(
					'the trace has no call chains, or the filters left none'
				);
			reachTexts();
			makeViews(app);
			listen(app);
			rwalker.ready = true; /* for tests */
		} catch (error) {
			complain(error);
		}
	}

	if (typeof document !== 'undefined') document.addEventListener('DOMContentLoaded', start);
})((globalThis.rwalker ??= {}));
