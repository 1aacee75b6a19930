#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Makes the pictures of the page in docs/ from a sample, which has no private names.
# Needs chromium, and puppeteer-core in $NODE_PACKAGES (tests/export/test_page.sh).
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
NODE_PACKAGES=${NODE_PACKAGES:-${XDG_CACHE_HOME:-$HOME/.cache}/rwalker-node}
export NODE_PACKAGES

build/rwalker-report --no-cache --html samples/case_fsync/trace.rwk -o "$scratch/page.html" &&
	mkdir -p docs && node tests/page/screenshots.mjs "$scratch/page.html" docs && ls -l docs/page-*.png
