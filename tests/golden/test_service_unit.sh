#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# rwalker-flight.service as systemd reads it: it accepts every line; and how exposed the service is, with and without
# what Debian's package adds. tests/package/test_service.sh tests that it runs.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unit=$scratch/rwalker-flight.service
max_exposure=35 # tenths
export SYSTEMD_COLORS=0

rates() { # NAME
	local said rc
	said=$(systemd-analyze security --offline=true --no-pager --threshold=$max_exposure "$unit" 2>&1)
	rc=$?
	verdict "$1" "it ended with $rc: $(tail -n 1 <<<"$said")" [ $rc = 0 ]
	echo "# figure: $1: $(sed -n 's/.*exposure level for [^:]*: //p' <<<"$said")"
}

command -v systemd-analyze >/dev/null || { echo "skip unit - 'systemd-analyze' is not installed"; exit 77; }
systemd-analyze --help | grep -q -e --offline || { echo "skip unit - this systemd does not rate files"; exit 77; }
sed "s|@BINDIR@|$scratch|; s|@SYSCONFDIR@|/etc|" contrib/systemd/rwalker-flight.service >"$unit"
cp /bin/true "$scratch/rwalker-record" # it only has to exist
said=$(systemd-analyze verify --man=no "$unit" 2>&1 | grep -F rwalker-flight)
verdict "systemd knows every line" "$said" [ -z "$said" ]
verdict "no placeholder is left" "$(grep '@' "$unit" | head -n 1)" lacks '@[A-Z]*@' "$unit"
rates "exposure"
mkdir "$unit.d"
cp debian/perf-event-paranoid.conf "$unit.d/"
rates "exposure with what Debian's package adds"
exit $((failures > 0))
