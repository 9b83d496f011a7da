// SPDX-License-Identifier: GPL-2.0-or-later
// Runs statements of SQL in an engine that is an npm package: chdb (ClickHouse), @duckdb/node-api (DuckDB).
//
// Usage: node lake.js ENGINE MODULES [--time] < STATEMENTS
//
// MODULES is a node_modules directory. Statements end with ";" at the end of a line. Rows are printed with commas
// between values. --time prints the milliseconds of each statement on standard error. Status 77: the package is missing
// or does not load.
'use strict';
const fs = require('fs'), path = require('path');
const [engine, modules, option] = process.argv.slice(2);
const names = { clickhouse: 'chdb', duckdb: '@duckdb/node-api' };

function load() {
	try {
		return require(path.resolve(modules, names[engine]));
	} catch (e) {
		console.log(String(e.message).split('\n')[0]);
		process.exit(77);
	}
}

function clickhouse(lib) {
	const session = new lib.Session(path.resolve('clickhouse-data'));
	return async sql => session.query(sql, 'TSV').replace(/\t/g, ',');
}

async function duckdb(lib) {
	const instance = await lib.DuckDBInstance.create(':memory:');
	const connection = await instance.connect();
	return async sql => {
		const rows = (await connection.runAndReadAll(sql)).getRows();
		const isAnswer = /^\s*(SELECT|FROM|WITH)\b/i.test(sql);
		return isAnswer ? rows.map(r => r.map(v => String(v)).join(',') + '\n').join('') : '';
	};
}

async function main() {
	const text = fs.readFileSync(0, 'utf8');
	const lib = load(), run = await (engine === 'duckdb' ? duckdb(lib) : clickhouse(lib));
	for (const sql of text.split(/;[ \t]*(?:\n|$)/)) {
		if (!sql.replace(/--.*$/gm, '').trim())
			continue;
		const start = Date.now();
		process.stdout.write(await run(sql));
		if (option === '--time')
			console.error('%d ms: %s', Date.now() - start, sql.trim().split('\n')[0]);
	}
}

main().then(() => process.exit(0), e => { console.error(String(e.message || e)); process.exit(1); });
