#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The recorder as rwalker-flight.service runs it: with a user of its own, that unit's capabilities, and options from a
# file. What it reports to a service manager; that it has the same names as under root; what a reload changes, without
# losing what is kept; that commands run without rights. (tests/package/test_service.sh has a real systemd.)
. "$(dirname "$0")/lib.sh"

user=65531
unit=$here/contrib/systemd/rwalker-flight.service
# systemd kills a service that gives no sign of life for this long.
watchdog_us=10000000
locker=lock$$ # a comm that no other test has

# The capabilities of the unit, as setpriv spells them.
capabilities() {
	sed -n "s/^$1=//p" "$unit" | tr ' ' '\n' | sed 's/^CAP_//; s/^/+/' | tr 'A-Z\n' 'a-z,' | sed 's/,$//; s/^/-all,/'
}

write_config() { printf '%s\n' "--flight 30s,16M" "$@" >"$scratch/flight.conf"; }

# begin NAME: starts the service, with messages in NAME.err.
begin() {
	mkdir -m 750 "$scratch/$1"
	chown $user:$user "$scratch/$1"
	NOTIFY_SOCKET=$scratch/notify WATCHDOG_USEC=$watchdog_us start setpriv --reuid $user --regid $user --clear-groups \
		--no-new-privs --inh-caps "$(capabilities AmbientCapabilities)" \
		--ambient-caps "$(capabilities AmbientCapabilities)" --bounding-set "$(capabilities CapabilityBoundingSet)" \
		"$scratch/rwalker-record" -o "$scratch/$1/" --config "$scratch/flight.conf" 2>"$scratch/$1.err"
	recorder=$started
	wait_for 60 told READY=1 || die "the service did not start: $(cat "$scratch/$1.err")"
}

# told TEXT [COUNT]: whether the service manager got at least COUNT (1) messages of the recorder that begin with TEXT.
told() { [ "$(grep -c "^[0-9]* $recorder $1" "$scratch/heard")" -ge "${2:-1}" ]; }
says() { grep -qF -- "$1" "$scratch/$2.err"; }
dumps() { find "$scratch/$1" -name '*.rwk' | sort; }
has_dumps() { [ "$(dumps "$1" | wc -l)" -ge "$2" ]; }
latest() { dumps "$1" | tail -n 1; }

end() { # WHAT NAME
	local code said=0
	kill -TERM "$recorder"
	wait "$recorder"
	code=$?
	! grep -q 'events* w.* lost' "$scratch/$2.err" || said=3
	check_equal "$1: exit code, beside the losses that it says" $said $code
}

# A program in a folder that only root may enter, and one of another user.
burn() {
	mkdir -m 700 "$scratch/roots"
	install -m 700 "$workloads/burn" "$scratch/roots/"
	start "$scratch/roots/burn" roots 1000 user 10
	start setpriv --reuid 65533 --regid 65533 --clear-groups "$scratch/burn" others 1000 user 10
}

# field FILE NAME: values of a field of /proc/PID/status, or of several concatenated.
field() { sed -n "s/^$2:[[:space:]]*//p" "$1" | tr '\t' ' ' | sort -u; }

# has_no_rights WHO STATUS: the process has the user's ids and no capabilities, and cannot get others.
has_no_rights() {
	local set
	check_equal "$1: user" "$user $user $user $user" "$(field "$2" Uid)"
	for set in CapInh CapPrm CapEff CapBnd CapAmb; do check_equal "$1: $set" 0000000000000000 "$(field "$2" $set)"; done
	check_equal "$1: NoNewPrivs" 1 "$(field "$2" NoNewPrivs)"
}

# Executable mappings of files that are not locked, or not in memory.
to_be_read() {
	awk '$1 ~ /-/ { code = $2 ~ /x/ && $6 ~ /^\//; seen += code }
		code && $1 == "Size:" { missing += $2; size = $2 }
		code && $1 == "Rss:" { there = $2 == size }
		code && $1 == "VmFlags:" && / lo/ && there { missing -= size }
		END { print seen ? missing + 0 " kB to be read" : "no program" }' "/proc/$recorder/smaps"
}

# Longest time between two signs of life, us.
longest_silence() {
	awk -v pid="$recorder" '$2 == pid && $3 == "WATCHDOG=1" { if (last && $1 - last > most) most = $1 - last; last = $1 }
		END { print most + 0 }' "$scratch/heard"
}

test_starts() {
	write_config '--profile 0' '--freq 99' '--offcpu 0' '--wakers' '--user' "--trigger exec:test -e $scratch/flag/1s" \
		"--on-dump cat /proc/self/status >>$scratch/all/status" '--trigger stuck:D>600s' '--cooldown 0'
	begin all
	check_equal "ready once its system calls are filtered" 2 "$(field "/proc/$recorder/status" Seccomp)"
	check_equal "nobody but the recorder tells anything" "$recorder" "$(cut -d' ' -f2 "$scratch/heard" | sort -u)"
	check_equal "its program and libraries are and stay in memory" "0 kB to be read" "$(to_be_read)"
	for child in $(pgrep -P "$recorder"); do
		grep -q NOTIFY_SOCKET "/proc/$child/environ" || continue
		check "children do not tell" [ "$(readlink /proc/"$child"/exe)" = "$scratch/rwalker-record" ]
	done
}

# Whether a dump has samples of both programs, with names. On a busy machine they may not have run yet.
has_names() {
	local count
	count=$(dumps all | wc -l)
	kill -USR2 "$recorder"
	wait_for 30 has_dumps all $((count + 1)) || return
	"$report" --folded --source cpu -c '^(roots|others)$' --no-local-files "$(latest all)" \
		>"$scratch/functions.out" 2>"$scratch/functions.said"
	grep -q '^roots;.*burn_user' "$scratch/functions.out" && grep -q '^others;.*burn_user' "$scratch/functions.out"
}

# Names are the same as under root, also for programs that the service's user may not read and that belong to others.
test_dump() {
	check "names of programs that only root or others may read" wait_for 60 has_names
	check_equal "its owner and mode" "$user 600" "$(stat -c '%u %a' "$(latest all)")"
	check "the command after it ran" wait_for 10 test -s "$scratch/all/status"
	has_no_rights "the command" "$scratch/all/status"
}

# The process that runs commands was forked before there was a filter of system calls; it has the service's user and
# no other rights.
test_runner() {
	local pid count
	count=$(dumps all | wc -l)
	touch "$scratch/flag"
	chmod 644 "$scratch/flag"
	check "a command's rule makes a dump" wait_for 30 has_dumps all $((count + 1))
	rm "$scratch/flag"
	for pid in $(pgrep -P "$recorder"); do
		cat "/proc/$pid/status" >"$scratch/status" 2>/dev/null
		[ "$(field "$scratch/status" Seccomp)" = 0 ] || continue
		runner=$pid
		has_no_rights "who runs commands" "$scratch/status"
	done
	check "somebody runs commands" [ -n "${runner-}" ]
}

taken_over() { [ "$(grep -c 'took over the rules' "$scratch/all.err")" -ge "$1" ]; }

reload_heard() { cut -d' ' -f3 "$scratch/heard" | grep -A1 RELOADING | paste -sd' '; }
ended_reload() { [[ $(reload_heard) = *READY* ]]; }

# After a reload a new rule fires; the dump has what was recorded before the reload.
test_reload() {
	local before
	sed -i 's/^--trigger stuck.*/&\n--trigger wait:comm=\/^'"$locker"'$\/>1s\n--max-dumps 2/; s/^--freq.*/--freq 98/' "$scratch/flight.conf"
	kill -HUP "$recorder"
	check "a reload" wait_for 30 taken_over 1
	before=$(date +%s)
	wait_for 30 ended_reload
	check_equal "is told, with its time, and its end" "RELOADING=1 READY=1" "$(reload_heard)"
	check "the time is that of the clock that systemd compares it with" \
		awk '$3 == "RELOADING=1" { sub(/MONOTONIC_USEC=/, "", $4); exit !($1 - $4 >= 0 && $1 - $4 < 60000000) }' "$scratch/heard"
	check "what cannot change is said" says 'counts only after a restart' all
	check "--max-dumps holds" [ "$(dumps all | wc -l)" -le 2 ]
	start flock "$scratch/lock" sleep 1.5
	sleep 0.2
	"$scratch/$locker" "$scratch/lock" true
	check "a new rule fires" wait_for 30 latest_is_for "wait:comm=/^$locker$/>1s"
	run_ok info "$report" --no-local-files --info "$(latest all)"
	check "and the dump goes back to before the reload" [ "$(kept_since)" -lt "$before" ]
	check_equal "--max-dumps still holds" 2 "$(dumps all | wc -l)"
}

latest_is_for() { "$report" --no-local-files --info "$(latest all)" 2>/dev/null | grep -qF "made for        $1"; }

# Time at which the latest dump begins, in seconds since 1970.
kept_since() { date -u -d "$(sed -n 's/^  recorded  *\(.*\) UTC, for .*/\1/p' "$scratch/info.out")" +%s; }

has_refused() { [ "$(grep -c 'all rules are as before' "$scratch/all.err")" -ge "$1" ]; }

# A file with a mistake, or with a rule that needs something that can be opened only at the start, changes nothing.
test_bad_reload() {
	cp "$scratch/flight.conf" "$scratch/good.conf"
	echo "--trigger wait:Q>1s" >>"$scratch/flight.conf"
	kill -HUP "$recorder"
	check "a mistake is refused" wait_for 30 has_refused 1
	check "and its line is named" says "this is in line $(wc -l <"$scratch/flight.conf") of '$scratch/flight.conf'" all
	{ cat "$scratch/good.conf"; echo "--trigger exec:true/1s"; } >"$scratch/flight.conf"
	kill -HUP "$recorder"
	check "a new command is refused" wait_for 30 has_refused 2
	check "it goes on" kill -0 "$recorder"
	check "the manager knows" wait_for 30 told READY=1 4
}

test_signs() {
	check "signs of life" wait_for 60 told WATCHDOG=1 4
	check_number "none came too late" "$(longest_silence) < $watchdog_us"
	check "what it does" wait_for 30 told 'STATUS=keeps [1-9][0-9.]* s in [0-9.]* MB; [1-9][0-9]* dumps written, 0 failed; [0-9]* events* lost'
}

test_ends() {
	end all all
	check "the end is told" told STOPPING=1
	check "no rule could never fire" lacks 'can never fire' "$scratch/all.err"
}

# A service manager that never reads its socket does no harm: the recorder starts, dumps and ends.
test_deaf_manager() {
	local deaf=$scratch/deaf
	start python3 -c 'import socket, sys, time
deaf = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
deaf.bind(sys.argv[1])
mute = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
mute.setblocking(False)
try:
	while True: mute.sendto(b"x", sys.argv[1])
except BlockingIOError: open(sys.argv[1] + ".full", "w")
time.sleep(1000)' "$deaf"
	wait_for 10 test -e "$deaf.full"
	NOTIFY_SOCKET=$deaf WATCHDOG_USEC=1000000 start "$record" --flight 5s,8M -p 0 -o "$scratch/unheard" 2>"$scratch/unheard.err"
	recorder=$started
	wait_for 60 is_filtered || die "the recorder did not start: $(cat "$scratch/unheard.err")"
	kill -USR2 "$recorder"
	check "a deaf manager: a dump is made" wait_for 30 has_unheard
	end "a deaf manager" unheard
}

is_filtered() { [ "$(field "/proc/$recorder/status" Seccomp)" = 2 ]; }
has_unheard() { ls "$scratch"/unheard-*.rwk >/dev/null 2>&1; }

need_recording
need_tool python3 setpriv flock
[ -n "$(capabilities AmbientCapabilities)" ] || die "'$unit' grants no capabilities"
chmod 755 "$scratch"
install -m 755 "$record" "$workloads/burn" "$scratch/"
install -m 755 "$(command -v flock)" "$scratch/$locker"
start python3 "$here/tests/live/service_manager.py" "$scratch/notify" >"$scratch/heard"
wait_for 10 test -S "$scratch/notify"
burn
test_starts
test_dump
test_runner
test_reload
test_bad_reload
test_signs
test_ends
test_deaf_manager
finish
