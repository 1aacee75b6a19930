# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Runs within the guest's systemd: the service from its start to its end. Prints the verdicts;
# tests/package/test_service.sh reads the dumps.
unit=rwalker-flight.service

verdict() { # NAME WHY COMMAND...
	verdict_name=$1 verdict_why=$2
	shift 2
	if "$@"; then set -- "ok $verdict_name"; else set -- "not ok $verdict_name - $verdict_why"; fi
	echo "$1"
	echo "$(cut -d. -f1 /proc/uptime): $1" >/dev/console # in case the end is never reached
}

property() { systemctl show --property "$1" --value $unit; }
pid() { property MainPID; }
major_faults() { sed 's/.*) //' "/proc/$first/stat" | cut -d ' ' -f 10; }
is() { [ "$(property "$1")" = "$2" ]; }
# until_true SECONDS COMMAND...
until_true() {
	until_end=$(($(date +%s) + $1))
	shift
	until "$@"; do
		[ "$(date +%s)" -lt $until_end ] || return 1
		sleep 1
	done
}

journal_has() { journalctl --no-pager -o cat -u $unit | grep -q -e "$1"; }
dumps() { find /var/lib/rwalker -name '*.rwk' | wc -l; }
has_dumps() { [ "$(dumps)" -ge "$1" ]; }
says_what_it_keeps() { property StatusText | grep -q '^keeps [1-9].* MB; '; }
status_has() { [ "$(sed -n "s/^$1:[[:space:]]*//p" "/proc/$(pid)/status")" = "$2" ]; }
keep_latest() { cp "$(find /var/lib/rwalker -name '*.rwk' | sort | tail -n 1)" "/out/$1.rwk"; }
is_another() { [ "$(pid)" != "$first" ] && [ "$(pid)" != 0 ] && is ActiveState active; }

judge() {
	if ! systemctl start $unit; then
		echo "not ok service/starts - $(journalctl --no-pager -o cat -u $unit | grep '^\(error\|warning\): ' | head -n 3 | tr '\n' ' ')"
		return
	fi
	echo ok service/starts
	verdict service/is_active "$(property ActiveState)" is ActiveState active
	verdict service/keeps_three_capabilities "$(grep CapEff "/proc/$(pid)/status")" status_has CapEff 000000c400000000
	verdict service/is_no_root "$(grep Uid "/proc/$(pid)/status")" [ \
		"$(sed -n 's/^Uid:\t\([0-9]*\).*/\1/p' "/proc/$(pid)/status")" = "$(id -u rwalker)" ]
	verdict service/status_text "'$(property StatusText)'" until_true 60 says_what_it_keeps

	verdict service/every_rule_can_fire "$(journalctl --no-pager -o cat -u $unit | grep 'can never fire')" \
		sh -c "! journalctl --no-pager -o cat -u $unit | grep -q 'can never fire'"

	systemd-analyze security --no-pager --threshold=35 $unit >/tmp/rated 2>&1
	rated=$?
	echo "# figure: service/security: $(tail -n 1 /tmp/rated)"
	verdict service/security "$(tail -n 1 /tmp/rated)" [ $rated = 0 ]

	systemctl kill --kill-whom=main -s USR2 $unit
	verdict service/dump "$(ls -la /var/lib/rwalker)" until_true 120 has_dumps 1

	# If two rules fire in the same second, only the first has a record. Without this rule, the other one is the
	# first.
	sed -i '/^--trigger psi:system.slice/d' /etc/rwalker/flight.conf
	echo '--trigger wait:comm=/^none$/>9s' >>/etc/rwalker/flight.conf
	first=$(pid)
	verdict service/reloads "$(systemctl status $unit 2>&1 | tail -n 5 | tr '\n' ' ')" systemctl reload $unit
	verdict service/took_over_rules "the journal does not say so" until_true 60 journal_has 'took over the rules'
	verdict service/same_process "it is another one" is MainPID "$first"
	verdict service/still_active "$(property ActiveState)" until_true 60 is ActiveState active

	before=$(dumps)
	hog_began=$(date +%s)
	read_before=$(major_faults)
	hog
	hog_rc=$?
	verdict service/hog "it ended with $hog_rc" [ $hog_rc = 137 ]
	verdict service/survives_the_oom_killer "$(dmesg | grep -i 'killed process' | tail -n 1)" is MainPID "$first"
	echo "# figure: service/hog_lived: $(($(date +%s) - hog_began)) s; meanwhile the recorder read $(($(major_faults) - read_before)) pages from disk"
	systemctl kill --kill-whom=main -s USR2 $unit
	verdict service/dump_after_it "$(dumps) and $before before" until_true 120 has_dumps $((before + 1))
	keep_latest after_hog
	echo "$(($(date +%s) - hog_began))" >/out/after_hog.seconds

	printf '[Service]\nWatchdogSec=40s\n' >/etc/systemd/system/rwalker-flight.service.d/watchdog.conf
	systemctl daemon-reload
	verdict service/restarts "$(systemctl status $unit 2>&1 | tail -n 5 | tr '\n' ' ')" systemctl restart $unit
	first=$(pid)
	kill -STOP "$first"
	verdict service/watchdog "no sign of life did not matter" until_true 240 is_another
	verdict service/watchdog_says_so "$(property NRestarts)" journal_has atchdog

	before=$(dumps)
	verdict service/stops "$(systemctl status $unit 2>&1 | tail -n 5 | tr '\n' ' ')" systemctl stop $unit
	verdict service/ends_well "$(property Result)" is Result success
	verdict service/last_dump "$(dumps) and $before before" [ "$(dumps)" -gt "$before" ]
	verdict service/levels "the journal has $(journalctl --no-pager -o cat -u $unit -p info | grep -c '^<[0-9]>') lines with a number" \
		sh -c "! journalctl --no-pager -o cat -u $unit | grep -q '^<[0-9]>'"
}

judge
cp /var/lib/rwalker/*.rwk /out/ 2>/dev/null
