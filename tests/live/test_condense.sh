#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# --condense: every report of the new trace equals the report of the old one, byte for byte; no stack memory and no
# command line is left in it; it is refused if unwind tables are missing; a failure leaves no file behind. At the check level one trace
# is shown in most views, the others as their events.
# time-limit: 600
. "$(dirname "$0")/lib.sh"

need_recording
need_tool cc python3

program=$scratch/canary
canary=$(python3 -c 'print("".join(chr(65 + (i * 7 + 3) % 26) for i in range(48)))')
views=(--tree '--folded --source cpu' '--folded --source offcpu' --wakers --chains --top-waits --summary --histogram
	'--events -v -s' --stacks --tasks)
[ "$level" = check ] || views+=(--stacks --events '--tree -v' '--tree -U' '--tree -K')
few=('--events -v -s') # views of the second and later traces at the check level: everything known about each event

build_program() { # FILE OPTION...
	local file=$1
	shift
	${CC:-cc} -O2 -fno-optimize-sibling-calls "$@" -D_GNU_SOURCE -pthread \
		"$here/tests/live/workloads/plug/canary.c" -o "$file" || die "cannot build the workload"
}
build_program "$program" -fomit-frame-pointer

# notes NAME [OPTION...]: all notes about what cannot be relied on.
notes() { "$report" "${@:2}" --info "$scratch/$1.rwk" 2>/dev/null | grep '^  note '; }

# same_reports OLD NEW [OPTION...]
same_reports() {
	local old=$1 new=$2 view shown=("${views[@]}")
	shift 2
	[ "$old" = all ] && [ "$new" = small ] || [ "$level" = long ] || shown=("${few[@]}")
	for view in "${shown[@]}"; do
		# shellcheck disable=SC2086 # views have several words
		"$report" "$@" $view "$scratch/$old.rwk" >"$scratch/old.txt" 2>"$scratch/old.err"
		# shellcheck disable=SC2086
		"$report" "$@" $view "$scratch/$new.rwk" >"$scratch/new.txt" 2>"$scratch/new.err"
		# A process on this host may wait for a file, whose name --condense leaves out.
		sed -i -E 's@( of )(/[^ ,]+|file#[0-9]+)@\1FILE@; s@(on futex 0x[0-9a-f]+ in )[^ ]+@\1FILE@' "$scratch/old.txt" "$scratch/new.txt"
		check "$new: $view is the same" cmp "$scratch/old.txt" "$scratch/new.txt" ||
			diff "$scratch/old.txt" "$scratch/new.txt" | head -n 6 >&2
		check "$new: $view is said the same" cmp "$scratch/old.err" "$scratch/new.err"
	done
	check "$new: the notes are the same" cmp <(notes "$old" "$@") <(notes "$new" "$@")
	check "$new: its tree says something" grep -q "^>>> " <("$report" "$@" --tree "$scratch/$new.rwk" 2>/dev/null)
}

# found TRACE DUMP TEXT...: prints the numbers of the texts that occur in the file or in one of its unpacked payloads.
# The other reader's text of the trace goes to DUMP.
found() {
	python3 - "$here/tests" "$@" <<-'END'
		import contextlib, sys
		sys.path.insert(0, sys.argv[1])
		import rwk_dump
		data, texts, unpack = open(sys.argv[2], "rb").read(), [text.encode() for text in sys.argv[4:]], rwk_dump.lz4_block
		found = {text for text in texts if text in data}
		def look(packed):
		    payload = unpack(packed)
		    found.update(text for text in texts if text in bytes(payload))
		    return payload
		rwk_dump.lz4_block = look
		with open(sys.argv[3], "w", encoding="utf-8", errors="surrogateescape") as out, contextlib.redirect_stdout(out):
		    rwk_dump.dump(data)
		print(*(number for number, text in enumerate(texts) if text in found))
	END
}

# Checks that TRACE has nothing that must not be in it; the trace it was made from had it.
check_scrubbed() {
	local trace=$scratch/$1.rwk
	"$report" --dump "$trace" >"$scratch/dump"
	check "$1: no snapshots" lacks -E 'type SNAPSHOTS|^  snapshot ' "$scratch/dump"
	check "$1: no event refers to one" lacks -E 'snapshot=[1-9]' "$scratch/dump"
	check "$1: no unwind information" lacks '^  embed-unwind ' "$scratch/dump"
	check "$1: no command line" lacks 'meta key=.command_line' "$scratch/dump"
	check_equal "$1: the canary is gone" '' "$(found "$trace" "$scratch/other.dump" "${canary:0:8}" "${canary:40:8}")"
	check "$1: the other reader agrees" cmp "$scratch/dump" "$scratch/other.dump"
	"$report" --no-local-files --info "$trace" >"$scratch/info" 2>/dev/null
	check "$1: --info tells how they end" grep -q 'unwound  *[0-9]* user stacks' "$scratch/info"
	check "$1: --info says so" grep -q 'stacks  *no stack memory' "$scratch/info"
}

test_everything() {
	recorded all "$record" -p 0 --offcpu 0 --wakers -m 100 -u --dwarf --trace sched:sched_switch --rate-limit 50 \
		-o "$scratch/all.rwk" -- "$program" 2 || return
	check_equal "the canary was on the stack" '0 1' "$(found "$scratch/all.rwk" /dev/null "${canary:0:8}" "${canary:40:8}")"
	check "--info warns of it" grep -q 'stack memory; --condense' <("$report" --no-local-files --info "$scratch/all.rwk")
	run_ok condense "$report" --condense "$scratch/all.rwk" -o "$scratch/small.rwk" || return
	check "it says what it did" grep -qE '[0-9]+ stacks? converted to call chains' "$scratch/condense.err"
	same_reports all small
	check_scrubbed small
	# A few percent of its CPU time are spent in handlers, and 2 s of CPU time give a thousand samples or more, at
	# a rate that is in step with no timer. The workload ends the recording.
	check_number "samples" "$("$report" --folded --source cpu "$scratch/small.rwk" 2>/dev/null | folded_sum - ';main;') > 1000"
	check "signal handlers are followed" grep -q 'main.*handle;in_handler;spin' \
		<("$report" --folded --source cpu "$scratch/small.rwk")
	check "it is smaller" [ "$(stat -c %s "$scratch/small.rwk")" -lt "$(stat -c %s "$scratch/all.rwk")" ]
}

# records NAME: the trace's records, sorted, without those that give offsets in the file.
records() { "$report" --dump "$scratch/$1.rwk" | grep '^  ' | sort; }

test_refusals() {
	[ -e "$scratch/all.rwk" ] || return
	run_ok again "$report" --condense "$scratch/small.rwk" -o "$scratch/again.rwk"
	check "a condensed trace stays as it is" cmp <(records small) <(records again)
	rm "$scratch/again.rwk"
	cp "$scratch/small.rwk" "$scratch/kept.rwk"
	run_code over 1 "$report" --condense "$scratch/all.rwk" -o "$scratch/kept.rwk"
	check "no file is written over" cmp "$scratch/small.rwk" "$scratch/kept.rwk"
	run_code filtered 2 "$report" --condense "$scratch/all.rwk" -c x -o "$scratch/again.rwk"
	run_code nowhere 2 "$report" --condense "$scratch/all.rwk"
	run_code option 2 "$report" --tree "$scratch/all.rwk" -o "$scratch/again.rwk"
	check "none of these left a file" [ ! -e "$scratch/again.rwk" ]
}

test_missing_tables() {
	local id
	mkdir "$scratch/empty"
	run_ok bare "$record" -p 1 -u --dwarf --embed none -o "$scratch/bare.rwk" -- "$program" 0.3 || return
	run_code missing 1 "$report" --symfs "$scratch/empty" --condense "$scratch/bare.rwk" -o "$scratch/part.rwk"
	id=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
	check "it names the module and its build-id" grep -q "canary, build-id $id: in [0-9]* stacks" "$scratch/missing.err"
	check "it says what would help" grep -q -e '--symfs DIR.*--debug-dir DIR' "$scratch/missing.err"
	check "it leaves nothing" [ ! -e "$scratch/part.rwk" ]
	"$report" --symfs "$scratch/empty" --condense "$scratch/bare.rwk" -o - >"$scratch/nothing" 2>/dev/null
	check "nor on stdout" [ ! -s "$scratch/nothing" ]
	run_ok partial "$report" --symfs "$scratch/empty" --partial --condense "$scratch/bare.rwk" -o "$scratch/part.rwk" ||
		return
	check "--partial says what is missing" grep -q "build-id $id" "$scratch/partial.err"
	same_reports bare part --symfs "$scratch/empty"
	check_scrubbed part
	run_ok whole "$report" --partial --condense "$scratch/bare.rwk" -o "$scratch/whole.rwk"
	same_reports bare whole
}

# Sleeping tasks, with the stacks that were copied from their memory.
test_walk() {
	local try without_names
	start sleep 600
	wait_for 60 asleep "$started" sleep || die "sleep does not sleep"
	# If the helper that copies the stacks gets no CPU within its deadline, they are reported as missing: then try once more.
	for try in 1 2 3 4 5; do
		run_ok walk "$record" -a -u --dwarf --force -o "$scratch/walk.rwk" || return
		"$report" --tasks -U -c '^sleep$' "$scratch/walk.rwk" >"$scratch/walk.txt"
		grep -q __libc_start "$scratch/walk.txt" && break
		check "walk $try: it is said why there are no callers" grep -q 'user stack' "$scratch/walk.txt" ||
			cat "$scratch/walk.txt" >&2
	done
	# Without this host's files, which may have what the trace lacks: a helper that got no CPU could not open all
	# of them.
	run_ok walk_small "$report" --no-local-files --condense "$scratch/walk.rwk" --partial -o "$scratch/walk_small.rwk" || return
	check "the walk shows the callers" grep -q __libc_start <("$report" --tasks -U -c '^sleep$' "$scratch/walk_small.rwk")
	# The trace is of the whole host, whose files may be changing. So the comparison leaves out names of files
	# that tasks wait for, also those of a futex's file and of a file whose pages are waited for.
	without_names='s/(, on futex .* in )[^ ]+( of )/\1FILE\2/; s%(, (in|on) .*(of|unix) )(@?/|(file|name)#[0-9]).*%\1FILE%'
	"$report" --no-local-files --tasks "$scratch/walk.rwk" | sed -E "$without_names" >"$scratch/old.txt"
	"$report" --no-local-files --tasks "$scratch/walk_small.rwk" | sed -E "$without_names" >"$scratch/new.txt"
	check "the walk is the same" cmp "$scratch/old.txt" "$scratch/new.txt" ||
		diff "$scratch/old.txt" "$scratch/new.txt" | head -n 10 >&2
	check_scrubbed walk_small
}

test_full_disk() {
	local rc
	[ -e "$scratch/all.rwk" ] || return
	mkdir "$scratch/disk"
	unshare --mount --propagation private bash -c '
		mount -t tmpfs -o size=64k none "$1" || exit 77
		"$2" --condense "$3" -o "$1/out.rwk" 2>"$4"
		[ $? -eq 1 ] && [ -z "$(ls -A "$1")" ]' - "$scratch/disk" "$report" "$scratch/all.rwk" "$scratch/disk.err"
	rc=$?
	[ $rc -eq 77 ] && { echo "# no right to mount: the full disk is left out"; return; }
	check_equal "a full disk fails and leaves nothing" 0 $rc
	check "it says so" grep -q 'No space left' "$scratch/disk.err"
}

test_everything
test_refusals
test_missing_tables
test_walk
test_full_disk
finish
