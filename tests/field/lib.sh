# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the field tests: runs other people's programs privately, in the test's own folder as an unprivileged user;
# prints figures. A test sources it instead of tests/live/lib.sh. No service is started or touched.
# shellcheck shell=bash
. "$(dirname "${BASH_SOURCE[0]}")/../live/lib.sh"

field=$here/tests/field

# need_field COMMAND...: programs that 'make deps-field' installs.
need_field() {
	local tool
	for tool; do command -v "$tool" >/dev/null || skip "'$tool' is not installed"; done
}

# Makes the folder in which the unprivileged user's programs keep their files: $private.
make_private() {
	chmod 711 "$scratch"
	private=$scratch/private
	install -d -o nobody -g nogroup "$private"
}

# as_nobody COMMAND...: runs it without privileges, with a home of its own.
as_nobody() {
	(cd "$private" && exec env HOME="$private" setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs "$@")
}

# start_nobody COMMAND...: the same in the background until the test ends; sets $started to its pid.
start_nobody() {
	(cd "$private" && exec env HOME="$private" setpriv --reuid=nobody --regid=nogroup --clear-groups --no-new-privs "$@") &
	started=$!
	children="$children $started"
}

# free_ports COUNT: numbers of unused TCP ports.
free_ports() { # COUNT
	python3 -c 'import socket, sys
all = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(one.getsockname()[1] for one in all))' "$1"
}

# figure TEXT: a measurement.
figure() { echo "# figure: $*"; }

# recorded_while NAME 'RECORDER OPTIONS' COMMAND...: records the whole host while the command runs; both must succeed.
recorded_while() {
	local name=$1 options=$2
	shift 2
	# shellcheck disable=SC2086
	recorded "$name" "$record" --force --system-wide $options -o "$scratch/$name.rwk" -- "$@"
}

# staged NAME 'RECORDER OPTIONS' DRIVER...: records a driver that prepares something, creates "ready" in its folder,
# waits for "go", does what is to be recorded, and creates "done". The recording begins after "ready" and ends after
# "done"; then there is "over".
staged() {
	local name=$1 options=$2
	shift 2
	stage=$scratch/$name.stage
	install -d -m 777 "$stage"
	"$@" "$stage" >"$scratch/$name.truth" 2>"$scratch/$name.driver" &
	driver=$!
	children="$children $driver"
	wait_for 120 eval "[ -e '$stage/ready' ] || ! kill -0 $driver" 2>/dev/null
	[ -e "$stage/ready" ] || die "'$*' does not get ready: $(tail -3 "$scratch/$name.driver")"
	recorded_while "$name" "$options" sh -c "touch '$stage/go'; until [ -e '$stage/done' ] || ! kill -0 $driver; do sleep 0.05; done" 2>/dev/null
	touch "$stage/over"
	wait "$driver" || fail "'$*' failed: $(tail -3 "$scratch/$name.driver")"
}
