# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The third disk is a Debian with systemd: puts the recorder and its unit there, and lets that system boot (init does, when
# this ends), with service_judge.sh as one of its services. Judged by tests/package/test_service.sh.
mkdir -p /next
mount -t ext4 /dev/vdc /next || exit 1
mkdir -p /next/out && mount --move /out /next/out || exit 1
cp /bin/rwalker-record /bin/vmexit /bin/hog /bin/work /next/usr/bin/
cp /bin/rwalker-flight.service /next/etc/systemd/system/
mkdir -p /next/etc/rwalker /next/etc/systemd/system/rwalker-flight.service.d
cp /bin/flight.conf /next/etc/rwalker/
# Cgroups are read-only there, and only root may ask the kernel to report their pressure.
printf -- '--trigger %s\n' 'psi:system.slice/cpu.some>2%/2s' 'cpu:system.slice>5%/2s' >>/next/etc/rwalker/flight.conf
cp /bin/service_judge.sh /next/judge.sh
# This machine is slow, and a watchdog is waited for.
# As the Debian package has it. Where the kernel's command line lowers the setting, the nine capabilities of the unit are enough.
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || cp /bin/perf-event-paranoid.conf /next/etc/systemd/system/rwalker-flight.service.d/
cat >/next/etc/systemd/system/rwalker-flight.service.d/slow.conf <<'END'
[Service]
TimeoutStartSec=10min
TimeoutStopSec=5min
TimeoutAbortSec=1s
WatchdogSec=40s
RestartSec=1s
END
cat >/next/etc/systemd/system/judge.service <<'END'
[Service]
ExecStart=/bin/sh /judge.sh
StandardOutput=file:/out/test.log
StandardError=file:/out/test.err
END
mkdir -p /next/etc/systemd/system/multi-user.target.wants
ln -s /etc/systemd/system/judge.service /next/etc/systemd/system/multi-user.target.wants/
# Nothing here waits for a terminal.
ln -s /dev/null /next/etc/systemd/system/serial-getty@.service
