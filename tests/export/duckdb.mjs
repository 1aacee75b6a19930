// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// duckdb.mjs TOOLS QUERY: prints the rows that DuckDB of the folder TOOLS answers with, as JSON; numbers are texts.
import { createRequire } from 'node:module';

const [tools, query] = process.argv.slice(2);
const { DuckDBInstance } = createRequire(`${tools}/package.json`)('@duckdb/node-api');
const database = await (await DuckDBInstance.create(':memory:')).connect();
const rows = (await database.runAndReadAll(query)).getRows();
console.log(JSON.stringify(rows.map((row) => row.map((value) => value === null ? null : String(value)))));
