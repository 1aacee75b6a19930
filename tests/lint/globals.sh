#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# No mutable globals and no function statics: the product's objects have nothing in .data or .bss.
# Constant tables of pointers are in .data.rel.ro, which is allowed.
. "$(dirname "$0")/lint.bash"

objects()
{
	product_files '*.c' | sed -n 's,^\(.*\)\.c$,build/\1.o,p' | grep -v '\.bpf\.o$' |
		while IFS= read -r object; do
			[[ -f $object ]] && echo "$object"
		done
}

mutable()
{
	objects | xargs -r objdump -t 2>/dev/null | awk '
		/^build\/.*file format/ { file = $1; sub(/^build\//, "", file); sub(/\.o:$/, ".c", file) }
		# value, flags, section, size, name; sizes of sections and files do not count
		match($0, /[ \t](\.t?data|\.t?bss)(\.[^ \t]*)?[ \t]/) {
			section = substr($0, RSTART + 1, RLENGTH - 2)
			if (section !~ /^\.data\.rel\.ro/ && $0 ~ / O /)
				print file ":1\tmutable global or static \x27" $NF "\x27"
		}'
}

[[ $(objects) ]] || { echo "skip $lint - nothing is built"; exit 77; }
findings_from mutable
verdict "$(objects | wc -l) objects"
