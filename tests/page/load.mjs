// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The page's script as the page has it: all files of report/page, sorted by path, in one namespace.
import {readFileSync, readdirSync} from 'node:fs';
import {runInThisContext} from 'node:vm';

const folder = new URL('../../report/page/', import.meta.url);

function pageScript() {
	const names = readdirSync(folder, {recursive: true})
		.filter(name => name.endsWith('.js'))
		.sort();

	return names.map(name => readFileSync(new URL(name, folder), 'utf8')).join('');
}

runInThisContext(pageScript(), {filename: 'page.js'});
runInThisContext(readFileSync(new URL('selftest.js', import.meta.url), 'utf8'), {filename: 'selftest.js'});
export const {rwalker} = globalThis;
