#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The page of --html, read by a program that knows only its specification: each column is used up, each number is
# within its table, and the figures agree with the text reports, for every sample (CHECK_LEVEL=check: every third),
# for several traces, with filters, and within a limit of size.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
export PYTHONDONTWRITEBYTECODE=1

report=$PWD/${BUILD:-build}/rwalker-report
[[ -x $report ]] || { echo "not ok html - '$report' is not built"; exit 1; }
command -v python3 >/dev/null || { echo "skip html - 'python3' is not installed"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# same NAME TRACE [OPTION]...
same()
{
	local why
	if why=$(python3 tests/golden/page_check.py "$report" "${@:2}" 2>&1); then
		ok "$1 ($why)"
	else
		not_ok "$1" "$(tail -n 5 <<<"$why" | tr '\n' ' ')"
	fi
}

for trace in $(some_samples 1); do
	same "$(basename "${trace%/*}")" "$trace"
done
same filtered samples/case_fsync/trace.rwk -c '^(jbd2|fsync)' --time 1,8
same kernel_only samples/waits/trace.rwk -K
same compared samples/case_fsync/trace.rwk --base=samples/case_mount/trace.rwk
same compared_samples samples/cpu_paths/trace.rwk --base=samples/kernel_io/trace.rwk
same limited samples/case_fsync/trace.rwk --less=3000 --less=9000
same limited_samples samples/kernel_io/trace.rwk --less=1000

# Names that are markup, controls, malformed, nothing, or as long as names can be.
for ((number = 0; number < 8; number++)); do
	kind=$("${BUILD:-build}/tests/golden/make_hostile" "$scratch/hostile.rwk" $number) || not_ok hostile "there is no name $number"
	same "hostile_$kind" "$scratch/hostile.rwk"
done

# Two recordings in one file, on one axis; and the checker finds a wrong figure.
cat samples/waits/trace.rwk samples/case_mount/trace.rwk >"$scratch/two.rwk"
same two_recordings "$scratch/two.rwk"
finds()
{
	printf '#!/bin/sh\n"%s" "$@" | sed "%s"\n' "$report" "$2" >"$scratch/wrong"
	chmod +x "$scratch/wrong"
	if python3 tests/golden/page_check.py "$scratch/wrong" samples/waits/trace.rwk >"$scratch/out" 2>&1; then
		not_ok "finds_$1" "the script is content"
	else
		ok "finds_$1"
	fi
}
finds folded '/^clerk;.*[0-9]$/s/[0-9]$/&1/'
finds times '/ tid /s/^\( *[0-9]*\)\./\17./'
finds markup 's/<h1>/&<a href=x>/'

# A page that does not fit is refused, and leaves nothing; a file that exists is not replaced.
exits too_little 1 "$report" --html --max-page 1K samples/waits/trace.rwk -o "$scratch/page.html"
verdict says_why "$(cat "$scratch/err")" grep -q 'max-page 1.0 KB is too little' "$scratch/err"
verdict leaves_nothing 'there is a file' [ ! -e "$scratch/page.html" ]
exits writes 0 "$report" --html samples/waits/trace.rwk -o "$scratch/page.html"
exits keeps_what_is_there 1 "$report" --html samples/waits/trace.rwk -o "$scratch/page.html"
"$report" --html samples/waits/trace.rwk >"$scratch/stdout.html"
verdict same_on_stdout 'the pages differ' cmp -s "$scratch/page.html" "$scratch/stdout.html"
exit $((failures > 0))
