#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# drop_lines.sh OBJECT OBJCOPY: takes the numbers of source lines, which are two thirds of .BTF.ext, out of a BPF object.
# Only a verifier's log would show them. .BTF.ext is a header, then functions, lines and relocations, in this order; each
# offset is from the header's end (include/uapi/linux/btf.h has .BTF, libbpf's btf.h has struct btf_ext_header).
set -e
object=$1 objcopy=$2 before=$1.ext after=$1.less
trap 'rm -f "$before" "$after"' EXIT

word() { # offset
	od -An -tu4 -j "$1" -N 4 "$before" | tr -d ' '
}

put_word() { # number
	printf '%b' "$(printf '\\0%03o\\0%03o\\0%03o\\0%03o' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24)))"
}

part() { # from to
	tail -c +$(($1 + 1)) "$before" | head -c $(($2 - $1))
}

"$objcopy" --dump-section .BTF.ext="$before" "$object"
head=$(word 4) lines=$(word 16) relocations=$(word 24) size=$(wc -c <"$before")
if [ $(($(word 8) + $(word 12))) -ne "$lines" ] || [ $((lines + $(word 20))) -ne "$relocations" ]; then
	echo "'$object': the parts of .BTF.ext are in another order" >&2
	exit 1
fi
{
	part 0 20
	put_word 0          # bytes of lines
	put_word "$lines"   # where relocations begin
	part 28 $((head + lines))
	part $((head + relocations)) "$size"
} >"$after"
"$objcopy" --update-section .BTF.ext="$after" "$object"
