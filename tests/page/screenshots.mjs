// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// screenshots.mjs PAGE FOLDER: the pictures of docs/, of the page of samples/case_fsync: what held the ledger's longest wait.
import {openBrowser, openPage, settle} from './browser.mjs';

const PICTURES = [
	{name: 'page-light', width: 1360, height: 860, scheme: 'light'},
	{name: 'page-dark', width: 1360, height: 860, scheme: 'dark'},
	{name: 'page-phone', width: 390, height: 800, scheme: 'light'},
];

/* The longest wait of the comm in a program's own call, as a reader of the digest would open it. */
function openLongest(comm) {
	const {app} = rwalker,
		{profile} = app;
	const [wait] = rwalker
		.longestWaits(app)
		.filter(number => profile.tasks[app.runOf(number).task].comm === comm);

	app.change({
		source: app.sources.find(({kind}) => kind === 'offcpu').number,
		threads: '',
		wait,
		tab: 'waits',
	});
}

const [, , file, folder] = process.argv,
	browser = await openBrowser();

try {
	for (const {name, width, height, scheme} of PICTURES) {
		const {page} = await openPage(browser, file, {
			width,
			height,
			scheme,
			hash: 'source=1&threads=ledger',
		});

		await page.evaluate(openLongest, 'ledger');
		await settle(page);
		await page.evaluate(narrow => {
			document.getElementById('digest').open = false;
			scrollTo(
				0,
				document.getElementById(narrow ? 'heat-section' : 'bar').offsetTop -
					(narrow ? 8 : 0)
			);
		}, width < 600);
		await settle(page);
		await page.screenshot({path: `${folder}/${name}.png`});
		await page.close();
	}
} finally {
	await browser.close();
}
