# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# For tests that need tracefs, as tracepoints of single system calls do: if it is not mounted, the test runs again in a
# mount namespace of its own. Source it before lib.sh.
tracing=/sys/kernel/tracing
if [ ! -d $tracing/events ] && [ "$(id -u)" -eq 0 ] && [ -z "${TRACEFS_MOUNTED-}" ]; then
	TRACEFS_MOUNTED=1 exec unshare -m sh -c 'mount -t tracefs none "$0"; exec "$1"' $tracing "$0"
fi
