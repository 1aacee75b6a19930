# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs within the guest's systemd: types the lines of README.md that follow the installation, as a user with sudo.
exec 2>&1

# types NAME COMMAND: its output goes to /tmp/said.
types() {
	su - reader -c "$2" >/tmp/said 2>&1
	types_rc=$?
	if [ $types_rc = 0 ]; then set -- "ok $1"; else set -- "not ok $1 - it ended with $types_rc: $(tail -n 3 /tmp/said | tr '\n' ' ')"; fi
	echo "$1"
	echo "$(cut -d. -f1 /proc/uptime): $1" >/dev/console # in case the end is never reached
}

line() { sed -n "$1p" /first_steps_lines; }
# The line waits for two seconds, which is short for an emulated machine beside others.
dump_is_there() {
	for _ in $(seq 60); do
		[ -z "$(find /var/lib/rwalker -name '*.rwk')" ] || return 0
		sleep 2
	done
	return 1
}

types first_steps/starts "$(line 1)"
types first_steps/asks "$(line 2)"
if dump_is_there; then echo ok first_steps/dump; else echo "not ok first_steps/dump - $(ls -la /var/lib/rwalker)"; fi
types first_steps/reads "$(line 3)"
cp /tmp/said /out/digest
if grep -q 'kept by\|% ' /tmp/said; then echo ok first_steps/digest; else echo "not ok first_steps/digest - $(head -n 3 /tmp/said | tr '\n' ' ')"; fi
types first_steps/status 'sudo systemctl --no-pager status rwalker-flight | grep "Status: \"keeps "'
types first_steps/is_enabled 'sudo systemctl is-enabled rwalker-flight'
