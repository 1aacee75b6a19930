# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Shared by the guest's test scripts. Truth lines (guest.h) are collected in /out/truth, times of commands (stopwatch.c) in /out/times.

now() { stopwatch; }

# Whether to run the turns of the long level; each recording verifies its BPF programs for seconds.
is_long() { grep -qw level=long /proc/cmdline; }

have_recorder() { [ -x /bin/rwalker-record ]; }

# The two file systems and the raw device on the disk, each behind a device-mapper target: $fs_a $fs_b $raw
devices_make() {
	fs_a=$(dm create a 65536 linear "/dev/vdb 0")
	fs_b=$(dm create b 65536 linear "/dev/vdb 65536")
	raw=$(dm create raw 65536 linear "/dev/vdb 131072")
	slow=$(dm create slow 65536 delay "/dev/vdb 131072 50")
	mount -t ext4 "$fs_a" /mnt/a && mount -t ext4 "$fs_b" /mnt/b
}

start() { # ARGS of waiter
	waiter "$@" >>/out/truth 2>>/out/waiters.err &
	started=$!
}

# until_true N COMMAND... : waits at most N tenths of a second for the command to succeed
until_true() {
	left=$1
	shift
	while ! "$@"; do
		left=$((left - 1))
		[ $left -gt 0 ] || { echo "VM-FAIL: not within time: $*"; return 1; }
		sleep 0.1
	done
}

larger() { [ "$(stat -c %s "$1" 2>/dev/null || echo 0)" -gt "$2" ]; }

# written FILE [TIMES] : waits until the recorder has written to it that many times (2). It then has everything that
# happened before, provided that events go on.
written() {
	# shellcheck disable=SC2034
	for _ in $(seq "${2:-2}"); do until_true 600 larger "$1" "$(stat -c %s "$1" 2>/dev/null || echo 0)"; done
}

state_of() { sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null; }

told() { grep -q "^truth $1 " /out/truth; }

tid_of() { awk -v name="$1" '$1 == "truth" && $2 == name { print $3 }' /out/truth; }

in_state() { told "$1" && [ "$(state_of "$(tid_of "$1")")" = "$2" ]; }


# record NAME ARGS... : one run of the recorder; its trace, output and time are stored under NAME
record() {
	record_name=$1
	shift
	stopwatch "$record_name" "${interrupt:-0}" rwalker-record -o "/out/$record_name.rwk" "$@" \
		>"/out/$record_name.out" 2>"/out/$record_name.err" </dev/null
}

# record_claims : records processes of which something false is easily said. Judged with tests/live/objects_check.py.
record_claims() {
	claims /tmp/direct >/out/claims.truth 2>/out/claims.said &
	claims=$!
	until_true 300 grep -q ^ready /out/claims.truth
	mkdir /sys/fs/cgroup/iced
	for comm in w-iced w-spin; do awk -v comm=$comm '$1 == comm { print $2 }' /out/claims.truth >/sys/fs/cgroup/iced/cgroup.procs; done
	echo 1 >/sys/fs/cgroup/iced/cgroup.freeze
	until_true 300 grep -q 'frozen 1' /sys/fs/cgroup/iced/cgroup.events
	record claims --force --offcpu 1 --wakers -m 1ms -a -c '^w-' --embed=none
	kill $claims
}

# tick_in FOLDER : starts a shell that has waits all the time, in that control group; sets $ticker to its pid
tick_in() {
	sh -c 'while :; do usleep 10000; done' &
	ticker=$!
	echo $ticker >"$1/cgroup.procs"
}

# record_version_1 : records a container on a host that has only controllers of version 1. Judged by judge_version_1.
record_version_1() {
	umount /sys/fs/cgroup
	mount -t tmpfs tmpfs /sys/fs/cgroup
	for controller in cpu freezer; do
		mkdir "/sys/fs/cgroup/$controller"
		mount -t cgroup -o $controller cgroup "/sys/fs/cgroup/$controller" || echo "VM-FAIL: no controller $controller"
	done
	container=/sys/fs/cgroup/freezer/docker/$(printf '7%063d' 1)
	mkdir -p "$container"
	tick_in "$container"
	record version-1 --force --offcpu 200ms -m 1us --no-objects --embed=none
	record version-1-chosen --force --offcpu 200ms --container 700000000000
	record version-1-cgroup --force --offcpu 200ms --cgroup docker
	kill $ticker
	until_true 50 rmdir "$container"
	rmdir "${container%/*}"
	umount /sys/fs/cgroup/* /sys/fs/cgroup
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
}

# The third disk is a Debian with systemd. It is mounted at /next for the script to prepare it; init boots it when the
# script ends.
next_mount() {
	mkdir -p /next
	mount -t ext4 /dev/vdc /next && mkdir -p /next/out && mount --move /out /next/out
}

# next_prepare SCRIPT: makes the script one of the services there; its output goes to test.log. When it ends, /out and
# the journal are copied to the disk of results, and the guest is switched off.
next_prepare() {
	cp "$1" /next/judge.sh
	cat >>/next/judge.sh <<-'END'

		journalctl --no-pager -u rwalker-flight >/out/journal
		dmesg >/out/dmesg
		uname -r >/out/release
		echo 0 >/out/rc
		sync
		tar cf - -C /out . | dd of=/dev/vda bs=1M conv=fsync 2>/dev/null
		exec vmexit 0
	END
	cp /bin/vmexit /next/usr/bin/
	mkdir -p /next/etc/systemd/system/rwalker-flight.service.d /next/etc/systemd/system/multi-user.target.wants
	# This machine is slow.
	cat >/next/etc/systemd/system/rwalker-flight.service.d/slow.conf <<-'END'
		[Service]
		TimeoutStartSec=10min
		TimeoutStopSec=5min
		TimeoutAbortSec=1s
		RestartSec=1s
	END
	cat >/next/etc/systemd/system/judge.service <<-'END'
		[Service]
		# It is part of the test that the kernel kills one of its processes.
		OOMPolicy=continue
		ExecStart=/bin/sh /judge.sh
		StandardOutput=file:/out/test.log
		StandardError=file:/out/test.err
	END
	ln -s /etc/systemd/system/judge.service /next/etc/systemd/system/multi-user.target.wants/
	ln -s /dev/null /next/etc/systemd/system/serial-getty@.service # nothing may wait for a terminal
}
