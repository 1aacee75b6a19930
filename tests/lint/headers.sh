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

# alone FILE COMPILER...
alone()
{
	local file=$1 out
	shift
	out=$(printf '#include "%s"\n#include "%s"\n' "$file" "$file" | "$@" -fsyntax-only -x c - 2>&1) && return
	finding "$file:1" "does not compile alone with ${1##*/}: $(grep -m 1 -E 'error' <<<"$out")"
}

as_bpf()
{
	local file=$1
	shift
	command -v "$clang" >/dev/null && alone "$file" "$clang" "${bpf[@]}" "$@"
}

count=0
while IFS= read -r file; do
	count=$((count + 1))
	case $file in
	bpf/*.bpf.h | bpf/kernel.h) as_bpf "$file" ;;
	bpf/*)
		as_bpf "$file" -include linux/types.h
		alone "$file" "$cc" "${warn[@]}" -include linux/types.h
		;;
	*) alone "$file" "$cc" "${warn[@]}" ;;
	esac
done < <(product_files '*.h'; ls tests/*.h)
verdict "$count headers"
