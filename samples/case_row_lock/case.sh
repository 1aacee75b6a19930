# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A row lock: a clerk has changed a row of PostgreSQL and takes a break before the end of the transaction. Two others want the row.
start_postgres
sql 'CREATE TABLE stock (item int PRIMARY KEY, pieces int); INSERT INTO stock VALUES (1, 100)' >/dev/null
mkfifo /tmp/break
cat >/tmp/clerk <<'END'
#!/bin/sh
echo 'BEGIN; UPDATE stock SET pieces = pieces - 1 WHERE item = 1; SELECT pg_backend_pid();'
read -r line </tmp/break
sleep 2
echo 'COMMIT;'
END
chmod +x /tmp/clerk
/tmp/clerk | psql -XqAt -h /tmp -U postgres postgres >/tmp/holder &
until [ -s /tmp/holder ]; do sleep 0.1; done
holder=$(cat /tmp/holder)
order() { exec psql -XqAt -h /tmp -U postgres postgres -c "UPDATE stock SET pieces = pieces $1 WHERE item = 1"; }
trouble() {
	order '+ 10' &
	first=$!
	order '- 2' &
	second=$!
	until [ "$(sql "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")" = 2 ]; do sleep 0.1; done
	echo >/tmp/break
	wait "$first" "$second"
}
record_while trouble --offcpu 0 --wakers -u
stop_postgres
cause '^story [123] +postgres blocked in'
cause '^ +held by postgres blocked in [^<]* <- psql blocked in [^<]* <- clerk blocked in'
cause "^ +worst: .* woken at .* by postgres tid $holder pid $holder"
