#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Shell scripts have no warnings by shellcheck, which cannot follow variables across files (SC2034, SC2154).
. "$(dirname "$0")/lint.bash"

command -v shellcheck >/dev/null || without shellcheck

check()
{
	{ files '*.sh' '*.bash'; grep -lE '^#!/bin/(ba)?sh' .ci/*; } |
		xargs shellcheck -x -s bash -S warning -e SC1091,SC2034,SC2154,SC3043 -f gcc | sed -n 's|^\([^:]*:[0-9]*\):[0-9]*: |\1\t|p'
}

findings_from check
verdict "$(files '*.sh' | wc -l) scripts"
