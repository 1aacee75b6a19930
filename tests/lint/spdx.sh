#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Every source has the licence line, once, in its first two lines, and no other licence text.
. "$(dirname "$0")/lint.bash"

judge()
{
	{ files '*.[chS]' '*.cpp' '*.py' '*.sh' '*.bash' '*.awk' '*.js' '*.mjs' '*.css' '*.sql' '*.[1-8]' Makefile .clang-format; ls .ci/* 2>/dev/null; } |
		xargs -r awk '
	BEGIN { line = "^[^A-Za-z]*SPDX-License-Identifier: BSD-2-Clause OR GPL-2[.]0-only" }
	function close_file() {
		if (file != "" && !found)
			print file ":1\tno line \"SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only\" at the top"
	}
	FNR == 1 { close_file(); file = FILENAME; found = 0 }
	$0 ~ line && found { print FILENAME ":" FNR "\ta second licence line" }
	$0 ~ line && FNR <= 2 { found = 1 }
	tolower($0) ~ /permission is [h]ereby granted|[r]edistribution and use in source/ {
		print FILENAME ":" FNR "\tlicence text: the SPDX line is enough"
	}
	END { close_file() }'
}

findings_from judge
verdict "$(product_files '*' | wc -l) files and those of tests/ and samples/"
