#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 1800
# Our unwinder beside libdw's call frame engine, on real programs stopped at many points: every step from every frame has to
# be equal; and on every row of some files. CHECK_LEVEL=long: at least 40,000 samples. What this machine does not have is said and left out.

set -u
cd "$(dirname "$0")/../.." || exit 1
oracle=${BUILD:-build}/tests/oracle/unwind
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

if [[ $(uname -m) != x86_64 ]]; then
	echo "skip unwind_oracle - its snapshots are x86-64"
	exit 77
fi
if [[ ! -x $oracle ]]; then
	echo "skip unwind_oracle - built only where libdw-dev is"
	exit 77
fi
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	samples=5000 size=65536
else
	samples=150 size=32768
fi

# compare NAME PROGRAM ARGUMENT...: where there is such a program.
compare()
{
	local name=$1
	shift
	if command -v "$1" >/dev/null; then
		timeout 300 "$oracle" -n "$samples" -s "$size" "$name" "$@" ||
			{ (($? == 124)) && echo "not ok unwind_$name - longer than 300 s"; }
	else
		echo "skip unwind_$name - no '$1' here"
	fi
}

# every_row FILE...: each row of the call frame information of these files, over a stack that is made up.
every_row()
{
	local file

	for file; do
		[[ -r $file ]] && timeout 300 "$oracle" -f "rows_$(basename "$file" | tr -c 'a-zA-Z0-9\n' _)" "$file"
	done
}

libraries=/usr/lib/x86_64-linux-gnu
every_row "$libraries"/{libc.so.6,ld-linux-x86-64.so.2,libstdc++.so.6,libcrypto.so.3}
if [[ ${CHECK_LEVEL:-check} = long ]]; then
	every_row "$libraries/libLLVM-14.so.1" "$libraries/libgmp.so.10" "$(gcc -print-prog-name=cc1)" \
		"$(command -v node)" "$(readlink -f "$(command -v python3)")"
fi

# A C source that keeps compilers busy.
awk 'BEGIN {
	print "#include <stdio.h>\n#include <string.h>"
	for (i = 0; i < 300; i++) {
		printf "struct s%d { int a[%d]; double d; };\n", i, i % 7 + 1
		printf "static double f%d(struct s%d *s, int n) { double r = %s; for (int i = 0; i < n; i++) {", i, i,
			i ? "f" (i - 1) "((struct s" (i - 1) " *)s, n - 1)" : "n"
		printf " for (int j = 0; j < %d; j++) r += s->a[(i * j) %% %d] * s->d;", i % 5 + 2, i % 7 + 1
		printf " switch (n) { case 1: r++; break; case 2: r *= 2; break; case %d: puts(\"x\"); } } return r; }\n", i + 3
	}
	print "int main(int c, char **v) { struct s299 s; memset(&s, c, sizeof(s)); return f299(&s, c) > 1 ? v[0][0] : 0; }"
}' >"$dir/busy.c"
awk 'BEGIN {
	print "use std::collections::HashMap;"
	for (i = 0; i < 200; i++) {
		printf "#[derive(Debug, Clone, PartialEq)] pub struct S%d { a: [u32; %d], m: HashMap<String, Vec<u%d>> }\n", i,
			i % 7 + 1, i % 2 ? 32 : 64
		printf "pub fn f%d(s: &mut S%d, n: u32) -> String { s.m.entry(format!(\"{:?}\", n)).or_default().push(n as _);", i, i
		printf " s.a.iter().map(|x| x.to_string() + &n.to_string()).collect::<Vec<_>>().join(\"%d\") }\n", i
	}
}' >"$dir/busy.rs"
c++ -O2 -o "$dir/exceptions" tests/oracle/exceptions.cpp 2>/dev/null
c++ -O2 -static -o "$dir/exceptions_static" tests/oracle/exceptions.cpp 2>/dev/null

compare python3 python3 -c '
import json, re
def f(n): return 1 if n < 2 else f(n - 1) + n
while True:
    d = [json.dumps({"a": list(range(i))}) for i in range(100)]
    re.sub("a+", "b", "aaabbb" * 50); f(200); sorted(d, key=lambda x: -len(x))'
compare perl perl -e 'sub f { my $n = shift; return $n < 2 ? 1 : f($n - 1) + 1 }
	while (1) { f(50); my %h = map { $_ => 1 } 1 .. 100; my $s = join ",", sort keys %h; $s =~ s/(\d+)/<$1>/g }'
compare git git log -p --stat
compare sqlite3 sqlite3 :memory: 'with recursive r(a) as (select 1 union all select a + 1 from r where a < 3000000)
	select count(*), sum(a * random() % 7), max(hex(a)) from r group by a % 1000;'
compare cc1 gcc -O2 -S -o /dev/null "$dir/busy.c"
compare clang clang-14 -O2 -S -o /dev/null "$dir/busy.c"
compare node node -e 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
	while (1) { f(20); JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ i }))); [3, 1, 2].sort((a, b) => a - b) }'
compare rustc rustc --crate-type=lib -O --emit=obj -o "$dir/busy.o" "$dir/busy.rs"
compare exceptions "$dir/exceptions"
compare exceptions_static "$dir/exceptions_static"
