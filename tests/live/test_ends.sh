#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The process at the other end of a pipe, a TCP connection and a socketpair, compared with what the processes at the
# ends print; and --chains, which goes from one end of a connection to the other.
# two tries: a wait is shorter than -m, and has no record, if the host takes the CPU away from the thread first.
. "$(dirname "$0")/lib.sh"

need_offcpu
recorded ends "$record" --force --offcpu 0 --wakers -o "$scratch/ends.rwk" -- python3 -B "$here/tests/live/processes.py" ends "$(at_level 50 500)"
"$report" --waits-on "$scratch/ends.rwk" >"$scratch/view" 2>/dev/null
"$report" --chains='^e-tcp-one$' "$scratch/ends.rwk" >"$scratch/chains" 2>/dev/null

# ends KIND: the row of this kind in the truth.
ends() { awk -v kind="$1" '$1 == kind' "$scratch/ends.out"; }

# says COMM TEXT: whether a row of --waits-on for this comm has the text.
says() { awk -v who="$1" '$8 == who' "$scratch/view" | grep -qE -- "$2"; }

read -r _ inode _ _ _ writer < <(ends pipe)
check "the pipe's writer" says e-pipe-one "in read of pipe:$inode \(written by e-pipe-two $writer\)\$"
for kind in tcp unix; do
	read -r _ _ _ one _ other < <(ends $kind)
	check "$kind: the one end's other end" says e-$kind-one "in recvfrom of $kind.* \(at its other end e-$kind-two $other\)\$"
	check "$kind: the other end's other end" says e-$kind-two "in recvfrom of $kind.* \(at its other end e-$kind-one $one\)\$"
done
# The timeout was 4 ms. A busy host takes some of it before the kernel sees the call, and no timeout is printed if the
# waits' timeouts differ.
check "--chains goes to the other end" grep -qE -- '--woken (from its other end )?by e-tcp-two( in [^,]*)?, which was blocked in .*, sleep( [0-4]\.[0-9]+ ms)?  \(' \
	"$scratch/chains"
finish
