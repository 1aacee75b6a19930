#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# The page of --html is only what it should be, whatever the names in the trace are, and keeps to a limit of size. Its
# figures: tests/page/test_page.sh.
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
		ok "$1"
	else
		not_ok "$1" "$(tail -n 5 <<<"$why" | tr '\n' ' ')"
	fi
}

# Names that are markup, controls, malformed, nothing, or as long as names can be.
for ((number = 0; number < 11; number++)); do
	kind=$(tests/golden/hostile.sh "$scratch/hostile.rwk" $number) || not_ok hostile "there is no name $number"
	same "hostile_$kind" "$scratch/hostile.rwk"
done

# The checker finds what is not ours.
printf '#!/bin/sh\n"%s" "$@" | sed "s/<h1>/&<a href=x>/"\n' "$report" >"$scratch/wrong"
chmod +x "$scratch/wrong"
exits finds_markup 1 python3 tests/golden/page_check.py "$scratch/wrong" samples/waits/trace.rwk

# Its figures are those of the texts, by its own code; all samples: tests/page/test_page.sh.
if command -v node >/dev/null; then
	"$report" --no-cache --no-local-files --html --throughout samples/waits/trace.rwk 2>/dev/null |
		node tests/page/selftest_lines.mjs - >"$scratch/lines"
	exits figures 0 python3 tests/page/selftest_check.py "$report" samples/waits/trace.rwk --throughout --no-local-files <"$scratch/lines"
else
	skip_one figures "'node' is missing (apt-get install nodejs)"
fi

# A page that does not fit is refused, and leaves nothing; a file that exists is not replaced.
exits too_little 1 "$report" --html --max-page 1K samples/waits/trace.rwk -o "$scratch/page.html"
verdict says_why "$(cat "$scratch/err")" grep -q 'max-page 1.0 KB is too little' "$scratch/err"
verdict leaves_nothing 'there is a file' [ ! -e "$scratch/page.html" ]
whole=$("$report" --no-cache --html samples/case_fsync/trace.rwk 2>/dev/null | wc -c)
for less in 3000 9000; do
	exits "fits_less_$less" 0 "$report" --no-cache --html --max-page $((whole - less)) samples/case_fsync/trace.rwk -o "$scratch/$less.html"
	size=$(stat -c %s "$scratch/$less.html")
	verdict "is_within_less_$less" "$size of $whole" [ "$size" -le $((whole - less)) ]
done
exits writes 0 "$report" --html samples/waits/trace.rwk -o "$scratch/page.html"
exits keeps_what_is_there 1 "$report" --html samples/waits/trace.rwk -o "$scratch/page.html"
"$report" --html samples/waits/trace.rwk >"$scratch/stdout.html"
verdict same_on_stdout 'the pages differ' cmp -s "$scratch/page.html" "$scratch/stdout.html"
exit $((failures > 0))
