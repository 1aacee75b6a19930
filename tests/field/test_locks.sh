#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 300
# Locks of two runtimes: Python's threading.Lock and Go's sync.Mutex. Each program measures how long it waited for its turns.
. "$(dirname "$0")/lib.sh"

rounds=$(at_level 25 200)

record_turns() { # NAME COMMAND...
	local name=$1
	shift
	recorded "$name" "$record" --force --offcpu 0 --wakers -u -o "$scratch/$name.rwk" -- "$@"
	judged python3 -B "$field/lock_check.py" "$report" "$scratch/$name.rwk" "$scratch/$name.out" "$name"
}

need_offcpu
record_turns python python3 -B "$field/python_lock.py" "$rounds"
if command -v go >/dev/null; then
	make_private
	GOCACHE=$private/cache GOFLAGS=-trimpath go build -o "$private/mutex" "$field/mutex.go" || die "Go does not build"
	record_turns go "$private/mutex" "$rounds"
	check "the mutex is named" grep -q takeTurn <<<"$(folded "$scratch/go.rwk" -U)"
else
	echo "skip go-mutex - 'go' is not installed"
fi
finish
