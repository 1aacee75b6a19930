#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every header of the product compiles alone, and may be included twice. Headers of BPF programs are
# compiled as BPF. The private ABI in bpf/ includes nothing, by design: it gets the kernel's types,
# and is compiled both ways, because the recorder includes it, too.
. "$(dirname "$0")/lint.bash"

cc=${CC:-cc}
clang=${CLANG:-clang-14}
warn=(-std=gnu11 -Wall -Wextra -Werror -Wno-unused-function -D_GNU_SOURCE= -I. -Ibuild)
multiarch=$($cc -print-multiarch 2>/dev/null)
bpf=(-target bpf -mcpu=v3 -std=gnu11 -Wall -Werror -Wno-unused-function
	-I. -idirafter "/usr/include/$multiarch")

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# alone FOLDER FILE: the compiler that compiles what is in the folder has to compile the file.
alone()
{
	mkdir -p "$work/$1"
	printf '#include "%s"\n#include "%s"\n' "$2" "$2" >"$work/$1/${2//\//@}.c"
}

# compile FOLDER COMPILER...: compiles all of a folder in one run, because starting a compiler takes longer than a header.
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

count=0
while IFS= read -r file; do
	count=$((count + 1))
	case $file in
	bpf/*.bpf.h | bpf/kernel.h) alone bpf "$file" ;;
	bpf/*)
		alone bpf_types "$file"
		alone types "$file"
		;;
	*) alone plain "$file" ;;
	esac
done < <(product_files '*.h'; ls tests/*.h)
if command -v "$clang" >/dev/null; then
	compile bpf "$clang" "${bpf[@]}"
	compile bpf_types "$clang" "${bpf[@]}" -include linux/types.h
fi
compile types "$cc" "${warn[@]}" -include linux/types.h
compile plain "$cc" "${warn[@]}"
verdict "$count headers"
