// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// query.mjs ENGINE VIEWS QUERY: the answer of DuckDB or chDB in the current directory, a line a row, separated by '|'. Numbers are
// printed with as many digits as both have.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';

const [engine, viewsPath, queryPath] = process.argv.slice(2);
const require = createRequire(process.env.NODE_PACKAGES + '/');
const statements = path => readFileSync(path, 'utf8').replace(/^--.*$/gm, '').split(/;\s*$/m).filter(text => text.trim());
const word = value => {
	if (value === null || value === undefined)
		return '';
	return typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?(e[-+]?\d+)?$/.test(value)) ?
		String(Number(value)) : String(value);
};

async function duckdb() {
	const {DuckDBInstance} = require('@duckdb/node-api');
	const connection = await (await DuckDBInstance.create(':memory:')).connect();
	for (const statement of statements(viewsPath))
		await connection.run(statement);
	return (await connection.runAndReadAll(statements(queryPath)[0])).getRows();
}

async function chdb() {
	const {Session} = require('chdb');
	const session = new Session();
	for (const statement of statements(viewsPath))
		session.query(statement);
	const rows = session.query(statements(queryPath)[0], 'JSONCompactEachRow').split('\n').filter(line => line);
	session.cleanup();
	return rows.map(line => JSON.parse(line));
}

for (const row of await ({duckdb, chdb})[engine]())
	console.log(row.map(word).join('|'));
