// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// accessible.mjs PAGE: axe-core has no finding, light and dark, wide and narrow; and every part is reached and used by keyboard.
import {readFileSync} from 'node:fs';
import {openBrowser, openPage, packagePath, settle} from './browser.mjs';

const axe = readFileSync(packagePath('axe-core'), 'utf8');
const [, , file] = process.argv;

async function audit(browser, name, options) {
	const {page, reports} = await openPage(browser, file, options);

	await page.evaluate(axe);
	const {violations} = await page.evaluate(() =>
		globalThis.axe.run(document, {resultTypes: ['violations']})
	);
	const why = violations.map(
		({id, nodes}) => `${id}: ${nodes.length} × ${nodes[0].html.slice(0, 120)}`
	);

	console.log(
		why.length || reports.length
			? `not ok ${name} - ${[...why, ...reports].join('; ')}`
			: `ok ${name}`
	);
	await page.close();
}

/* What a key changed: the state of the page before and after. */
async function press(page, id, ...keys) {
	const before = await page.evaluate(() => JSON.stringify(rwalker.app.state));

	await page.focus(`#${id}`);
	for (const key of keys) {
		const [modifier, name] = key.includes('+') && key.length > 1 ? key.split('+') : [null, key];

		if (modifier) await page.keyboard.down(modifier);
		await page.keyboard.press(name);
		if (modifier) await page.keyboard.up(modifier);
		await settle(page);
	}
	return before !== (await page.evaluate(() => JSON.stringify(rwalker.app.state)));
}

async function keyboard(browser) {
	const {page} = await openPage(browser, file, {});
	const uses = [
		['heat', 'ArrowRight', 'Shift+ArrowRight'],
		['heat', 'Escape'],
		['flame', 'ArrowDown', 'ArrowDown', 'Enter'],
		['flame', 's'],
		['flame', 'Escape'],
		['timeline', 'ArrowDown', '+'],
		['timeline', '0'],
		['timeline', 'Shift+ArrowRight'],
		['tab-functions', 'ArrowRight'],
	];

	for (const [id, ...keys] of uses) {
		const name = `page_keys_${id}_${keys.join('_')}`;

		console.log(
			(await press(page, id, ...keys)) ? `ok ${name}` : `not ok ${name} - nothing changed`
		);
	}
	await page.keyboard.press('?');
	const open = await page.evaluate(() => document.getElementById('help').open);

	console.log(open ? 'ok page_keys_help' : 'not ok page_keys_help - it is not open');
	await page.close();
}

const browser = await openBrowser();

try {
	for (const scheme of ['light', 'dark'])
		for (const width of [360, 1400])
			await audit(browser, `page_axe_${scheme}_${width}`, {scheme, width});
	await audit(browser, 'page_axe_wait', {hash: 'wait=0&tab=waits&search=a'});
	await keyboard(browser);
} finally {
	await browser.close();
}
