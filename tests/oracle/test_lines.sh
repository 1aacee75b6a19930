#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# time-limit: 1500
# Function, file:line and inlined calls of random text addresses, compared with llvm-symbolizer's, for the forms of
# DWARF that compilers and packagers make (CHECK_LEVEL=long: more sources, 20,000 addresses of each). If llvm-symbolizer
# cannot read a form, it reads the file that the form was made from. What is not read (split units, zstd) is said.
# tests/oracle/lines_known.txt explains what may differ.
set -u
cd "$(dirname "$0")/../.." || exit 1
LC_ALL=C
export LC_ALL

lines=$PWD/${BUILD:-build}/tests/oracle/lines
symbolizer=$(command -v llvm-symbolizer-14 || command -v llvm-symbolizer)
[[ -x $lines ]] || { echo "not ok lines - '$lines' is not built"; exit 1; }
[[ $symbolizer ]] || { echo "skip lines - 'llvm-symbolizer' is not installed"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
[[ ${CHECK_LEVEL:-check} = long ]] && long=1 || long=
count=${long:+20000}

# judge NAME FILE OPTION...: compares one file with the oracle.
judge()
{
	local name=$1 file=$2 out
	shift 2
	if out=$(python3 tests/oracle/lines_check.py --known tests/oracle/lines_known.txt --show 2 --count "${count:-2000}" "$@" "$lines" "$symbolizer" \
		"$file" 2>&1); then
		echo "# $out" | head -n 1
		grep '^#   [a-z]' <<<"$out"
		echo "ok lines_$name"
	else
		echo "$out" | sed 's/^#*/#/' | cut -c 1-400 | head -n 30
		echo "not ok lines_$name - $(grep -v '^#' <<<"$out" | tail -n 1)"
		failed=1
	fi
}

# made NAME FILE COMMAND...: makes FILE. A tool may be missing; but a compilation must succeed.
made()
{
	local name=$1 file=$2 why
	shift 2
	"$@" >"$dir/out" 2>&1 && [[ -s $file ]] && return
	why="$1 cannot make it: $(head -n 1 "$dir/out" | cut -c 1-100)"
	if ! command -v "$1" >/dev/null; then
		echo "skip lines_$name - $why"
	else
		echo "not ok lines_$name - $why"
		failed=1
	fi
	return 1
}

GLOBIGNORE='common/*/arch_*' # they are alternatives
sources=(common/*.c report/view/*tree.c report/view/tasks.c report/wait/chains.c)
lto_sources=(common/*.c report/view/*tree.c report/wait/chain*.c)
[[ $long ]] && sources=(common/*.c common/*/*.c report/view/*.c report/wait/*.c report/export/*.c) && lto_sources=("${sources[@]}")
c_flags=(-std=gnu11 -I. -D_GNU_SOURCE= -DRWALKER_VERSION='""' -w -shared -fPIC -O2 -g "-Wl,--build-id")
templates=(${long:+-DWITH_REGEX} tests/oracle/lines/templates.cpp)

# C and C++, DWARF 5 and 4.
made c_gcc_5 "$dir/c5" gcc "${c_flags[@]}" -gdwarf-5 -o "$dir/c5" "${sources[@]}" && judge c_gcc_5 "$dir/c5"
made cxx_gcc_4 "$dir/x4" g++ -std=c++17 -O2 -g -gdwarf-4 -Wl,--build-id -o "$dir/x4" "${templates[@]}" && judge cxx_gcc_4 "$dir/x4"

# LTO, and functions in sections of their own, most of which are dropped.
# Without the symbols that gcc gives to places in .debug_info: the oracle would use them as functions at these
# addresses.
# shellcheck disable=SC2317 # made() calls it
link_all()
{
	gcc "${c_flags[@]}" -flto -flto-partition=balanced --param=lto-min-partition=1000 -o "$1" "${lto_sources[@]}" &&
		objcopy -w --strip-symbol='*.c.????????' "$1"
}
made c_lto "$dir/lto" link_all "$dir/lto" && judge c_lto "$dir/lto"
printf '{ global: chains_*; tree_*; histogram_*; printable_*; hash_map_*; local: *; };\n' >"$dir/exports"
dropping=("${c_flags[@]}" -ffunction-sections "-Wl,--gc-sections" "-Wl,--version-script=$dir/exports")
made c_sections_lld "$dir/gcl" clang-14 "${dropping[@]}" -fuse-ld=lld-14 -o "$dir/gcl" "${sources[@]}" &&
	judge c_sections_lld "$dir/gcl"

# Split: lines are known, functions are not read.
printf 'static inline int g(int x) { return x * x; }\nint f(int x) { return g(x) + 1; }\n' >"$dir/split.c"
for version in 4 5; do
	made "c_split_$version" "$dir/split" gcc "-gdwarf-$version" -gsplit-dwarf -O2 -shared -fPIC "-Wl,--build-id" -o "$dir/split" "$dir/split.c" || continue
	nm "$dir/split" | sed -n 's/ T f$//p' | "$lines" "$dir/split" >"$dir/out" 2>"$dir/said"
	if [[ $(<"$dir/out") = *f*/split.c:1* && $(<"$dir/said") = *cross-device* ]]; then
		echo "ok lines_c_split_$version"
	else
		echo "not ok lines_c_split_$version - $(tr '\n' ' ' <"$dir/out") $(<"$dir/said")"
		failed=1
	fi
done

# Compressed and shared, and a separate debug file. The oracle reads the original.
for how in zlib ${long:+zlib-gnu}; do
	made "c_$how" "$dir/c5.$how" objcopy "--compress-debug-sections=$how" "$dir/c5" "$dir/c5.$how" &&
		judge "c_$how" "$dir/c5.$how" --reference "$dir/c5"
done
made c_debug_file "$dir/c5.debug" objcopy --only-keep-debug "$dir/c5" "$dir/c5.debug" &&
	judge c_debug_file "$dir/c5.debug" --reference "$dir/c5"
cp "$dir/lto" "$dir/lto.dwz" && cp "$dir/x4" "$dir/x4.dwz"
if made c_dwz "$dir/shared.debug" dwz -m "$dir/shared.debug" -r "$dir/lto.dwz" "$dir/x4.dwz"; then
	judge c_dwz "$dir/lto.dwz" --reference "$dir/lto"
	judge cxx_dwz "$dir/x4.dwz" --reference "$dir/x4"
	# Found by build-id, wherever the name points to.
	id=$(readelf -n "$dir/shared.debug" | sed -n 's/.*Build ID: //p')
	mkdir -p "$dir/debug/.build-id/${id:0:2}"
	mv "$dir/shared.debug" "$dir/debug/.build-id/${id:0:2}/${id:2}.debug"
	judge cxx_dwz_by_id "$dir/x4.dwz" --reference "$dir/x4" --debug-dir "$dir/debug"
fi

if command -v rustc >/dev/null; then
	cat >"$dir/names.rs" <<-'RUST'
		use std::collections::{BTreeMap, HashMap};
		fn main() {
		    let words: Vec<String> = std::env::args().chain("a bb ccc".split(' ').map(String::from)).collect();
		    let mut by_length: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
		    for word in &words { by_length.entry(word.len()).or_default().push(word); }
		    let counts: HashMap<char, usize> = words.iter().flat_map(|w| w.chars()).fold(HashMap::new(), |mut m, c| { *m.entry(c).or_insert(0) += 1; m });
		    let mut sorted: Vec<_> = counts.into_iter().filter(|(c, _)| c.is_alphanumeric()).collect();
		    sorted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
		    println!("{:?} {:?}", by_length, sorted);
		}
	RUST
	made rust "$dir/rust" rustc -O -g -o "$dir/rust" "$dir/names.rs" && judge rust "$dir/rust"
else
	echo "skip lines_rust - 'rustc' is not installed"
fi
exit $failed
