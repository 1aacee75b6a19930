#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every header of the product compiles alone, and may be included twice. Headers of BPF programs are
# compiled as BPF. The private ABI in bpf/ includes nothing, by design: it gets the kernel's types,
# and is compiled both ways, because the recorder includes it, too. A header that has a guard and is the first include
# of the source with the same name was already compiled alone with that source, except for the standard headers of
# common/banned.h. CHECK_LEVEL=long compiles it here, too.
. "$(dirname "$0")/lint.bash"

cc=${CC:-cc}
clang=${CLANG:-clang-14}
warn=(-std=gnu11 -Wall -Wextra -Werror -Wno-unused-function -D_GNU_SOURCE= -I. -Ibuild)
multiarch=$($cc -print-multiarch 2>/dev/null)
bpf=(-target bpf -mcpu=v3 -std=gnu11 -Wall -Werror -Wno-unused-function
	-I. -idirafter "/usr/include/$multiarch")

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# alone FOLDER FILE: the file must compile with the compiler for that folder.
alone()
{
	mkdir -p "$work/$1"
	printf '#include "%s"\n#include "%s"\n' "$2" "$2" >"$work/$1/${2//\//@}.c"
}

# compile FOLDER COMPILER...: compiles all of a folder in one run, because starting a compiler takes longer than
# compiling a header.
compile()
{
	local folder=$1 file out
	shift
	[[ -d $work/$folder ]] || return
	out=$("$@" -fsyntax-only "$work/$folder"/*.c 2>&1) && return
	for file in "$work/$folder"/*.c; do
		out=$("$@" -fsyntax-only "$file" 2>&1) && continue
		file=${file##*/} file=${file%.c}
		finding "${file//@//}:1" "does not compile alone with ${1##*/}: $(grep -m 1 -E 'error' <<<"$out")"
	done
}

# built_alone FILE: whether its own source shows that it compiles alone.
built_alone()
{
	local line lines guard='^#ifndef [A-Z0-9_]+_H$'

	[[ -r ${1%.h}.c ]] || return
	mapfile -t -n 60 lines <"${1%.h}.c"
	for line in "${lines[@]}"; do
		[[ $line != '#include '* ]] || break
	done
	[[ $line == "#include \"$1\"" ]] || return
	mapfile -t lines <"$1"
	for line in "${lines[@]}"; do
		[[ $line != '#include '* ]] || return
		[[ ! $line =~ $guard ]] || return 0
	done
	return 1
}

count=0 built=0
while IFS= read -r file; do
	count=$((count + 1))
	case $file in
	bpf/*.bpf.h | bpf/kernel.h) alone bpf "$file" ;;
	bpf/*)
		alone bpf_types "$file"
		alone types "$file"
		;;
	*)
		if [[ ${CHECK_LEVEL:-check} != long ]] && built_alone "$file"; then
			built=$((built + 1))
		else
			alone plain "$file"
		fi
		;;
	esac
done < <(product_files '*.h'; ls tests/*.h)
if command -v "$clang" >/dev/null; then
	compile bpf "$clang" "${bpf[@]}"
	compile bpf_types "$clang" "${bpf[@]}" -include linux/types.h
fi
compile types "$cc" "${warn[@]}" -include linux/types.h
compile plain "$cc" "${warn[@]}"
verdict "$count headers, $built of them by their sources"
