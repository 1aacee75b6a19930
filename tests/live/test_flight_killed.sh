#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --flight: whichever of the recorder's processes is killed, at most the dump that is being made is lost. A file with the name of a dump is always whole, the next recorder removes unfinished files,
# and the next dump is made, by the same recorder unless it was itself killed.
. "$(dirname "$0")/lib.sh"

need_recording
need_tool python3
cd "$here" || exit 1

# begin NAME: starts a recorder whose dumps are $folder/dump-*.rwk.
begin() {
	folder=$scratch/$1
	mkdir -p "$folder"
	errors=$scratch/$1.err
	begin_recorder "$1" --flight 2s,8M -p 0 -f 99 -u --max-dumps 0 -o "$folder/dump"
}

dumps() { find "$folder" -name 'dump-*.rwk' | wc -l; }
has_dumps() { [ "$(dumps)" -ge "$1" ]; }
unfinished() { find "$folder" -name '.*' -type f | wc -l; }

# made WHAT: another dump is made. A request while the recorder still waits for the writer of the last dump, which may
# have its name already, makes no dump of its own. So the request is repeated.
made() {
	local before
	before=$(dumps)
	for _ in 1 2 3; do
		kill -USR2 "$recorder"
		wait_for 15 has_dumps $((before + 1)) && break
	done
	check "$1" has_dumps $((before + 1))
}

# refused WHAT PATTERN: requests a dump likewise; the recorder must report that it cannot be made.
refused() {
	for _ in 1 2 3; do
		kill -USR2 "$recorder"
		wait_for 15 grep -q "$2" "$errors" && break
	done
	check "$1" grep -q "$2" "$errors"
}

is_whole() { "$report" --dump "$1" >"$scratch/dumped" 2>&1 && grep -q '^section 0 closed 1 ' "$scratch/dumped"; }

are_whole() {
	local dump
	for dump in "$folder"/dump-*.rwk; do check "$1: '$dump' is whole" is_whole "$dump"; done
}

# All descendants of a process.
family() {
	local child
	for child in $(cat "/proc/$1/task/$1/children" 2>/dev/null); do echo "$child"; family "$child"; done
}

# The processes that have the folder open: one makes the files, the other is there to replace it.
makers() {
	local pid
	for pid in $(family "$recorder"); do
		[ -z "$(find "/proc/$pid/fd" -lname "$folder" 2>/dev/null)" ] || echo "$pid"
	done
}

# Sets $writer to a process that writes a dump, stopped before it has finished. Others may finish before one is
# caught; sets $whole to the number of dumps.
catch_writer() {
	writer=$(python3 -B tests/live/stop_writer.py "$recorder" "$folder") || return
	whole=$(dumps)
}

# The recorder is killed between dumps, and while one is made.
test_recorder() {
	local all whole
	begin recorder
	made "recorder: a dump"
	all=$(family "$recorder")
	kill -KILL "$recorder"
	wait "$recorder" 2>/dev/null
	# shellcheck disable=SC2086 # one word each
	check "recorder: nobody stays behind" wait_for 10 have_ended $all
	check_equal "recorder: nothing is unfinished" 0 "$(unfinished)"
	begin recorder
	check_equal "recorder: nothing is said" "" "$(grep -i 'finished' "$errors")"
	if catch_writer; then
		all=$(family "$recorder")
		kill -KILL "$recorder"
		wait "$recorder" 2>/dev/null
		kill -CONT "$writer"
		# shellcheck disable=SC2086
		check "recorder: nobody stays behind that wrote" wait_for 30 have_ended $all
		check_equal "recorder: nothing is unfinished then" 0 "$(unfinished)"
	else
		fail "recorder: no process was caught that wrote a dump"
	fi
	begin recorder
	made "recorder: the next one makes its dump"
	end_recorder recorder
	are_whole recorder
}

# All processes are killed at once while a dump is made: the file stays, and the next recorder removes it, but no file
# that another recorder is still writing.
test_all() {
	local everybody whole
	begin all
	made "all: a dump"
	catch_writer || { fail "all: no process was caught that wrote a dump"; return; }
	everybody="$(makers) $recorder $writer"
	# shellcheck disable=SC2086
	kill -KILL $everybody
	wait "$recorder" 2>/dev/null
	# shellcheck disable=SC2086
	check "all: they have ended" wait_for 30 have_ended $everybody # a survivor would keep the file locked
	check_equal "all: something is unfinished" 1 "$(unfinished)"
	check_equal "all: and is no dump" "$whole" "$(dumps)"
	begin all
	check "all: the next one says so" grep -q 'removed 1 file of dumps that an earlier recorder had not finished' "$errors"
	check_equal "all: and removes it" 0 "$(unfinished)"
	catch_writer || { fail "all: no second one was caught"; return; }
	run_code other 0 "$record" --flight 2s,8M -p 0 -d 1 -o "$folder/dump"
	check_equal "all: what another one writes stays" 1 "$(unfinished)"
	kill -CONT "$writer"
	check "all: and gets its name" wait_for 30 has_dumps $((whole + 1))
	made "all: a dump later"
	end_recorder all
	are_whole all
}

# The process that makes the files is killed while a dump is made: another process takes over.
test_makers() {
	local whole
	begin makers
	made "makers: a dump"
	check_equal "makers: there are two" 2 "$(makers | wc -l)"
	catch_writer || { fail "makers: no process was caught that wrote a dump"; return; }
	kill -KILL "$(makers | head -n 1)"
	kill -CONT "$writer"
	check "makers: it costs that dump" wait_for 30 grep -q "cannot write dump $((whole + 1)): No such file or directory" "$errors"
	made "makers: the next one is made"
	check_equal "makers: nothing is unfinished" 0 "$(unfinished)"
	# shellcheck disable=SC2046
	kill -KILL $(makers)
	refused "makers: it is said if nobody is left" 'both processes that make files were killed; restart'
	end_recorder makers 4
	are_whole makers
}

newest() { ls -t "$folder"/dump-*.rwk | head -n 1; }
says_helpers() { "$report" --no-local-files --info "$(newest)" 2>/dev/null | grep -qE "^  helpers ended +$1\$"; }

# The processes that read files of programs are killed: dumps are still made, and say what they lack. So does the
# recorder, once.
test_readers() {
	begin readers
	made "readers: a dump"
	check "readers: which lacks nothing" lacks 'helpers ended' <("$report" --no-local-files --info "$(newest)")
	killed=$(comm -23 <(family "$recorder" | sort) <(makers | sort))
	# shellcheck disable=SC2086 # one word each
	kill -KILL $killed 2>/dev/null # some end by themselves
	# shellcheck disable=SC2086
	wait_for 10 have_ended $killed
	made "readers: a dump without them"
	check "readers: it says what it lacks" says_helpers 'recording dumps'
	check "readers: and so do reports of it" grep -q 'no files were read for this dump, and names may be missing; restart the recorder' \
		<("$report" --tree "$(newest)" 2>&1)
	made "readers: and another"
	check "readers: so does that" says_helpers 'recording dumps'
	end_recorder readers
	check_equal "readers: it is said that no names are read for dumps" 1 "$(grep -c 'reads names for dumps was killed' "$errors")"
	check_equal "readers: and that no files are opened" 1 "$(grep -c 'starts helpers was killed' "$errors")"
	are_whole readers
}

test_recorder
test_all
test_makers
test_readers
finish
