# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Stalls made on purpose while the recorder keeps the last seconds: each goes on until its rule has made a dump, which
# becomes /out/STALL.rwk. Lines "stall STALL BEGIN" give its begin. Judged by tests/field/test_stalls.sh.
. /lib.sh

groups=/sys/fs/cgroup

has_begun() { [ "$(sed -n 's/^Seccomp:\t//p' "/proc/$recorder/status")" = 2 ]; }
made() { grep -q "^rwalker-record: dump .* ('$1')" /out/flight.err; } # RULE: has a dump for this stall
begins() { # STALL
	sleep 10 # until the window no longer has the previous stall
	cat /out/flight.err >>/out/said
	: >/out/flight.err
	echo "stall $1 $(now)" >>/out/truth
}
# held STALL RULE: waits for its dump
held() {
	until_true 300 made "$2" || { cat $groups/*/cpu.pressure $groups/*/cpu.stat; return; }
	cp "$(sed -n "s|.* ('$2').* in '\(.*\)'|\1|p" /out/flight.err | head -n 1)" "/out/$1.rwk"
}

# in_group GROUP COMMAND...: runs it in the control group in the background; sets $started to its pid.
in_group() {
	group=$groups/$1
	shift
	sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >>/out/truth 2>>/out/waiters.err &
	started=$!
	until_true 300 grep -qx $started "$group/cgroup.procs"
}

devices_make || exit 1
echo "+cpu +memory" >$groups/cgroup.subtree_control
mkdir $groups/hogs $groups/slow $groups/tight
echo "20000 100000" >$groups/slow/cpu.max
echo 8M >$groups/tight/memory.high
have_recorder || exit 0
: >/out/said
rwalker-record --flight 8s,8M -p 0 -f 99 --offcpu 0 --wakers -u --trigger 'stuck:D>3s' --trigger 'cpu:hogs>80%/2s' \
	--trigger 'psi:slow/cpu.some>50%/2s' --trigger 'psi:tight/memory.some>20%/2s' \
	--trigger 'wait:comm=/^w-flock$/>2s' --trigger 'wait:comm=/^w-mutex$/>2s' --cooldown 2s --max-dumps 0 \
	-o /tmp/dump 2>>/out/flight.err &
recorder=$!
until_true 1200 has_begun

begins device
dm suspend raw || exit 1
start w-write write "$raw" 4096
held device 'stuck:D>3s'
dm resume raw

begins frozen
fsfreeze --freeze /mnt/b
start w-create create /mnt/b/new
held frozen 'stuck:D>3s'
fsfreeze --unfreeze /mnt/b

begins mmap
dm suspend raw || exit 1
mmlock "$raw" >>/out/truth 2>>/out/waiters.err &
held mmap 'stuck:D>3s'
dm resume raw

begins flock
start w-flock flock /mnt/a/lock 3
held flock 'wait:comm=/^w-flock$/>2s'

begins mutex
start w-mutex mutex - 3
held mutex 'wait:comm=/^w-mutex$/>2s'

begins hog
in_group hogs waiter w-hog spin
held hog 'cpu:hogs>80%/2s'
kill -KILL $started

begins slow
in_group slow waiter w-slow spin
held slow 'psi:slow/cpu.some>50%/2s'
kill -KILL $started

begins tight
in_group tight waiter w-eat eat - 64
held tight 'psi:tight/memory.some>20%/2s'
kill -KILL $started

kill -INT $recorder
wait $recorder
echo "exit $?" >>/out/truth
cat /out/flight.err >>/out/said
mv /out/said /out/flight.err
exit 0
