#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What holds for all files: a licence line, no blanks at the ends of lines, no document cited that does not exist, no
# mutable globals or function statics in the product (constant tables of pointers are in .data.rel.ro), one version.
. "$(dirname "$0")/lint.bash"

texts() { files '*.[chS]' '*.cpp' '*.py' '*.sh' '*.bash' '*.awk' '*.js' '*.mjs' '*.css' '*.sql' '*.[1-8]' Makefile .clang-format; ls .ci/*; }

unlicensed()
{
	texts | xargs grep -LE '^[^A-Za-z]*SPDX-License-Identifier: BSD-2-Clause OR GPL-2[.]0-only' | sed 's/$/:1\thas no licence line/'
}

blanks()
{
	{ texts; files '*.md'; } | xargs grep -nE '[[:blank:]]$|'$'\r' | sed -E 's/^([^:]*:[0-9]+):.*/\1\tblanks or a carriage return at the end/'
}

cited()
{
	{ texts; files '*.md'; } | xargs grep -noE '\b[A-Z][A-Za-z_-]*\.md\b' | while IFS=: read -r file line document; do
		[[ $known == *"/$document"* ]] || printf '%s:%s\t%s is not in the repository\n' "$file" "$line" "$document"
	done
}

mutable()
{
	product_files '*.c' | grep -v '^bpf' | sed -n 's,^\(.*\)\.c$,build/\1.o,p' | xargs ls 2>/dev/null | xargs -r objdump -t | awk '
		/^build\/.*file format/ { file = $1; sub(/^build\//, "", file); sub(/\.o:$/, ".c", file) }
		# value, flags, section, size, name; sizes of sections and files do not count
		/ O / && match($0, /[ \t](\.t?data|\.t?bss)(\.[^ \t]*)?[ \t]/) && substr($0, RSTART + 1) !~ /^\.data\.rel\.ro/ {
			print file ":1\tmutable global or static \x27" $NF "\x27"
		}'
}

versions()
{
	local version
	version=$(sed -n 's/^VERSION := //p' Makefile)
	grep -q "^rwalker ($version-" debian/changelog || printf 'debian/changelog:1\tis not of version %s\n' "$version"
}

known=$(files '*.md' | sed 's,.*/,/,; s,^[^/],/&,')
for check in unlicensed blanks cited mutable versions; do findings_from $check; done
verdict "$(texts | wc -l) files"
