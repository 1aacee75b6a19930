#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The top of the tree has the files that people look for there, and no others: files left behind by a test or a person
# are not committed. Files that git does not track do not count; without git, as in an archive, all do.
. "$(dirname "$0")/lint.bash"

readonly KNOWN='ARCHITECTURE.md BENCH.md CHANGELOG.md CONTRIBUTING.md LICENSE-BSD-2-Clause LICENSE-GPL-2.0 Makefile README.md SECURITY.md
	.clang-format .gitignore'

at_top()
{
	if [[ -e .git ]] && command -v git >/dev/null; then
		git ls-files -- ':(glob)*'
	else
		find . -maxdepth 1 -type f ! -name .git -printf '%P\n'
	fi
}

strays()
{
	at_top | sort | comm -23 - <(tr -s ' \n\t' '\n' <<<"$KNOWN" | sort) |
		sed 's/$/:1\tdoes not belong at the top of the tree; if it does, add it to the list in tests\/lint\/top.sh/'
}

findings_from strays
verdict "$(at_top | wc -l) files at the top of the tree"
