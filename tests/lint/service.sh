#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The units: systemd understands every line, and rates their exposure at 3.5 or less (0: nothing, 10: all). The
# options in their file of options exist.
. "$(dirname "$0")/lint.bash"

most=35 # tenths

systemd-analyze --help 2>/dev/null | grep -q -e --offline || without 'systemd-analyze of systemd 250 or later'
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A unit as `make install` writes it, but with a program that exists.
installed() { sed 's|@BINDIR@/[a-z-]*|/bin/true|; s|@SYSCONFDIR@|/etc|' "$1" >"$dir/$(basename "$1")"; }

judge()
{
	local unit name

	files '*.service' | while IFS= read -r unit; do
		name=$(basename "$unit")
		installed "$unit"
		systemd-analyze verify --man=no --recursive-errors=no "$dir/$name" 2>&1 |
			sed -n "s|^.*$name:\([0-9]*\): |$unit:\1\t|p; t; s|^$name: |$unit:1\t|p"
		systemd-analyze security --offline=true --threshold=$most "$dir/$name" >"$dir/rated" 2>&1 ||
			printf '%s:1\t%s\n' "$unit" "$(tail -n 1 "$dir/rated")"
	done
}

options()
{
	build/rwalker-record --config record/service/flight.conf --version 2>&1 >/dev/null |
		sed 's|^rwalker-record: |record/service/flight.conf:1\t|'
}

findings_from judge
[[ ! -x build/rwalker-record || ! -f record/service/flight.conf ]] || findings_from options
verdict "$(files '*.service' | wc -l) units"
