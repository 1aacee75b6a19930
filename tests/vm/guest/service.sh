# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Installs the recorder and its unit in a Debian with systemd, which boots when this ends, with service_judge.sh as
# one of its services. Judged by tests/package/test_service.sh.
. /lib.sh
next_mount || exit 1
cp /bin/rwalker-record /bin/hog /bin/work /next/usr/bin/
cp /bin/rwalker-flight.service /next/etc/systemd/system/
mkdir -p /next/etc/rwalker
cp /bin/flight.conf /next/etc/rwalker/
# Cgroups are read-only there, and only root may ask the kernel to report their pressure.
printf -- '--trigger %s\n' 'psi:system.slice/cpu.some>2%/2s' 'cpu:system.slice>5%/2s' >>/next/etc/rwalker/flight.conf
next_prepare /bin/service_judge.sh
# As the Debian package has it. Where the kernel's command line lowers the setting, the nine capabilities of the unit are enough.
[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || cp /bin/perf-event-paranoid.conf /next/etc/systemd/system/rwalker-flight.service.d/
