#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# A missing debug file is fetched from a debuginfod server on loopback with --debuginfod; without it
# no connection is made, whatever the environment says. The answer counts only with the right build-id.
. "$(dirname "$0")/lib.sh"

# status_of PATH: the HTTP status that the server answers with.
status_of() {
	exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
	printf 'GET %s HTTP/1.0\r\n\r\n' "$1" >&3
	head -n 1 <&3 | cut -d ' ' -f 2
	exec 3<&-
} 2>/dev/null

serves() { [ "$(status_of "/buildid/$id/$1")" = 200 ]; } # KIND

start_server() {
	local tries
	for tries in 1 2 3 4 5; do
		port=$((20000 + (RANDOM + tries) % 20000))
		start debuginfod -p "$port" -d "$scratch/index.sqlite" -F "$scratch/served" >"$scratch/server.log" 2>&1
		wait_for 20 serves debuginfo && return 0
		kill "$started" 2>/dev/null
	done
	return 1
}

# leaf_share FILE OPTION...: share of samples in a function of the stripped workload.
leaf_share() {
	folded "$scratch/none.rwk" "${@:2}" >"$scratch/$1"
	folded_share "$scratch/$1" ';alpha;leaf'
}

need_recording
need_tool debuginfod objcopy strace readelf
mkdir "$scratch/served" "$scratch/cache" "$scratch/bin" "$scratch/empty"
cp "$workloads/cpu_paths" "$scratch/bin/cpu_paths"
objcopy --only-keep-debug "$scratch/bin/cpu_paths" "$scratch/served/cpu_paths.debug"
strip "$scratch/bin/cpu_paths"
cp "$scratch/bin/cpu_paths" "$scratch/served/"
id=$(readelf -n "$scratch/bin/cpu_paths" | awk '/Build ID/ { print $3 }')
run_ok none "$record" -u -f 999 --embed none -o "$scratch/none.rwk" -- "$scratch/bin/cpu_paths" 1
start_server || skip "debuginfod does not start here: $(tail -n 1 "$scratch/server.log")"
export DEBUGINFOD_URLS="http://127.0.0.1:$port" DEBUGINFOD_CACHE_PATH="$scratch/cache"
export XDG_CACHE_HOME="$scratch"

check_equal "named without the option" 0.000000 "$(leaf_share without.folded)"
strace -f -e trace=connect,socket -o "$scratch/strace" "$report" --tree "$scratch/none.rwk" >/dev/null 2>&1
check "no connection without the option" lacks -E 'connect\(|socket\(AF_INET' "$scratch/strace"
check_number "named with it" "$(leaf_share with.folded --debuginfod) > 0.1"
check "the file was fetched" test -s "$scratch/cache/$id/debuginfo"
"$report" --needs -v --debuginfod "$scratch/none.rwk" >"$scratch/needs" 2>&1
check "--needs -v says where names are from" \
	grep -q "cpu_paths: its debug file, from a debuginfod server ('$scratch/cache/$id/debuginfo')" "$scratch/needs"

# On a machine without the program, the program must be fetched first: only the program says where its code is.
check_equal "named where the program is missing" 0.000000 "$(leaf_share elsewhere.folded --symfs "$scratch/empty")"
check_number "named where all is fetched" "$(leaf_share fetched.folded --symfs "$scratch/empty" --debuginfod) > 0.1"
check "the program was fetched" test -s "$scratch/cache/$id/executable"

# A server that sends another program's file.
cp /bin/true "$scratch/other" && chmod u+w "$scratch/cache/$id/debuginfo" && cat "$scratch/other" >"$scratch/cache/$id/debuginfo"
check_equal "names from another program's file" 0.000000 "$(leaf_share other.folded --debuginfod)"
"$report" --info --debuginfod "$scratch/none.rwk" >"$scratch/info" 2>/dev/null
check "it is named and refused" grep -q "'$scratch/cache/$id/debuginfo' was refused" "$scratch/info"

# Root reads a stranger's trace as a user without a home: what is fetched is used, and nothing of it stays.
if [ "$EUID" = 0 ]; then
	cp "$scratch/none.rwk" "$scratch/strange.rwk" && chmod 711 "$scratch" && chown 65533 "$scratch/strange.rwk"
	mkdir -m 700 "$scratch/home"
	env -u DEBUGINFOD_CACHE_PATH -u XDG_CACHE_HOME HOME="$scratch/home" "$report" --folded --debuginfod "$scratch/strange.rwk" \
		>"$scratch/strange.folded" 2>"$scratch/strange.err"
	check_number "a stranger's trace is named" "$(folded_share "$scratch/strange.folded" ';alpha;leaf') > 0.1"
	check "it says that files are not kept" grep -q -e '--debuginfod: fetched files are not kept' "$scratch/strange.err"
	check_equal "no file stays" '' "$(find "$scratch/home" -name debuginfo; compgen -G '/tmp/rwalker-fetched-*')"
fi

# No server there, no server given.
rm -r "$scratch/cache" && mkdir "$scratch/cache"
SECONDS=0
DEBUGINFOD_URLS="http://127.0.0.1:9" "$report" --folded --debuginfod "$scratch/none.rwk" >/dev/null 2>"$scratch/nobody.err"
check_equal "exit code without a server" 0 $?
check_number "time without a server" "$SECONDS < 30"
check "it says that nobody answers" grep -q 'warning: --debuginfod: ' "$scratch/nobody.err"
env -u DEBUGINFOD_URLS "$report" --folded --debuginfod "$scratch/none.rwk" >/dev/null 2>"$scratch/unnamed.err"
check "it says that no server is named" grep -q 'DEBUGINFOD_URLS names no server' "$scratch/unnamed.err"
finish
