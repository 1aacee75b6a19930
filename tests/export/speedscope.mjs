// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// speedscope.mjs TOOLS CHROMIUM SCRATCH FILE: prints, as JSON, what speedscope of the folder TOOLS shows of the file in Chromium: the
// text of its sandwich view, and its complaints. No name is looked up.
import { createRequire } from 'node:module';
import { readFileSync, writeFileSync } from 'node:fs';

const [tools, chromium, scratch, file] = process.argv.slice(2);
const puppeteer = createRequire(`${tools}/package.json`)('puppeteer-core');
const page = `${tools}/node_modules/speedscope/dist/release/index.html`;
const script = `${scratch}/file.js`;
writeFileSync(script, `speedscope.loadFileFromBase64("trace.json", "${readFileSync(file).toString('base64')}")`);

const browser = await puppeteer.launch({
	executablePath: chromium,
	headless: true,
	protocolTimeout: 240000,
	args: ['--no-sandbox', '--host-resolver-rules=MAP * ~NOTFOUND', '--allow-file-access-from-files',
	       '--enable-unsafe-swiftshader', '--use-gl=angle', '--use-angle=swiftshader'],
});
const complaints = [];
try {
	const tab = await browser.newPage();
	await tab.setViewport({ width: 1400, height: 2000 });
	tab.on('pageerror', (error) => complaints.push(String(error.message)));
	tab.on('dialog', (dialog) => { complaints.push(dialog.message()); dialog.dismiss(); });
	await tab.goto(`file://${page}#localProfilePath=${script}`);
	await tab.waitForFunction('/Sandwich/.test(document.body.innerText)', { timeout: 120000 });
	await tab.keyboard.press('3');
	await tab.waitForFunction('/[0-9]%/.test(document.body.innerText)', { timeout: 60000 });
	console.log(JSON.stringify({ text: await tab.evaluate(() => document.body.innerText), complaints }));
} finally {
	await browser.close();
}
