// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// selftest_lines.mjs PAGE: the page's own figures (selftest.js), a line of JSON each, without a browser. '-': stdin.
import {readFileSync} from 'node:fs';
import {rwalker} from './load.mjs';

const [, payload] = /<script type="text\/plain" id="payload">([^<]*)</.exec(
	readFileSync(process.argv[2] === '-' ? 0 : process.argv[2], 'utf8')
);

for (const line of rwalker.selftestLines(await rwalker.load(payload.trim())))
	console.log(JSON.stringify(line));
