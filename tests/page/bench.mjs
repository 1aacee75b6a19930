// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench.mjs PAGE...: how fast pages are in headless Chromium, by their own clock, as JSON: ms until pictures are ready (from the
// start of the navigation, and of that from the start of the script), frames of a zoom, memory. With speedscope: FILE after
// --speedscope is what it makes of the same trace, until its sandwich view can be asked for.
import {readFileSync, statSync, writeFileSync} from 'node:fs';
import {dirname} from 'node:path';
import {pathToFileURL} from 'node:url';
import {openBrowser, openPage, packagePath} from './browser.mjs';

const RUNS = Number(process.env.RUNS ?? 5),
	FRAMES = 120,
	DEEPEST = 13000;

function quantile(values, share) {
	const sorted = [...values].sort((left, right) => left - right);

	return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] * 10) / 10;
}

/* Zooms in and out again around a place, a step each frame; ms that the timeline took to draw each. */
function zoomFrames(frames, deepest) {
	const {app} = rwalker,
		{axis} = app,
		whole = axis.to - axis.from,
		at = axis.from + whole * 0.37,
		drawn = [];

	return new Promise(resolve => {
		const step = i => {
			const part = deepest ** -(1 - Math.abs((2 * i) / frames - 1)),
				length = whole * part;

			app.change({
				viewFrom: at - (at - axis.from) * part,
				viewTo: at - (at - axis.from) * part + length,
			});
			requestAnimationFrame(() => {
				drawn.push(rwalker.frame);
				if (i < frames) step(i + 1);
				else resolve(drawn);
			});
		};

		step(0);
	});
}

async function measure(file) {
	const browser = await openBrowser();

	try {
		const {page} = await openPage(browser, file),
			times = await page.evaluate(() => rwalker.times);
		const {TaskDuration, ScriptDuration} = await page.metrics();
		const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
		const frames = await page.evaluate(zoomFrames, FRAMES, DEEPEST);

		return {
			ready: times.ready,
			script: times.ready - times.start,
			heap,
			task: TaskDuration * 1000,
			scriptCpu: ScriptDuration * 1000,
			frame50: quantile(frames, 0.5),
			frame95: quantile(frames, 0.95),
		};
	} finally {
		await browser.close();
	}
}

/* speedscope's own page with the file, until it can show a view. */
async function measureSpeedscope(file) {
	const release = dirname(packagePath('speedscope/package.json')) + '/dist/release',
		loader = `${process.env.NODE_PACKAGES}/load.js`;
	/* It draws with WebGL, and loads the file as a script. */
	const browser = await openBrowser([
			'--allow-file-access-from-files',
			'--enable-unsafe-swiftshader',
			'--use-gl=angle',
			'--use-angle=swiftshader',
		]),
		name = file.split('/').pop();

	writeFileSync(
		loader,
		`speedscope.loadFileFromBase64(${JSON.stringify(name)}, "${readFileSync(file).toString('base64')}")`
	);
	try {
		const page = await browser.newPage();

		await page.goto(
			`${pathToFileURL(`${release}/index.html`).href}#localProfilePath=${loader.slice(1)}`
		);
		await page.waitForFunction('/Sandwich/.test(document.body.innerText)', {
			timeout: 60000,
		});
		return await page.evaluate(() => performance.now());
	} catch (error) {
		return String(error.message).slice(0, 60);
	} finally {
		await browser.close();
	}
}

const [, , ...names] = process.argv,
	cut = names.indexOf('--speedscope');
const pages = cut < 0 ? names : names.slice(0, cut),
	others = cut < 0 ? [] : names.slice(cut + 1);

for (const file of pages) {
	const runs = [];

	for (let i = 0; i < RUNS; i++) runs.push(await measure(file));
	const median = key =>
		quantile(
			runs.map(run => run[key]),
			0.5
		);

	console.log(
		JSON.stringify({
			page: file.split('/').pop(),
			bytes: statSync(file).size,
			readyMs: median('ready'),
			scriptMs: median('script'),
			taskMs: median('task'),
			heapMB: Math.round(median('heap') / 1e5) / 10,
			frameMs: median('frame50'),
			frame95Ms: median('frame95'),
			allReadyMs: runs.map(run => Math.round(run.ready)),
		})
	);
}
for (const file of others) {
	const runs = [];

	for (let i = 0; i < RUNS; i++) runs.push(await measureSpeedscope(file));
	console.log(JSON.stringify({speedscope: file.split('/').pop(), readyMs: runs}));
}
