# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# record_case.sh NAME NUMBER: runs cases/NAME.sh in the virtual machine, which makes trouble and records it, into trace.rwk. What
# the case knows of the cause, it writes to /out/NUMBER.cause: lines of text that the digest must have.
set -eu
number=$2
POSTGRES=$(cat postgres)
BUILD=build
export PATH="/usr/bin:/bin:$POSTGRES" # busybox prefers its own programs, so others are called by their paths

recorder() { "$BUILD/rwalker-record" --embed=min --force -o trace.rwk "$@"; }

# record_while FUNCTION OPTION...: what the function does, and the recording, begin together.
record_while() {
	trouble=$1
	shift
	rm -f /tmp/began /tmp/over
	mkfifo /tmp/began /tmp/over
	recorder "$@" --system-wide -- sh -c 'echo >/tmp/began; read -r line </tmp/over' &
	recording=$!
	until read -r line </tmp/began; do :; done # a child that ends interrupts the open
	"$trouble"
	echo >/tmp/over
	wait "$recording"
}

# Without the memory of the stacks that --dwarf copied.
condense() {
	"$BUILD/rwalker-report" --condense --no-cache trace.rwk -o condensed.rwk
	mv condensed.rwk trace.rwk
}

cause() { echo "$*" >>"/out/$number.cause"; }

as_postgres() { /usr/bin/setpriv --reuid=70 --regid=70 --clear-groups "$@"; }

start_postgres() {
	mkdir -p /etc /srv /dev/shm
	echo 'root:x:0:0::/:/bin/sh
postgres:x:70:70::/srv:/bin/sh' >/etc/passwd
	chmod 1777 /tmp /srv /dev/shm
	[ -d /srv/db ] || as_postgres initdb -D /srv/db --no-sync >/dev/null
	as_postgres pg_ctl -D /srv/db -w -t 60 -l /tmp/log \
		-o '-k /tmp -c listen_addresses= -c autovacuum=off -c fsync=off -c jit=off -c deadlock_timeout=600s' start >/dev/null
}

stop_postgres() { as_postgres pg_ctl -D /srv/db -m immediate stop >/dev/null; }

sql() { psql -XqAt -h /tmp -U postgres postgres -c "$1"; }

# shellcheck source=/dev/null
. "cases/$1.sh"
