// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the HTML file that rwalker-report --html makes, for work on the page: assemble.mjs < PAYLOAD > FILE
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {pagePart, pageScript} from './load.mjs';

function hash(text) {
	return createHash('sha256').update(text).digest('base64');
}

const DIGEST = `<details id="digest" open><summary>Digest</summary><pre># made up by tests/page, of no machine
story 1    a trace that nobody recorded</pre></details>
<details id="account"><summary>Account of losses: nothing was lost</summary><pre>recorded 100%</pre></details>
<details id="notes"><summary>Notes on quality: 1</summary><ul><li>synthetic</ul></details>
<p id="contents">This file holds call chains, times and names. It holds no stack memory and no command lines.</p>`;

export function assemble(payload, title = 'synthetic, 2026-11-25: rwalker') {
	const style = pagePart('page.css'),
		script = pageScript();

	return (
		`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash(style)}'; ` +
		`script-src 'sha256-${hash(script)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${style}</style></head><body>
<main><h1>${title}</h1>${DIGEST}</main>
<noscript><p>The pictures need JavaScript; the text above does not.</p></noscript>
${pagePart('page.html')}
<script type="text/plain" id="payload">${payload}</script>
<script>${script}</script>
</body></html>
`
	);
}

if (process.argv[1] === new URL(import.meta.url).pathname)
	process.stdout.write(assemble(readFileSync(0, 'latin1').trim()));
