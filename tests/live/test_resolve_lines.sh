#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# After --resolve-lines, lines and inlined functions are the same where none of the host's files can be found. The recorded
# bytes stay those of the first trace.
. "$(dirname "$0")/lib.sh"

cat >"$scratch/work.c" <<'END'
#include <stdint.h>
#include <time.h>
static inline __attribute__((always_inline)) uint64_t innermost(uint64_t x) { return x * 6364136223846793005u + 1442695040888963407u; }
static inline __attribute__((always_inline)) uint64_t outer(uint64_t x) { for (int i = 0; i < 1000; i++) x = innermost(x) ^ x >> 7; return x; }
__attribute__((noinline)) uint64_t work(uint64_t x) { for (int i = 0; i < 1000; i++) x += outer(x); return x; }
int main(void) { time_t end = time(0) + 2; uint64_t x = 1; while (time(0) < end) x = work(x); return x == 5; }
END
gcc -g -O2 -fno-omit-frame-pointer -o "$scratch/work" "$scratch/work.c" || skip 'no compiler'
"$record" -p 3 -u -o "$scratch/a.rwk" -- "$scratch/work" >"$scratch/said" 2>&1 || skip "cannot record: $(tail -n 1 "$scratch/said")"
cd "$scratch" || exit 1
mkdir empty

# tree OUT OPTION...
tree() {
	local out=$1
	shift
	"$report" --tree -c '^work$' --min-percent 0 "$@" >"$out" 2>"$scratch/err"
	check_equal "$out: said" '' "$(cat "$scratch/err")"
}

tree none --no-cache a.rwk
check 'inlined functions are shown' grep -q 'innermost \[inlined\].* work.c:3' none
check 'resolve' "$report" --no-cache --resolve-lines -o b.rwk a.rwk
tree host --no-cache b.rwk
tree away --no-cache --symfs empty --debug-dir empty b.rwk
tree without --no-cache --symfs empty --debug-dir empty a.rwk
check 'on the host' cmp none host
check 'away' cmp none away
check 'without them it is another report' sh -c '! cmp -s none without'
check 'what was recorded is there' cmp -n "$(stat -c %s a.rwk)" a.rwk b.rwk
check 'it is not overwritten' sh -c "! '$report' --no-cache --resolve-lines -o b.rwk a.rwk"
"$report" --no-cache --resolve-lines -o - a.rwk >piped.rwk
tree piped --no-cache --symfs empty --debug-dir empty piped.rwk
check 'to stdout' cmp none piped
"$report" --dump b.rwk >ours
python3 "$here/tests/rwk_dump.py" b.rwk >theirs
check 'dumps agree' cmp ours theirs
finish
