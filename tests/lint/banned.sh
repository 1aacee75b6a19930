#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Each function that common/banned.h bans fails to compile, and the Makefile includes the header everywhere.
. "$(dirname "$0")/lint.bash"

refused()
{
	echo "void *use(void); void *use(void) { return (void *)$1; }" |
		${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -include common/banned.h -fsyntax-only -x c - 2>&1 |
		grep -q 'poisoned'
}

names=$(sed -n 's/^#pragma GCC poison //p' common/banned.h)
for name in $names; do
	refused "$name" || finding common/banned.h "'$name' compiles"
done
for name in strcpy sprintf strtok atoi; do
	grep -qw "$name" <<<"$names" || finding common/banned.h "'$name' is not banned"
done
refused memcpy && finding common/banned.h "the check itself is broken: memcpy is refused"
grep -q -e '-include common/banned.h' Makefile || finding Makefile "does not force common/banned.h into every build"
verdict "$(wc -w <<<"$names") functions"
