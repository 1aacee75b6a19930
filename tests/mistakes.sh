# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sourced by tests whose cases are rows of a table on stdin: what somebody typed, the exit code, and what the answer
# must say, as in   record 2 | -g | -u; user stacks
# The words are fixed strings, separated by ';'. Every line is run in an empty folder and must leave nothing there.

# answers RECORD REPORT TRACE SCRATCH <TABLE: $TRACE in a row is replaced by TRACE, which exists.
answers()
{
	local program code typed words rows=0 name

	while IFS='|' read -r name typed words; do
		[[ $name && $name != \#* ]] || continue
		read -r program code <<<"$name"
		rows=$((rows + 1))
		judge_answer "$1" "$2" "$3" "$4" "$program" "$code" "$typed" "$words"
	done
	echo "ok $rows lines were typed"
}

# judge_answer RECORD REPORT TRACE SCRATCH PROGRAM CODE TYPED WORDS
judge_answer()
{
	local typed=${7//\$TRACE/$3} word words said rc missing='' program=$1

	[[ $5 == record ]] || program=$2
	[[ -d $4/empty ]] || mkdir "$4/empty"
	said=$(cd "$4/empty" && eval "timeout -k 5 60 '$program' $typed" </dev/null 2>&1)
	rc=$?
	IFS=';' read -r -a words <<<"$8"
	for word in "${words[@]}"; do
		word=${word#"${word%%[! ]*}"}
		[[ ! $word || $said == *"$word"* ]] || missing+=" '$word'"
	done
	if ((rc != $6)); then
		not_ok "$5$7" "exit code $rc, not $6: ${said:0:300}"
	elif [[ $missing ]]; then
		not_ok "$5$7" "the answer lacks$missing: ${said:0:300}"
	elif compgen -G "$4/empty/*" >/dev/null || compgen -G "$4/empty/.[!.]*" >/dev/null; then
		not_ok "$5$7" "it left $(ls -A "$4/empty")"
		rm -rf "$4/empty"
	else
		ok "$5$7"
	fi
}
