# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A guest of 256 MB in which the OOM killer kills a process while everything is recorded; then a program is started.
# Judged by tests/field/test_oom.sh.
. /lib.sh

cp /bin/work /tmp/late
have_recorder || exit 0
cat >/tmp/course.sh <<'END'
{ while :; do sh -c 'exit 0'; done; } &
forks=$!
hog
echo "hog $?" >/out/hog
/tmp/late 6 2 >/out/late
kill $forks
END
record oom -p 0 --offcpu 0 --wakers -u -f 97 --system-wide -- sh /tmp/course.sh
dmesg | grep -i 'killed process' >/out/killed
grep MemTotal /proc/meminfo >/out/memory
exit 0
