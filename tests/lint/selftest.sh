#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Tests each lint script on a small good tree, and on the same tree with one fault, which it must report.

set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/good
md=.md # so that this file does not cite missing documents
spdx='/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */'

write_good_tree()
{
	mkdir -p "$tree"/{common,format,bpf,record,report/{read,resolve,profile,view},tests,.ci}
	cp "$top/.clang-format" "$top/Makefile" "$tree"
	cp "$top/tests/Makefile" "$tree/tests"
	cp "$top/common/banned.h" "$tree/common"
	local folder name
	for folder in common format record report/read report/resolve report/profile report/view report; do
		name=${folder##*/}
		printf '%s\n#include <stddef.h>\n\nsize_t %s_size(size_t count);\n' "$spdx" "$name" >"$tree/$folder/$name.h"
		printf '%s\n#include "%s"\n\nsize_t %s_size(size_t count)\n{\n\treturn count;\n}\n' \
			"$spdx" "$folder/$name.h" "$name" >"$tree/$folder/$name.c"
	done
	printf '%s\nint main(void);\n' "$spdx" >"$tree/tests/test.h"
	cat >"$tree/ARCHITECTURE.md" <<'END'
# Architecture

## Rooms

| Room | What lives there | May include |
|---|---|---|
| `common/` | what all need | nothing |
| `format/` | the bytes | `common/` |
| `record/` | the recorder | `common/`, `format/` |
| `report/read/` | reads | `common/`, `format/` |
| `report/resolve/` | resolves | `common/`, `report/read/` |
| `report/profile/` | the profile | `common/`, `report/` |
| `report/view/` | shows | `common/`, `report/profile/` |
| `report/` | the reporter | `common/`, `format/`, `report/` |

## Another table

| `nowhere/` | of no concern here | nothing |
END
	printf '# A page\n\n## 1. Numbers\n' >"$tree/BENCH$md"
}

write_good_tree
tree=$scratch/tree
make_good_tree() { rm -rf "$tree" && cp -r "$scratch/good" "$tree"; }

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

# fault LINT FILE LINE TEXT [OTHER]: appends TEXT to FILE, beside an empty OTHER; the lint must report FILE:LINE.
fault()
{
	local out

	make_good_tree
	[[ ${5-} ]] && touch "$tree/$5"
	put "$2" "$4"
	out=$(LINT_ROOT=$tree "$top/tests/lint/$1.sh" 2>&1)
	found "$@"
}

put()
{
	[[ $1 != */* ]] || mkdir -p "$tree/${1%/*}"
	printf '%b' "$2" >>"$tree/$1"
}

# faults LINT FILE LINE TEXT...: the same with independent faults in several files at once.
faults()
{
	local out lint=$1 i

	make_good_tree
	for ((i = 2; i < $#; i += 3)); do
		put "${!i}" "${@:i+2:1}"
	done
	out=$(LINT_ROOT=$tree "$top/tests/lint/$lint.sh" 2>&1)
	for ((i = 2; i < $#; i += 3)); do
		found "$lint" "${@:i:3}"
	done
}

# found LINT FILE LINE TEXT: whether $out reports FILE:LINE.
found()
{
	if grep -q "^not ok $1 - $2:$3:" <<<"$out"; then
		echo "ok $1_finds_$(tr -c 'a-z\n' _ <<<"${2##*/}")$3"
	elif [[ $out == skip* ]]; then
		echo "skip $1_finds - ${out#*- }"
	else
		echo "not ok $1_finds - no finding at $2:$3 with '$4': $(tail -n 1 <<<"$out")"
	fi
}

for name in includes limits headers banned words format spdx man shell documents service top kinds; do
	good "$name"
done

fault includes common/common.h 5 '#include "format/format.h"\n'
fault includes report/view/view.c 8 '#include "report/read/read.h"\n'
fault includes report/read/read.h 5 '#include "report/resolve/resolve.h"\n'
fault includes report/view/view.h 5 '#include <lz4.h>\n'
fault includes record/record.c 8 '#include <curl/curl.h>\n'
fault includes record/record.c 8 '#include "record.h"\n'
fault includes record/order.c 1 '#include <stdio.h>\n' record/order.h
fault includes report/profile/profile.h 5 '#include "report/view/view.h"\n'
fault includes report/view/view.h 5 '#include "report/resolve/resolve.h"\n'
fault includes record/record.c 8 '#include "report/read/read.h"\n'
fault includes report/lost/lost.c 1 '#include <stdio.h>\n'
fault includes ARCHITECTURE.md 21 '\n## Rooms\n| `record/empty/` | nobody | nothing |\n'
fault includes tests/unit/nowhere/test_x.c 1 '#include <stdio.h>\n'
fault kinds format/event.h 2 'enum event_kind {\n\tEVENT_LONE = 7,\n};\n'
fault service record/a.service 3 '[Service]\nExecStart=/bin/true\nNoSuchSetting=1\n'
fault service record/a.service 1 '[Service]\nExecStart=/bin/true\n'
# More files in a room than it may have.
make_good_tree
for number in {1..16}; do
	touch "$tree/report/view/part$number.c"
done
if LINT_ROOT=$tree "$top/tests/lint/includes.sh" | grep -q '^not ok includes - ARCHITECTURE.md:.* report/view/ has 17 files'; then
	echo "ok includes_finds_full_room"
else
	echo "not ok includes_finds_full_room - nothing found"
fi
# No table at all.
make_good_tree
rm "$tree/ARCHITECTURE.md"
if LINT_ROOT=$tree "$top/tests/lint/includes.sh" | grep -q '^not ok includes - ARCHITECTURE.md:1: there is no table'; then
	echo "ok includes_finds_no_table"
else
	echo "not ok includes_finds_no_table - nothing found"
fi
# A cycle of three headers, and one that includes them without being in it.
make_good_tree
echo '#include "report/view/one.h"' >>"$tree/report/view/view.h"
echo '#include "report/view/two.h"' >"$tree/report/view/one.h"
echo '#include "report/view/view.h"' >"$tree/report/view/two.h"
echo '#include "report/view/two.h"' >"$tree/report/view/beside.h"
out=$(LINT_ROOT=$tree "$top/tests/lint/includes.sh" | sed 's/^not ok includes - //; s/:[^:]*$//')
if [[ $out == $'report/view/one.h:1\nreport/view/two.h:1\nreport/view/view.h:5' ]]; then
	echo "ok includes_finds_cycle"
else
	echo "not ok includes_finds_cycle - found ${out//$'\n'/, }"
fi
# A second door.
make_good_tree
echo '#include <lz4.h>' | tee -a "$tree/format/format.c" >>"$tree/format/other.c"
if LINT_ROOT=$tree "$top/tests/lint/includes.sh" | grep -q 'lz4 has its door in'; then
	echo "ok includes_finds_second_door"
else
	echo "not ok includes_finds_second_door - nothing found"
fi

# lines COUNT: prints COUNT statements.
lines()
{
	yes '\tcount++;\n' | head -n "$1" | tr -d '\n'
}
fault limits format/format.c 8 "size_t long_one(size_t count)\n{\n$(lines 47)\treturn count;\n}\n"
fault limits format/format.c 14 'int f(int a)\n{\n\tfor (;;)\n\t\tif (a)\n\t\t\tdo {\n\t\t\t\twhile (a)\n\t\t\t\t\ta--;\n'\
'\t\t\t} while (0);\n}\n'
fault limits format/format.h 150 "$(yes '\n' | head -n 150 | tr -d '\n')"
fault limits format/format.c 500 "$(yes '\n' | head -n 500 | tr -d '\n')"
fault limits format/format.c 8 "int $(printf 'x%.0s' {1..116});\n"
fault limits format/format.h 5 "/* $(printf 'x%.0s' {1..115}) */\n"
fault limits format/format.c 8 "\tputs(\"$(printf 'x%.0s' {1..105})\");\n"
# share NAME WANT TEXT: the result of limits.sh for a tree with TEXT, which is within each limit but may exceed a share.
share()
{
	local out

	make_good_tree
	printf '%b' "$3" >>"$tree/format/format.c"
	out=$(LINT_ROOT=$tree "$top/tests/lint/limits.sh" 2>&1)
	if [[ $out == skip* ]]; then
		echo "skip limits_$1 - ${out#*- }"
	elif grep -qE "^$2" <<<"$out"; then
		echo "ok limits_$1"
	else
		echo "not ok limits_$1 - $(tail -n 1 <<<"$out")"
	fi
}
wide=$(printf 'x%.0s' {1..96})
share takes_32_lines ok "size_t long_one(size_t count)\n{\n$(lines 28)\treturn count;\n}\n"
share finds_33_lines 'not ok limits - \.: 1 of [0-9]+ functions' "size_t long_one(size_t count)\n{\n$(lines 29)\treturn count;\n}\n"
share takes_100_columns ok "$(yes "int ${wide:1};\\n" | head -n 20 | tr -d '\n')"
share finds_101_columns 'not ok limits - \.: 20 of [0-9]+ lines' "$(yes "int $wide;\\n" | head -n 20 | tr -d '\n')"
share takes_3_levels ok 'int f(int a)\n{\n\tfor (;;)\n\t\tif (a)\n\t\t\ta = 0;\n\t\telse if (a > 1)\n\t\t\twhile (a)\n\t\t\t\ta--;\n}\n'
fault headers record/bad.h 1 'struct bad {\n\tuint64_t time;\n};\n'
fault headers record/twice.h 1 'struct twice {\n\tint time;\n};\n'
faults words record/record.c 9 '\nint print_backtrace(void);\n' \
	report/view/view.c 9 '\nstruct dso;\n' \
	common/common.c 8 '/* Copied for want of a lock. */\n' \
	common/common.h 5 'int f(void); /* of what the log was told */\n' \
	tests/test.h 3 '// the ring is opened anew\n' \
	tests/x.sh 1 '# waits for ever\n' \
	tests/x.py 2 'x = 1\n"""What lies in it."""\n' \
	BENCH.md 4 'No counter was to be had.\n' \
	record/x.1 1 'What stands behind it.\n'
faults words record/record.c 9 '\nint dump_stacks(void);\n' \
	common/common.c 8 'const char text[] = "Copied for want "\n\t"of a lock.";\n' \
	report/view/view.c 9 '\nconst char text[] = "no file \\"%s\\" here";\n'
faults words record/record.c 11 '\nvoid say(void)\n{\n\tlog_info("%zu threads", count);\n}\n' \
	common/common.c 9 '/*\n * It is read for\n * want of a lock.\n */\n'
# Program text, strings of tests, examples and words that merely contain a phrase are allowed.
make_good_tree
echo 'static const char *text = "\"for want of\" /* anew"; /* canewood, which is told apart */' >>"$tree/tests/test.h"
printf '    none was to be had\n\nThe message `told anew`.\n' >>"$tree/BENCH$md"
printf 'echo "nobody; anew"\n' >"$tree/tests/x.sh"
out=$(LINT_ROOT=$tree "$top/tests/lint/words.sh" 2>&1)
if [[ $out == ok* ]]; then
	echo "ok words_accepts_strings"
else
	echo "not ok words_accepts_strings - $(head -n 1 <<<"$out")"
fi
faults format common/common.c 8 'int f( int a );\n' \
	common/common.h 5 'int f(void); \n'
faults format common/common.c 10 'int f(int a)\n{\n    return a;\n}\n' \
	common/common.h 5 'int f(void);'
faults spdx report/read/none.c 1 '\nint f(void);\n' \
	report/read/read.c 8 "$spdx\n"
fault man record/x.1 5 '.Dd November 1, 2026\n.Dt X 1\n.Os\n.Sh NAME\n.Nosuch\n'
faults documents common/common.c 8 "/* NOWHERE$md */\n" \
	tests/test.h 3 "/* see common/NOWHERE$md */\n" \
	BENCH.md 4 "see common/BENCH$md\n" \
	format/format.h 5 "/* BENCH$md §2 */\n"
faults documents format/format.h 5 "/* BENCH$md, \"Letters\" */\n" \
	BENCH.md 4 '[gone](common/gone.h)\n'
faults shell tests/x.sh 1 '#!/bin/bash\nif true; then\n' \
	tests/y.sh 1 '#!/bin/bash\ntrue\n'
faults top z.rwk 1 'RWK' \
	.hidden 1 'x'

make_good_tree
sed -i 's/ strcpy / /' "$tree/common/banned.h"
if LINT_ROOT=$tree "$top/tests/lint/banned.sh" | grep -q "'strcpy' is not banned"; then
	echo "ok banned_finds_strcpy"
else
	echo "not ok banned_finds_strcpy - nothing found"
fi
make_good_tree
sed -i 's,-include common/banned.h,,' "$tree/Makefile"
if LINT_ROOT=$tree "$top/tests/lint/banned.sh" | grep -q '^not ok banned - Makefile: '; then
	echo "ok banned_finds_build_without"
else
	echo "not ok banned_finds_build_without - nothing found"
fi

make_good_tree
mkdir -p "$tree/build/common"
printf 'int next(void)\n{\n\tstatic int last;\n\n\treturn last++;\n}\n' | ${CC:-cc} -c -x c - -o "$tree/build/common/common.o"
if LINT_ROOT=$tree "$top/tests/lint/globals.sh" | grep -q "^not ok globals - common/common.c:1: .*'last"; then
	echo "ok globals_finds_static"
else
	echo "not ok globals_finds_static - nothing found"
fi

# An option that no test uses, a view that README.md lacks, and a new and a removed option that CHANGELOG.md does not
# mention.
make_good_tree
mkdir -p "$tree/build" "$tree/tests/compat/0.9.0"
printf '#!/bin/sh\necho "Views:"\necho "  -f, --seen     x"\necho "      --unseen   x"\necho\necho "      --tried"\n' >"$tree/build/rwalker-report"
chmod +x "$tree/build/rwalker-report"
echo '`--seen`, `--seen-not`' >"$tree/README$md"
echo 'x --tried; x --unseen' >"$tree/tests/test_x.sh"
printf 'rwalker-report --%s\n' gone seen unseen >"$tree/tests/compat/0.9.0/options"
echo '`--came`' >"$tree/CHANGELOG$md"
out=$(LINT_ROOT=$tree "$top/tests/lint/options.sh")
want="not ok options - CHANGELOG$md:1: does not tell of rwalker-report --gone, which is not as tests/compat/0.9.0/options has it
not ok options - CHANGELOG$md:1: does not tell of rwalker-report --tried, which is not as tests/compat/0.9.0/options has it
not ok options - README$md:1: does not name the view --unseen"
if [[ $out == "$want" ]]; then echo "ok options_finds_silence"; else echo "not ok options_finds_silence - $(head -n 1 <<<"$out")"; fi
echo '`--gone` `--tried`' >"$tree/CHANGELOG$md"
echo '`--unseen`' >>"$tree/README$md"
echo 'x -f; x --unseen-too; x --tried' >"$tree/tests/test_x.sh"
out=$(LINT_ROOT=$tree "$top/tests/lint/options.sh")
if [[ $out == "not ok options - tests/:1: has no test of rwalker-report --unseen" ]]; then
	echo "ok options_finds_untested"
else
	echo "not ok options_finds_untested - $(head -n 1 <<<"$out")"
fi

# A page and a --help that differ both ways.
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
