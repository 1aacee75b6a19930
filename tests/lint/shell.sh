#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shell scripts parse and can be executed, and shellcheck has no warnings, if it is installed. It cannot follow variables across
# files (SC2034, SC2154).
. "$(dirname "$0")/lint.bash"

scripts()
{
	files '*.sh' '*.bash'
	grep -lE '^#!/bin/(ba)?sh' .ci/* 2>/dev/null
}

parse()
{
	local file shell

	while IFS= read -r file; do
		shell='bash'
		head -n 1 "$file" | grep -qx '#!/bin/sh' && shell='sh'
		$shell -n "$file" 2>&1 | head -n 1 | sed "s|^|$file:1\t|"
		[[ $file != *.sh || -x $file || $(head -c 2 "$file") != '#!' ]] || printf '%s:1\tis a script, but not executable\n' "$file"
	done < <(scripts)
}

check()
{
	scripts | xargs -r shellcheck -x -s bash -S warning -e SC1091,SC2034,SC2154,SC3043 -f gcc |
		sed -n 's|^\([^:]*:[0-9]*\):[0-9]*: |\1\t|p'
}

findings_from parse
command -v shellcheck >/dev/null && findings_from check
verdict "$(scripts | wc -l) scripts$(command -v shellcheck >/dev/null || echo ', without shellcheck')"
