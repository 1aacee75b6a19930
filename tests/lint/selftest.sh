#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Each lint script, on a small good tree and on the same tree with one fault: it must point at the fault.

set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
spdx='/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */'

make_good_tree()
{
	rm -rf "${tree:?}"/*
	mkdir -p "$tree"/{common,format,bpf,record,report/{read,resolve,view,tool},tests,.ci}
	cp "$top/.clang-format" "$top/Makefile" "$tree"
	cp "$top/common/banned.h" "$tree/common"
	local folder name
	for folder in common format record report/read report/resolve report/view report; do
		name=${folder##*/}
		printf '%s\n#include <stddef.h>\n\nsize_t %s_size(size_t count);\n' "$spdx" "$name" >"$tree/$folder/$name.h"
		printf '%s\n#include "%s"\n\nsize_t %s_size(size_t count)\n{\n\treturn count;\n}\n' \
			"$spdx" "$folder/$name.h" "$name" >"$tree/$folder/$name.c"
	done
	printf '%s\nint main(void);\n' "$spdx" >"$tree/tests/test.h"
}

# good LINT
good()
{
	local out

	make_good_tree
	out=$(LINT_ROOT=$tree "$top/tests/lint/$1.sh" 2>&1)
	if [[ $out == ok* ]]; then
		echo "ok $1_accepts_good"
	elif [[ $out == skip* ]]; then
		echo "skip $1_accepts_good - ${out#*- }"
	else
		echo "not ok $1_accepts_good - $(tail -n 1 <<<"$out")"
	fi
}

# fault LINT FILE LINE TEXT [OTHER]: appends TEXT to FILE, beside an empty OTHER; the lint must name FILE:LINE.
fault()
{
	local out

	make_good_tree
	[[ ${5-} ]] && touch "$tree/$5"
	printf '%b' "$4" >>"$tree/$2"
	out=$(LINT_ROOT=$tree "$top/tests/lint/$1.sh" 2>&1)
	if grep -q "^not ok $1 - $2:$3:" <<<"$out"; then
		echo "ok $1_finds_$(tr -c 'a-z\n' _ <<<"${2##*/}")$3"
	elif [[ $out == skip* ]]; then
		echo "skip $1_finds - ${out#*- }"
	else
		echo "not ok $1_finds - no finding at $2:$3 with '$4': $(tail -n 1 <<<"$out")"
	fi
}

for name in includes limits headers banned words format spdx man shell; do
	good "$name"
done

fault includes common/common.h 5 '#include "format/format.h"\n'
fault includes report/view/view.c 8 '#include "report/read/read.h"\n'
fault includes report/read/read.h 5 '#include "report/resolve/resolve.h"\n'
fault includes report/view/view.h 5 '#include <lz4.h>\n'
fault includes record/record.c 8 '#include <curl/curl.h>\n'
fault includes record/record.c 8 '#include "record.h"\n'
fault includes record/order.c 1 '#include <stdio.h>\n' record/order.h
fault includes report/report.h 5 '#include "report/view/view.h"\n'
# What reaches the view through a header that it may include.
make_good_tree
echo '#include "report/read/read.h"' >>"$tree/report/report.h"
echo '#include "report/report.h"' >>"$tree/report/view/view.h"
if LINT_ROOT=$tree "$top/tests/lint/includes.sh" | grep -q '^not ok includes - report/view/view.h:1: must not know report/read/read.h'; then
	echo "ok includes_finds_indirect"
else
	echo "not ok includes_finds_indirect - nothing found"
fi
# A second door.
make_good_tree
echo '#include <lz4.h>' | tee -a "$tree/format/format.c" >>"$tree/format/other.c"
if LINT_ROOT=$tree "$top/tests/lint/includes.sh" | grep -q 'lz4 has its door in'; then
	echo "ok includes_finds_second_door"
else
	echo "not ok includes_finds_second_door - nothing found"
fi

statements=$(yes '\tcount++;\n' | head -n 58 | tr -d '\n')
fault limits format/format.c 8 "size_t long_one(size_t count)\n{\n$statements\treturn count;\n}\n"
fault limits format/format.h 150 "$(yes '\n' | head -n 150 | tr -d '\n')"
fault limits format/format.c 500 "$(yes '\n' | head -n 500 | tr -d '\n')"
fault limits format/format.c 8 "int $(printf 'x%.0s' {1..140});\n"
fault headers record/bad.h 1 'struct bad {\n\tuint64_t time;\n};\n'
fault headers record/twice.h 1 'struct twice {\n\tint time;\n};\n'
fault words record/record.c 9 '\nint print_backtrace(void);\n'
fault words record/record.c 9 '\nint dump_stacks(void);\n'
fault words report/view/view.c 9 '\nstruct dso;\n'
fault format common/common.c 8 'int f( int a );\n'
fault format common/common.c 10 'int f(int a)\n{\n    return a;\n}\n'
fault format common/common.h 5 'int f(void); \n'
fault format common/common.h 5 'int f(void);'
fault spdx report/read/none.c 1 '\nint f(void);\n'
fault spdx report/read/read.c 8 "$spdx\n"
fault man record/x.1 5 '.Dd November 1, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nosuch\n'
fault shell tests/x.sh 1 '#!/bin/bash\nif true; then\n'

make_good_tree
sed -i 's/ strcpy / /' "$tree/common/banned.h"
if LINT_ROOT=$tree "$top/tests/lint/banned.sh" | grep -q "'strcpy' is not banned"; then
	echo "ok banned_finds_strcpy"
else
	echo "not ok banned_finds_strcpy - nothing found"
fi

make_good_tree
mkdir -p "$tree/build/common"
printf 'int next(void)\n{\n\tstatic int last;\n\n\treturn last++;\n}\n' | ${CC:-cc} -c -x c - -o "$tree/build/common/common.o"
if LINT_ROOT=$tree "$top/tests/lint/globals.sh" | grep -q "^not ok globals - common/common.c:1: .*'last"; then
	echo "ok globals_finds_static"
else
	echo "not ok globals_finds_static - nothing found"
fi

# A page and a --help that differ, in both ways.
make_good_tree
mkdir -p "$tree/build"
printf '#!/bin/sh\necho "  -a, --all   everything"\necho "  --only-help N"\n' >"$tree/build/rwalker-record"
chmod +x "$tree/build/rwalker-record"
cat >"$tree/record/rwalker-record.1" <<END
.\" ${spdx//[\/*] /}
.Dd November 21, 2026
.Dt RWALKER-RECORD 1
.Os
.Sh NAME
.Nm rwalker-record
.Nd a page
.Sh DESCRIPTION
.Bl -tag -width Ds
.It Fl a , -all
Everything.
.It Fl -only-page Ar N
Nothing.
.El
END
out=$(LINT_ROOT=$tree "$top/tests/lint/man.sh")
for want in 'does not describe --only-help' 'does not have: --only-page'; do
	if grep -q -e "$want" <<<"$out" && ! grep -q -e '--all' <<<"$out"; then
		echo "ok man_finds_${want##*--}"
	elif [[ $out == skip* ]]; then
		echo "skip man_finds_${want##*--} - ${out#*- }"
	else
		echo "not ok man_finds_${want##*--} - $(head -n 1 <<<"$out")"
	fi
done
