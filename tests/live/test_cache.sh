#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The cache of names: reports are the same with a cold cache, a warm one and none; with many reports at once; with
# reports killed while they write; with a cache file of random bytes, a read-only one, one of another version, and on
# a full disk. tests/fault/name_cache.c acts as a report that resolves many names. rwalker-report itself is run on
# sample traces: at the long level on each, in all views; else on every second one, in one view. The check level kills
# fewer reports and makes one round of many at once.
# time-limit: 300

set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
build=$PWD/${BUILD:-build}
names=$build/tests/fault/name_cache
report=$build/rwalker-report
dir=$(mktemp -d) || exit 1
trap 'umount -q "$dir/disk" 2>/dev/null; rm -rf "$dir"' EXIT
cache=$dir/names.sqlite
[[ ${CHECK_LEVEL-} = long ]] && long=1 || long=0

# judge NAME BAD WHY: BAD is 0 if all is well.
judge() { verdict "cache-$1" "$3" [ "$2" -eq 0 ]; }

# names_of FILE SEED [COUNT]: the names in out, the tally in tally, other messages in said.
names_of()
{
	"$names" report "$@" >"$dir/out" 2>"$dir/err"
	code=$?
	local line
	tally='' said=''
	while IFS= read -r line; do
		[[ $line = 'known '* ]] && tally=$line || said+=${said:+$'\n'}$line
	done <"$dir/err"
	((code == 0)) || said+=" (exit code $code)"
}

# report_code ARGUMENT...: the reporter's exit code; its output is in $dir/out and $dir/err.
report_code()
{
	"$report" "$@" >"$dir/out" 2>"$dir/err"
	echo $?
}

same_names()
{
	local bad=0

	names_of - 5
	cp "$dir/out" "$dir/none"
	[[ $tally = 'known 0 of 8000 wrong 0' ]] || bad=1
	names_of "$cache" 5
	cmp -s "$dir/out" "$dir/none" || bad=2
	names_of "$cache" 5
	cmp -s "$dir/out" "$dir/none" || bad=3
	[[ $tally = 'known 8000 of 8000 wrong 0' && -z $said ]] || bad=4
	judge same $bad "step $bad: $tally $said"
}

# A report prints the same with a cold cache, a warm one and none.
same_reports()
{
	local trace view bad=0 count=0 number=0 views=(--tree --stacks --needs -f '-v --stacks') shown

	rm -rf "${dir:?}/home"
	mkdir "$dir/home"
	for trace in samples/*/trace.rwk; do
		shown=("${views[@]}")
		if ((!long)); then
			number=$((number + 1))
			((number % 2)) || continue
			shown=("${views[number / 2 % ${#views[@]}]}")
		fi
		for view in "${shown[@]}"; do
			# shellcheck disable=SC2086 # one or two options
			HOME=$dir/home XDG_CACHE_HOME='' "$report" $view --no-cache "$trace" >"$dir/none" 2>&1
			for how in cold warm; do
				# shellcheck disable=SC2086
				HOME=$dir/home XDG_CACHE_HOME='' "$report" $view --color=never "$trace" >"$dir/report" 2>&1
				cmp -s "$dir/report" "$dir/none" || { bad=1; tally="$trace $view $how"; }
			done
			count=$((count + 1))
		done
	done
	judge reports $((bad || count < 5)) "$tally differs, of $count"
}

many_at_once()
{
	local i bad=0 round rounds=1

	((long)) && rounds=3
	rm -f "$cache"
	for ((round = 1; round <= rounds; round++)); do
		for i in 1 2 3 4 5 6 7 8; do
			"$names" report "$cache" $((round * i)) >"$dir/out.$i" 2>"$dir/err.$i" &
		done
		wait
		for i in 1 2 3 4 5 6 7 8; do
			names_of - $((round * i))
			cmp -s "$dir/out" "$dir/out.$i" || bad=1
			[[ $(<"$dir/err.$i") = 'known '*' wrong 0' && $(<"$dir/err.$i") != *$'\n'* ]] || bad=2
		done
	done
	names_of "$cache" $((rounds * 8)) # no name that any of them found is lost
	[[ $tally = 'known 8000 of 8000 wrong 0' ]] || bad=3
	judge at-once $bad "step $bad: $tally $(cat "$dir"/err.?)"
}

# Reports are killed at times that hit all of their phases: up to twice the time of one report here. Each cache that
# is left must open, and have right answers or none. 40 reports at the check level.
killed()
{
	local i pid bad=0 known=0 first='' span count=40

	((long)) && count=200
	rm -f "$cache"
	span=${EPOCHREALTIME/[.,]/}
	names_of "$cache" 5
	span=$((${EPOCHREALTIME/[.,]/} - span)) # microseconds
	for ((i = 0; i < count; i++)); do
		((i % 5)) || rm -f "$cache"
		"$names" loop "$cache" $((i * 1000)) 2>>"$dir/loop" &
		pid=$!
		sleep "$((RANDOM * 2 * span / 32768))e-6"
		kill -9 "$pid"
		wait "$pid" 2>/dev/null
		names_of "$cache" "$i" 50
		((code == 0)) && [[ -z $said ]] || { bad=$((bad + 1)); first=${first:-"try $i: exit code $code, '$said'"}; }
		[[ $tally = 'known '[1-9]* ]] && known=$((known + 1))
	done 2>/dev/null
	[[ -s $dir/loop ]] && bad=$((bad + 1))
	judge killed $((bad || known < count / 4)) "$bad of $count bad, in $known something was known; $first $(tail -n 1 "$dir/loop")"
	echo "# in $known of $count the cache knew something"
}

# unusable NAME TEXT: the same names, and one line that ends with that text.
unusable()
{
	local bad=0

	names_of - 9
	cp "$dir/out" "$dir/none"
	names_of "$cache" 9
	cmp -s "$dir/out" "$dir/none" && ((code == 0)) || bad=1
	[[ $said = *": $2" && $said != *$'\n'* ]] || bad=2
	judge "$1" $bad "step $bad, code $code: $said"
}

random_bytes()
{
	local before how code

	head -c 100000 /dev/urandom >"$cache"
	before=$(sha256sum <"$cache")
	unusable random "cannot use the cache '$cache': it is not a cache of rwalker-report; --no-cache does without it"
	for how in --cache-clear --cache-info; do
		code=$(report_code --cache "$cache" $how)
		[[ $code = 1 ]] && grep -q "'$cache': it is not a cache of rwalker-report" "$dir/err"
		judge "random$how" $? "exit code $code: $(cat "$dir/err")"
	done
	[[ $before = "$(sha256sum <"$cache")" ]]
	judge random-kept $? 'it was written to'
	rm -f "$cache"
}

other_version()
{
	rm -f "$cache"
	names_of "$cache" 9
	printf '\0\0\0\143' | dd of="$cache" bs=1 seek=60 conv=notrunc status=none # user_version, of the file format
	unusable version "the cache '$cache' was of another version: it is created again"
	names_of "$cache" 9
	names_of "$cache" 9
	[[ $tally = 'known 8000 of 8000 wrong 0' && -z $said ]]
	judge version-anew $? "$tally $said"
}

read_only()
{
	local runner=()

	if ((EUID == 0)); then
		command -v setpriv >/dev/null || { echo 'skip cache-read-only - needs setpriv, or not to be root'; return; }
		runner=(setpriv --reuid 65534 --regid 65534 --clear-groups)
		chmod 755 "$dir"
		chown 65534:65534 "$cache"
	fi
	chmod 444 "$cache"
	"${runner[@]}" "$names" report "$cache" 9 >"$dir/out" 2>"$dir/err"
	code=$?
	cmp -s "$dir/out" "$dir/none" && ((code == 0)) &&
		[[ $(grep -c . "$dir/err") = 2 ]] && grep -q "cannot use the cache '.*': Permission denied; --no-cache does without it" "$dir/err"
	judge read-only $? "$(cat "$dir/err")"
	rm -f "$cache"
}

a_folder()
{
	mkdir "$cache"
	unusable folder "cannot use the cache '$cache': Is a directory; --no-cache does without it"
	rmdir "$cache"
}

# Disk sizes at which the file cannot be created, and at which it can but not everything fits.
full_disk()
{
	local size bad=0 full=0

	mkdir "$dir/disk"
	if ! mount -t tmpfs -o size=64k none "$dir/disk" 2>/dev/null; then
		echo 'skip cache-full-disk - no right to mount'
		return
	fi
	umount "$dir/disk"
	for size in 4 8 16 32 48 64 96 128 160 192 256 320 384; do
		mount -t tmpfs -o "size=${size}k" none "$dir/disk"
		names_of "$dir/disk/names.sqlite" 9
		cmp -s "$dir/out" "$dir/none" && ((code == 0)) && [[ $said != *$'\n'* ]] || bad=1
		[[ $said = *'cannot use the cache '*': No space left on device'* ]] && full=$((full + 1))
		names_of "$dir/disk/names.sqlite" 9
		cmp -s "$dir/out" "$dir/none" && ((code == 0)) && [[ $tally = *' wrong 0' ]] || bad=2
		umount "$dir/disk"
	done
	judge full-disk $((bad || full < 3)) "step $bad, $full sizes were too small: $said"
}

info_and_clear()
{
	local bad=0

	rm -f "$cache"
	names_of "$cache" 9
	"$report" --cache "$cache" --cache-info >"$dir/info" || bad=1
	grep -q '^modules  4$' "$dir/info" && grep -q "^cache    $cache$" "$dir/info" || bad=2
	[[ $(grep -c '  module-[0-9]*  [0-9a-f]\{40\}$' "$dir/info") = 4 ]] || bad=3
	"$report" --cache "$cache" --cache-clear || bad=4
	"$report" --cache "$cache" --cache-info | grep -q '^modules  0$' || bad=5
	names_of "$cache" 9
	[[ $tally != 'known 8000 of 8000'* && -z $said ]] || bad=6
	judge info $bad "step $bad: $(cat "$dir/info") $said"
}

# Root writes nothing to a user's home, and nothing at all if it has no home.
homes()
{
	local bad=0

	if ((EUID)); then
		echo 'skip cache-homes - needs root'
		return
	fi
	rm -rf "${dir:?}/home"
	mkdir "$dir/home"
	chown 65534 "$dir/home"
	[[ $(HOME=$dir/home XDG_CACHE_HOME='' report_code --cache-info) = 1 ]] || bad=1
	[[ $(HOME='' XDG_CACHE_HOME=$dir/home/.cache report_code --cache-info) = 1 ]] || bad=2
	[[ $(unset HOME XDG_CACHE_HOME; report_code --cache-info) = 1 ]] || bad=3
	HOME=$dir XDG_CACHE_HOME='' "$report" --cache-info | grep -q "^cache    $dir/.cache/rwalker/names.sqlite" || bad=4
	HOME='' XDG_CACHE_HOME=$dir/c "$report" --cache-info | grep -q "^cache    $dir/c/rwalker/names.sqlite" || bad=5
	[[ -z $(ls -A "$dir/home") ]] || bad=6
	judge homes $bad "step $bad"
}

# make_mini PROGRAM OUT: a program whose functions have names only in MiniDebugInfo.
make_mini()
{
	nm "$1" | awk '$2 ~ /[tT]/ { print $3 }' >"$dir/keep"
	objcopy --only-keep-debug "$1" "$dir/debug" && objcopy -S --keep-symbols="$dir/keep" "$dir/debug" "$dir/mini" &&
		xz -f "$dir/mini" && objcopy -S --add-section .gnu_debugdata="$dir/mini.xz" "$1" "$2"
}

# Symbols that were unpacked once are not unpacked a second time, and the names are the same.
unpacked_symbols()
{
	local bad=0 how

	make_mini "$build/tests/live/workloads/burn" "$dir/burn" 2>"$dir/err" || { echo "skip cache-mini - cannot make the program: $(head -n 1 "$dir/err")"; return; }
	if ! "$build/rwalker-record" -p 1 -u --embed none -o "$dir/mini.rwk" -- "$dir/burn" burn 1 user >"$dir/err" 2>&1; then
		echo 'skip cache-mini - cannot record here'
		return
	fi
	rm -f "$cache"
	for how in --no-cache "--cache=$cache" "--cache=$cache"; do
		"$report" --debug-dir "$dir" "$how" --stacks "$dir/mini.rwk" >"$dir/report" 2>"$dir/err" || bad=1
		[[ $how = --no-cache ]] && cp "$dir/report" "$dir/none"
		cmp -s "$dir/report" "$dir/none" && [[ ! -s $dir/err ]] || bad=2
	done
	grep -q burn_user "$dir/none" || bad=3
	"$report" --cache "$cache" --cache-info | grep -q '[0-9] [KB]*  burn  ' || bad=4
	judge mini $bad "step $bad: $(cat "$dir/err") $("$report" --cache "$cache" --cache-info)"
}

same_names
same_reports
unpacked_symbols
many_at_once
killed
random_bytes
other_version
read_only
a_folder
full_disk
info_and_clear
homes
