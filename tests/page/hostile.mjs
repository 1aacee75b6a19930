// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// hostile.mjs FOLDER BROWSERS FILE...: pages and pictures that the reporter made of traces with names that try to become markup
// or script. Nothing may run, no request may leave, nothing may break: console, network and reports of the content security
// policy stay empty. FOLDER: for damaged pages. BROWSERS: chromium or chromium,firefox.
// Browsers are driven by puppeteer-core, which is not part of the project: NODE_PACKAGES is a folder with node_modules.
import {basename} from 'node:path';
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';
import {readFileSync, writeFileSync} from 'node:fs';

const FLAGS = [
	'--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync',
];

const PAGE_READY = 'globalThis.rwalker?.ready || !document.getElementById("trouble").hidden';

function packagePath(name) {
	return createRequire(`${process.env.NODE_PACKAGES}/package.json`).resolve(name);
}

async function openBrowser(more = []) {
	const {default: puppeteer} = await import(pathToFileURL(packagePath('puppeteer-core')).href);

	return puppeteer.launch({
		executablePath: '/usr/bin/chromium',
		headless: true,
		args: [...FLAGS, ...more],
		protocolTimeout: 300000,
	});
}

async function openFirefox() {
	const {default: puppeteer} = await import(pathToFileURL(packagePath('puppeteer-core')).href);

	return puppeteer.launch({
		browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true,
		protocolTimeout: 300000,
	});
}

/* Opens the page and waits until it shows its pictures or says why not. `reports`: what should stay empty. */
async function openPage(
	browser,
	file,
	{hash = '', width = 1400, height = 1000, scheme = 'light', prepare = null, ready = PAGE_READY} = {}
) {
	const page = await browser.newPage(),
		reports = [];

	if (prepare) await page.evaluateOnNewDocument(prepare);
	await page.setViewport({width, height});
	page.on('console', message => reports.push(`console: ${message.text()}`));
	page.on('pageerror', error => reports.push(`error: ${error.message}`));
	page.on('request', request => {
		const [url] = request.url().split('#');

		/* The font of Firefox for marks of lists and <details>, on any page; it leaves nothing. */
		if (url !== pathToFileURL(file).href && !url.startsWith('data:font'))
			reports.push(`request: ${url.slice(0, 200)}`);
	});
	await page
		.emulateMediaFeatures([{name: 'prefers-color-scheme', value: scheme}])
		.catch(() => undefined);
	await page.goto(`${pathToFileURL(file).href}${hash && `#${hash}`}`);
	await page.waitForFunction(ready, {timeout: 120000});
	await settle(page);
	return {page, reports};
}

/* Until nothing is drawn any more: tables wait a moment. */
async function settle(page) {
	await page.evaluate(
		() => new Promise(resolve => setTimeout(() => requestAnimationFrame(resolve), 400))
	);
}

/* Looks at everything that shows names. */
async function lookAround({page}) {
	for (const change of [
		"{tab: 'threads'}",
		"{tab: 'waits', source: 1}",
		'{wait: Math.min(5, rwalker.app.profile.waits.count - 1)}',
		"{shape: 'threads'}",
		"{shape: 'wakers'}",
		"{shape: 'leaf', fold: true}",
		'{function: Math.min(3, rwalker.app.profile.functions.length - 1)}',
		"{search: '<', threads: '<'}",
		"{search: '(', threads: '['}",
	]) {
		await page.evaluate(`rwalker.app.change(${change})`);
		await settle(page);
	}
	for (const id of ['flame', 'timeline', 'heat']) {
		await page.hover(`#${id}`);
		await page.focus(`#${id}`);
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('ArrowRight');
	}
}

async function check(name, open, file) {
	const browser = await open();

	try {
		const opened = await openPage(browser, file, {
			hash: 'zoom=%3Cb%3E/__proto__&search=%3Cscript%3E&order=%3Cb%3E&shape=constructor&tab=__proto__',
		});

		await lookAround(opened);
		const state = await opened.page.evaluate(() => ({
			ran: globalThis.ran ?? 0,
			trouble: document.getElementById('trouble').textContent,
			scripts: document.querySelectorAll('script').length,
			images: document.querySelectorAll('img, svg, b').length,
		}));

		if (
			state.ran ||
			state.trouble ||
			state.scripts !== 1 ||
			state.images ||
			opened.reports.length
		)
			console.log(
				`not ok ${name} - ${JSON.stringify(state)} ${opened.reports.slice(0, 3).join('; ')}`
			);
		else console.log(`ok ${name}`);
	} finally {
		await browser.close();
	}
}

/* What cannot be shown is one sentence. `damage` changes the payload of a sound page, `prepare` runs before the page. */
async function refuses(name, sound, damage, prepare) {
	const browser = await openBrowser(),
		damaged = `${folder}/damaged.html`,
		[before, payload, after] = readFileSync(sound, 'utf8').split(/(?<=id="payload">)([^<]*)/);

	writeFileSync(damaged, before + damage(payload) + after);
	try {
		const {page} = await openPage(browser, damaged, {prepare});
		const [sentence, hidden] = await page.evaluate(() => [
			document.getElementById('trouble').textContent,
			document.getElementById('page').hidden,
		]);

		console.log(
			hidden && /^The pictures cannot be shown: .*\.$/.test(sentence)
				? `ok ${name}`
				: `not ok ${name} - ${sentence}`
		);
	} finally {
		await browser.close();
	}
}

/* A picture has no script; it is shown as it is, or the browser says that it is not sound. */
async function checkPicture(browser, file) {
	const {page, reports} = await openPage(browser, file, {
		ready: 'document.readyState === "complete"',
	});
	const state = await page.evaluate(() => ({
		ran: globalThis.ran ?? 0,
		root: document.documentElement.nodeName,
		others: document.querySelectorAll('script, parsererror, image, foreignObject, a').length,
	}));

	await page.close();
	return state.ran || state.root !== 'svg' || state.others || reports.length
		? `${basename(file)}: ${JSON.stringify(state)} ${reports.slice(0, 3).join('; ')}`
		: '';
}

async function checkPictures(name, open, files) {
	const browser = await open(),
		wrong = [];

	try {
		for (const picture of files) wrong.push(await checkPicture(browser, picture));
	} finally {
		await browser.close();
	}
	const why = wrong.filter(Boolean).join('; ');

	console.log(why || !files.length ? `not ok ${name} - ${why}` : `ok ${name}`);
}

const [, , folder, browsers, ...files] = process.argv,
	pages = files.filter(name => name.endsWith('.html'));

for (const browser of browsers.split(',')) {
	const open = browser === 'firefox' ? openFirefox : openBrowser;

	for (const made of pages) await check(`page_of_hostile_${basename(made, '.html')}_${browser}`, open, made);
	await checkPictures(
		`pictures_of_hostile_names_${browser}`,
		open,
		files.filter(name => name.endsWith('.svg'))
	);
}

await refuses('page_refuses_cut', pages[0], text => text.slice(0, text.length / 2));
await refuses('page_refuses_changed', pages[0], text => `${text.slice(0, text.length / 2)}AAAA${text.slice(text.length / 2 + 4)}`);
await refuses('page_refuses_empty', pages[0], () => '');
await refuses('page_refuses_old_browser', pages[0], text => text, 'delete globalThis.DecompressionStream');
