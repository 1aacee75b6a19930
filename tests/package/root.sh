#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# root.sh : makes a Debian 12 with systemd and nothing else, from the archive that apt is configured for:
# build/package/root.tar, which is made only once. Prints its name. Exit: 77 if it cannot be made here (the last line
# on stderr says why).
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
root=$top/build/package/root.tar

say() { echo "root.sh: $*" >&2; }

mkdir -p "$top/build/package"
exec 9>"$top/build/package/lock"
flock 9 # one at a time: the second one finds it
[ ! -e "$root" ] || { echo "$root"; exit 0; }
command -v mmdebstrap >/dev/null || { say "'mmdebstrap' is not installed"; exit 77; }
sources=/etc/apt/sources.list.d/debian.sources
[ -e "$sources" ] || sources=/etc/apt/sources.list
# mmdebstrap's parts are programs for the system's Python, which starts some hundred times.
if ! PATH=/usr/sbin:/usr/bin:/sbin:/bin mmdebstrap --quiet --variant=minbase --include=systemd,adduser --dpkgopt='path-exclude=/usr/share/man/*' \
	--dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
	bookworm "$root.new.tar" <"$sources" >"$root.log" 2>&1; then
	say "mmdebstrap: $(grep -a '^E:' "$root.log" | tail -n 1)"
	exit 77
fi
mv "$root.new.tar" "$root"
echo "$root"
