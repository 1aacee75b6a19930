#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Exports read by the programs that they are made for: speedscope in Chromium, the Firefox Profiler's command.
# These show the same figures as we do. Their npm packages are in $NODE_PACKAGES, outside of the sources; missing ones
# are fetched.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export LC_ALL=C.UTF-8

report=$PWD/${BUILD:-build}/rwalker-report
tools=${NODE_PACKAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/rwalker-node}
[[ -x $report ]] || { echo "not ok viewers - '$report' is not built"; exit 1; }
CHROMIUM=$(command -v chromium || command -v chromium-browser)
export CHROMIUM
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Why a package is missing.
unfetched=$(NODE_PACKAGES=$tools tests/export/packages.sh speedscope@1 @firefox-devtools/profiler-cli puppeteer-core@24)

# missing KIND: what the machine lacks for it.
missing()
{
	local package=@firefox-devtools/profiler-cli
	command -v node >/dev/null || { echo "'node' is not installed"; return; }
	case $1 in
	speedscope | chrome) package=speedscope ;;
	esac
	[[ -d $tools/node_modules/$package ]] || { echo "$unfetched"; return; }
	[[ $1 = speedscope || $1 = chrome ]] || return
	[[ $CHROMIUM ]] || echo "'chromium' is not installed"
	[[ -d $tools/node_modules/puppeteer-core ]] || echo "$unfetched"
}

# check KIND SAMPLE
check()
{
	local lacks said
	lacks=$(missing "$1")
	[[ ! $lacks ]] || { echo "skip $1_$2 - $lacks"; return; }
	said=$(timeout 500 python3 tests/export/viewers_check.py "$1" "$report" "samples/$2/trace.rwk" "$tools" "$scratch" 2>&1)
	verdict "$1_$2" "$(tail -n 4 <<<"$said" | cut -c 1-300 | tr '\n' ' ')" grep -qxE 'compared [1-9][0-9]*' <<<"$said"
	[[ $(wc -l <<<"$said") -eq 1 ]] || not_ok "$1_$2" "$(head -n 3 <<<"$said" | cut -c 1-300 | tr '\n' ' ')"
}

check speedscope cpu_paths
check speedscope waits
check chrome waits
check firefox cpu_paths
check firefox probes
exit $((failures > 0))
