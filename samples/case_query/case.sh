# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A query that takes a CPU: it looks for names that resemble each other, and compares each with each.
start_postgres
sql 'CREATE EXTENSION fuzzystrmatch; CREATE TABLE names AS SELECT md5(i::text) AS name FROM generate_series(1, 2000) i; ANALYZE names' >/dev/null
trouble() {
	sql "SET statement_timeout = 2500; SELECT count(*) FROM names a, names b WHERE levenshtein(a.name, b.name) < 3" 2>/dev/null || true
}
record_while trouble -p 2 --offcpu 2 --wakers -u -f 199
stop_postgres
cause '^functions +[5-9][0-9][.0-9]*% varstr_levenshtein'
cause '^comms +[6-9][0-9][.0-9]*% postgres'
