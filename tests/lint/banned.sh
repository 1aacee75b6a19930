#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Each function that common/banned.h bans fails to compile, and the Makefile includes the header everywhere.
. "$(dirname "$0")/lint.bash"

mapfile -t names < <(sed -n 's/^#pragma GCC poison //p' common/banned.h | tr ' ' '\n')

all_errors=-fmax-errors=0
[[ $(${CC:-cc} --version) != *clang* ]] || all_errors=-ferror-limit=0

# Indexes of the names that do not compile; the last name is not banned.
refused=$(for name in "${names[@]}" memcpy; do
	echo "void *use_$name(void); void *use_$name(void) { return (void *)$name; }"
done | ${CC:-cc} -std=gnu11 -D_GNU_SOURCE= -include common/banned.h $all_errors -fsyntax-only -x c - 2>&1 |
	sed -n 's/^<stdin>:\([0-9]*\):.*poisoned.*/\1/p')

number=0
for name in "${names[@]}"; do
	grep -qx $((++number)) <<<"$refused" || finding common/banned.h "'$name' compiles"
done
for name in strcpy sprintf strtok atoi; do
	[[ " ${names[*]} " == *" $name "* ]] || finding common/banned.h "'$name' is not banned"
done
grep -qx $((++number)) <<<"$refused" && finding common/banned.h "the check itself is broken: memcpy is refused"
grep -q -e '-include common/banned.h' Makefile || finding Makefile "does not force common/banned.h into every build"
verdict "${#names[@]} functions"
