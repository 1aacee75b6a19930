#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Programs whose DWARF is split off into loose .dwo files: lines and inlined functions are those of the source, in the
# sandbox and without it, with the files in the folder of compilation or beside the program. A file that is not that
# unit's is not used, and the report says so.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

build=$PWD/${BUILD:-build}
report=$build/rwalker-report named_trace=$build/tests/fault/named_trace
for program in "$report" "$named_trace"; do
	[[ -x $program ]] || { echo "not ok split_dwarf - '$program' is not built"; exit 1; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# "here" is in an inlined function; the symbol gives its address, and is then removed, because it would be used as a
# name.
cat >"$scratch/source.c" <<'END'
struct pair { int first, second; };
static volatile int sink;
static inline __attribute__((always_inline)) void inner(struct pair *pair)
{
	pair->first += sink;
	__asm__ volatile(".globl here\nhere: nop" ::: "memory"); /* mark: inner */
}
static inline __attribute__((always_inline)) void middle(struct pair *pair)
{
	inner(pair); /* mark: middle */
	sink += pair->second;
}
__attribute__((noinline)) int real(int number)
{
	struct pair pair = {number, sink};

	middle(&pair); /* mark: real */
	return pair.first;
}
int main(void)
{
	return real(1);
}
END

line_of() { grep -n "mark: $1 " "$scratch/source.c" | cut -d : -f 1; }

# compile FOLDER FLAG...: makes a program there, with a .dwo beside it, and a trace of it.
compile()
{
	local folder=$1
	shift
	mkdir -p "$folder"
	(cd "$folder" && gcc -O2 -g -gsplit-dwarf -Wl,--build-id "$@" -o program ../source.c) || return
	here=0x$(nm "$folder/program" | awk '$3 == "here" { print $1 }')
	objcopy --strip-symbol=here "$folder/program" && trace_of "$folder"
}

# trace_of FOLDER: a trace of the program there, with one sample at $here.
trace_of()
{
	local id
	id=$(readelf -n "$1/program" | awk '/Build ID/ { print $3 }')
	"$named_trace" "$scratch/t.rwk" "$here" "$1/program" "$id"
}

# tree NAME ARGUMENT...: $scratch/tree and errors have the report.
tree()
{
	exits "$1" 0 timeout -k 5 60 "$report" --no-pager --tree "${@:2}" "$scratch/t.rwk" &&
		cp "$scratch/out" "$scratch/tree" && cp "$scratch/err" "$scratch/errors"
}

# is_whole NAME, is_short NAME: the last tree has the inlined functions with their lines, or none of them and says why.
is_whole()
{
	local frame
	for frame in 'real' 'middle [inlined]' 'inner [inlined]'; do
		verdict "$1_${frame%% *}" "$(grep -c . "$scratch/tree") lines, none with it" \
			grep -qF " $frame source.c:$(line_of "${frame%% *}")" <(sed 's/+0x[0-9a-f]*//' "$scratch/tree")
	done
	verdict "$1_account" "$(cat "$scratch/tree" "$scratch/errors")" lacks 'inlined functions of' "$scratch/tree"
}

is_short()
{
	verdict "$1_lacks" "an inlined function" lacks 'inlined\]' "$scratch/tree"
	verdict "$1_says" "$(tail -n 3 "$scratch/tree")" grep -q "program' are unknown: a file with its DWARF .* was not found" "$scratch/tree"
}

# Every form: the same with and without the sandbox.
check_form() # NAME FLAG...
{
	local name=$1
	if ! compile "$scratch/$name" "${@:2}" 2>"$scratch/why"; then
		echo "skip split_$name - gcc cannot make it: $(head -n 1 "$scratch/why")"
		return
	fi
	tree "${name}_sandbox" --no-cache
	is_whole "$name"
	cp "$scratch/tree" "$scratch/sandboxed"
	tree "${name}_no_sandbox" --no-cache --no-sandbox
	verdict "${name}_same" "$(diff "$scratch/sandboxed" "$scratch/tree" | head -n 5)" cmp -s "$scratch/sandboxed" "$scratch/tree"
}

check_form dwarf_4 -gdwarf-4
check_form dwarf_5 -gdwarf-5
check_form types -gdwarf-5 -fdebug-types-section
check_form compressed -gdwarf-5 -gz

# The folder of compilation is gone, and the program is elsewhere with its .dwo.
compile "$scratch/there" -gdwarf-5
mkdir "$scratch/here"
mv "$scratch/there"/* "$scratch/here"
trace_of "$scratch/here"
tree beside --no-cache
is_whole beside

# The same file, which is only below another root.
mkdir -p "$scratch/root$scratch/here"
mv "$scratch/here"/* "$scratch/root$scratch/here"
tree symfs --no-cache --symfs "$scratch/root"
is_whole symfs
mv "$scratch/root$scratch/here"/* "$scratch/here"

# The path leads to something else. The report must not wait for a FIFO.
dwo=$(echo "$scratch/here"/*.dwo)
mv "$dwo" "$scratch/kept"
tree gone --no-cache
is_short gone
sed 's/number, sink/sink, number/' "$scratch/source.c" >"$scratch/other.c"
(cd "$scratch/here" && gcc -O2 -g -gdwarf-5 -gsplit-dwarf -c -o "$scratch/other.o" "$scratch/other.c") && mv "$scratch/other.dwo" "$dwo"
tree other --no-cache
is_short other
rm "$dwo"
mkfifo "$dwo"
for how in --no-cache --no-sandbox; do
	tree "fifo$how" --no-cache $how
	is_short "fifo$how"
done
exits fifo_needs 0 timeout -k 5 60 "$report" --no-cache --needs "$scratch/t.rwk"
rm "$dwo"
mv "$scratch/kept" "$dwo"

# The cache keeps nothing of a file that another user could write.
cached() # NAME CHECK MODE: a report, then one without the file
{
	chmod "$3" "$dwo"
	tree "$1_filled" --cache "$scratch/$1.cache"
	is_whole "$1_filled"
	mv "$dwo" "$scratch/kept"
	tree "$1_used" --cache "$scratch/$1.cache"
	"$2" "$1_used"
	mv "$scratch/kept" "$dwo"
}
cached ours is_whole 644
cached shared is_short 666
exit $((failures > 0))
