// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// hostile.mjs FOLDER BROWSERS [FILE]...: names that try to become markup or script, in every field of a payload, and the pages
// and pictures that the reporter made of traces with such names. Nothing may run, no request may leave, nothing may break:
// console, network and reports of the content security policy stay empty. BROWSERS: chromium or chromium,firefox.
import {writeFileSync} from 'node:fs';
import {basename} from 'node:path';
import {assemble} from './assemble.mjs';
import {openBrowser, openFirefox, openPage, settle} from './browser.mjs';
import {makePayload} from './make_payload.mjs';

export const NAMES = [
	'</script><script>globalThis.ran = 1</script>',
	'"><img src=x onerror=globalThis.ran=1>',
	'--><!--<script>',
	'<svg onload=globalThis.ran=1>',
	'javascript:globalThis.ran=1',
	"'); globalThis.ran = 1; ('",
	'__proto__',
	'constructor',
	'',
	' ',
	'a\tb\nc\u0000\u001b[31m',
	'\u202eevil\u2066',
	'\ud83d\ude00 \u0301\u0301\u0301',
	'x'.repeat(60000),
	'${globalThis.ran=1}',
	'&lt;b&gt;',
];

/* The small profile, with such names in place of its own. */
function hostilePayload() {
	const writer = makePayload('small'),
		name = i => NAMES[i % NAMES.length];
	const replace = (column, value) => {
		const bytes = Buffer.from(JSON.stringify(value).replaceAll('<', '\\u003c'));

		writer.header.columns[column] = [writer.offset, bytes.length, 0];
		writer.offset += bytes.length;
		writer.parts.push(bytes);
	};

	replace(
		'functions',
		Array.from({length: 120}, (_, i) => name(i))
	);
	replace('modules', [0, 3, 1, 13].map(name));
	replace('comms', [0, 1, 2, 8, 10, 13, 6, 7].map(name));
	replace(
		'kinds',
		[0, 1, 2, 3, 4].map(i => [i === 1 ? 0 : i, i ? 0 : 1, 0, name(i), 1])
	);
	replace(
		'purposes',
		[0, 1, 2].map(i => [name(i), name(i + 4)])
	);
	Object.assign(writer.header, {
		hosts: [name(0)],
		filters: name(1),
		what: [name(2)],
		notes: [{text: name(3), details: [name(4)]}],
	});
	writer.header.sources.forEach((source, i) => Object.assign(source, {name: name(i)}));
	return writer.text();
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

/* What cannot be shown is one sentence. `prepare` runs before the page. */
async function refuses(name, payload, prepare) {
	const browser = await openBrowser(),
		damaged = `${process.argv[2]}/damaged.html`;

	writeFileSync(damaged, assemble(payload));
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
	file = `${folder}/hostile.html`;

writeFileSync(file, assemble(hostilePayload()));
for (const browser of browsers.split(',')) {
	const open = browser === 'firefox' ? openFirefox : openBrowser;

	await check(`page_hostile_names_${browser}`, open, file);
	for (const made of files.filter(name => name.endsWith('.html')))
		await check(`page_of_hostile_${basename(made, '.html')}_${browser}`, open, made);
	await checkPictures(
		`pictures_of_hostile_names_${browser}`,
		open,
		files.filter(name => name.endsWith('.svg'))
	);
}

const sound = makePayload('small').text();

await refuses('page_refuses_cut', sound.slice(0, 20000));
await refuses('page_refuses_changed', `${sound.slice(0, 30000)}AAAA${sound.slice(30004)}`);
await refuses('page_refuses_empty', '');
await refuses('page_refuses_old_browser', sound, 'delete globalThis.DecompressionStream');
