// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Chromium for tests, driven by puppeteer-core, which is not part of the project: NODE_PACKAGES is a folder with node_modules.
import {createRequire} from 'node:module';
import {pathToFileURL} from 'node:url';

const FLAGS = [
	'--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
	'--disable-component-update', '--disable-sync',
];

const PAGE_READY = 'globalThis.rwalker?.ready || !document.getElementById("trouble").hidden';

export function packagePath(name) {
	return createRequire(`${process.env.NODE_PACKAGES}/package.json`).resolve(name);
}

export async function openBrowser(more = []) {
	const {default: puppeteer} = await import(pathToFileURL(packagePath('puppeteer-core')).href);

	return puppeteer.launch({
		executablePath: '/usr/bin/chromium',
		headless: true,
		args: [...FLAGS, ...more],
		protocolTimeout: 300000,
	});
}

export async function openFirefox() {
	const {default: puppeteer} = await import(pathToFileURL(packagePath('puppeteer-core')).href);

	return puppeteer.launch({
		browser: 'firefox', executablePath: '/usr/bin/firefox-esr', headless: true,
		protocolTimeout: 300000,
	});
}

/* Opens the page and waits until it shows its pictures or says why not. `reports`: what should stay empty. */
export async function openPage(
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
export async function settle(page) {
	await page.evaluate(
		() => new Promise(resolve => setTimeout(() => requestAnimationFrame(resolve), 400))
	);
}
