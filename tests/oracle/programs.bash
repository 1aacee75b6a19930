# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The programs for the oracles, each busy for a while. In: dir, a folder for the files that they need. Programs that
# this machine does not have are reported and left out.
# shellcheck shell=bash

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
c++ -O2 -o "$dir/exceptions" tests/oracle/programs/exceptions.cpp 2>/dev/null
c++ -O2 -static -o "$dir/exceptions_static" tests/oracle/programs/exceptions.cpp 2>/dev/null
command -v musl-gcc >/dev/null && musl-gcc -O2 -static -o "$dir/sorting_musl" tests/oracle/programs/sorting.c

# A file of many objects for a Go program.
make_manifests()
{
	mkdir -p "$dir/manifests"
	printf 'resources: [all.yaml]\ncommonLabels: {app: busy}\n' >"$dir/manifests/kustomization.yaml"
	awk 'BEGIN {
		for (i = 0; i < 300; i++) {
			printf "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m%d}\ndata:\n", i
			for (j = 0; j < 20; j++)
				printf "  key%d: \"%d\"\n", j, i * j
		}
	}' >"$dir/manifests/all.yaml"
}
make_manifests

# with NAME FUNCTION PROGRAM ARGUMENT...: calls FUNCTION NAME PROGRAM ARGUMENT... if the program is installed.
with()
{
	local name=$1 function=$2
	shift 2
	if command -v "$1" >/dev/null; then
		"$function" "$name" "$@"
	else
		echo "skip ${function}_$name - no '$(basename "$1")' here"
	fi
}

program_python3()
{
	with python3 "$1" python3 -c '
import json, re
def f(n): return 1 if n < 2 else f(n - 1) + n
while True:
    d = [json.dumps({"a": list(range(i))}) for i in range(100)]
    re.sub("a+", "b", "aaabbb" * 50); f(200); sorted(d, key=lambda x: -len(x))'
}

program_perl()
{
	with perl "$1" perl -e 'sub f { my $n = shift; return $n < 2 ? 1 : f($n - 1) + 1 }
	while (1) { f(50); my %h = map { $_ => 1 } 1 .. 100; my $s = join ",", sort keys %h; $s =~ s/(\d+)/<$1>/g }'
}

program_git()
{
	with git "$1" git log -p --stat
}

program_sqlite3()
{
	with sqlite3 "$1" sqlite3 :memory: 'with recursive r(a) as (select 1 union all select a + 1 from r where a < 3000000)
	select count(*), sum(a * random() % 7), max(hex(a)) from r group by a % 1000;'
}

program_cc1()
{
	with cc1 "$1" gcc -O2 -S -o /dev/null "$dir/busy.c"
}

program_clang()
{
	with clang "$1" clang-14 -O2 -S -o /dev/null "$dir/busy.c"
}

program_node()
{
	with node "$1" node -e 'function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2) }
	while (1) { f(20); JSON.stringify(Array.from({ length: 100 }, (_, i) => ({ i }))); [3, 1, 2].sort((a, b) => a - b) }'
}

program_rustc()
{
	with rustc "$1" rustc --crate-type=lib -O --emit=obj -o "$dir/busy.o" "$dir/busy.rs"
}

program_exceptions()
{
	with exceptions "$1" "$dir/exceptions"
}

program_exceptions_static()
{
	with exceptions_static "$1" "$dir/exceptions_static"
}

program_kubectl()
{
	with kubectl "$1" kubectl kustomize "$dir/manifests"
}

program_sorting_musl()
{
	with sorting_musl "$1" "$dir/sorting_musl"
}
