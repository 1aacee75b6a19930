#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# packages.sh PACKAGE[@VERSION]...: fetches the npm packages that are missing in $NODE_PACKAGES, a folder outside of
# the sources. Tests run side by side and npm needs the folder for itself, so one runs at a time. On failure it prints
# npm's reason on stdout and exits with 1.
folder=${NODE_PACKAGES:?}
command -v npm >/dev/null || { echo "'npm' is missing (apt-get install npm)"; exit 1; }
mkdir -p "$folder" || exit 1
exec 9>"$folder/.lock"
flock 9
[ -e "$folder/package.json" ] || echo '{"private": true}' >"$folder/package.json"
missing=
for package; do
	name=${package%@*}
	[ -d "$folder/node_modules/${name:-$package}" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
# shellcheck disable=SC2086 # one word for each package
said=$(npm install --no-audit --no-fund --prefix "$folder" $missing 2>&1) && exit
echo "npm cannot fetch$missing: $(echo "$said" | grep -m 1 -i error)"
exit 1
