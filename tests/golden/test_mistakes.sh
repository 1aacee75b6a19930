#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What a tired person who knows perf, bcc and strace types: each answer says what is wrong and what would work.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
build=$PWD/${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The cases are rows of a table: what somebody typed, the exit code, and what the answer must say, as fixed strings,
# separated by ';'. Every line is run in an empty folder and must leave nothing there.

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

# Files that are not traces. $OTHER is their folder.
export OTHER=$scratch/other
mkdir "$OTHER"
cp samples/waits/trace.rwk "$OTHER/trace.rwk"
cp samples/mangled/trace.rwk "$OTHER/mangled.rwk"
gzip -k "$OTHER/trace.rwk"
printf 'PERFILE2 and more' >"$OTHER/perf.data"
printf '\027\010\104tracing6' >"$OTHER/trace.dat"
printf 'bash;main;read 12\nbash;main 3\n' >"$OTHER/out.folded"
printf '# cpu cpu-clock: 3 samples\n' >"$OTHER/report.txt"
printf 'SQLite format 3\0' >"$OTHER/names.sqlite"
printf '{"a": 1}' >"$OTHER/profile.json"
printf '\050\265\057\375....' >"$OTHER/trace.zst"
printf '\1\2\3\4\5' >"$OTHER/bytes"
: >"$OTHER/empty.rwk"
cp /bin/ls "$OTHER/program"

# contradictions PROGRAM: habits of other programs that are options of this one.
contradictions()
{
	local habits=report/report_options.c
	[[ $1 == report ]] || habits=record/plan/record_options.c
	comm -12 <(grep -oE '\{"--?[a-zA-Z-]+", ([A-Z]|")[^-]' "$habits" | grep -oE -- '--?[a-zA-Z-]+' | sort -u) \
		<("$build/rwalker-$1" --help=all | grep -oE -- '(^|[ ,])--?[a-zA-Z][a-z-]*' | tr -d ' ,' | sort -u)
}

for program in record report; do
	lines=$("$build/rwalker-$program" --help | wc -l)
	verdict "the help of rwalker-$program fits a screen" "it has $lines lines" [ "$lines" -le 40 ]
done

for program in record report; do
	verdict "no habit is an option of rwalker-$program" "$(contradictions $program | tr '\n' ' ')" [ -z "$(contradictions $program)" ]
done

answers "$build/rwalker-record" "$build/rwalker-report" "$PWD/samples/waits/trace.rwk" "$scratch" <<'TABLE'
# first words of other programs
record 2 | record -g sleep 1           | 'record'; rwalker-record -p 5
record 2 | record                      | 'record' is not needed
record 2 | report                      | rwalker-report t.rwk
record 2 | offwaketime                 | --wakers
# a command without "--", a number without an option, a trace
record 2 | sleep 1                     | rwalker-record -- sleep 1
record 2 | -u sleep 1                  | rwalker-record -u -- sleep 1
record 2 | -p 5 make -j2               | rwalker-record -p 5 -- make -j2
record 2 | nginx                       | --pid or -c
record 2 | 5                           | -p 5; --offcpu 5
record 2 | --offcpu 5 10               | '10' belongs to no option
record 2 | --completion zsh            | 'zsh' belongs to no option; --completion=zsh
record 2 | --pid 12 13                 | by commas; --pid 12,345
record 2 | -P 0 1                      | by commas
record 2 | --dwarf 8192                | --dwarf-size 8192
record 2 | old.rwk                     | rwalker-report old.rwk
record 2 | -o new.rwk old.rwk          | rwalker-report old.rwk
# perf record
record 2 | -g                          | -u; kernel stacks are always recorded
record 2 | -ag                         | '-g'; -u
record 2 | --call-graph dwarf          | --dwarf; -u
record 2 | -F99                        | -f 99
record 2 | -e cycles                   | --trace; -p 5
record 2 | -C 0-3                      | -P 0-3
record 2 | -a -- sleep 1               | --system-wide -- COMMAND
record 2 | -p nginx                    | --pid; -p 5
# bcc's profile, offcputime, stackcount; strace
record 2 | -c '*nginx*' -p 1           | nothing to repeat; anywhere in a name
record 2 | --offcpu 5 --state D,S      | letters from RSDKITtFZXP
record 2 | --offcpu 5 -m 1h            | 2147483647us
record 2 | '-p 5'                      | 500ms; --pid 1234
# slips of the finger
record 2 | -pid 12                     | one dash; --pid
record 2 | --offcp 5                   | --offcpu
record 2 | --dwraf                     | --dwarf
record 2 | --xyzzyxyzzy                | --help
record 2 | -p                          | -p requires a value
record 2 | --offcpu                    | --offcpu requires a value
record 2 | --offcpu -u                 | '-u'; 500ms
record 2 | -p 5x                       | '5x'; 500ms
record 2 | -p 5,5                      | '5,5'
record 2 | -i 0                        | from 0.1s
record 2 | -d 0                        | from 0.001s
record 2 | -m 1x --offcpu 1            | microseconds; 2ms
record 2 | -w soon                     | 2m
record 2 | -f 0                        | from 1 to
record 2 | -M 10 --offcpu 1            | -M must not be less than -m
record 2 | -m 10                       | require --offcpu
record 2 | -C 5                        | -C requires -i
record 2 | --pid nginx                 | -c '^NAME$'
record 2 | --pid ''                    | is there such a process?
record 2 | --tid -5                    | 12,345
record 2 | --state Q --offcpu 1        | RSDKITtFZXP
record 2 | --max-size 10MB             | 500M
record 2 | --flight 60s                | something that goes on
record 2 | --flight 1G -p 0            | 60s or 60s,64M
record 2 | --flight 60s,1M -p 0        | at least 8192K
record 2 | --flight 60s -p 0 -o -      | -o cannot be '-'
record 2 | --flight 60s -p 0 --max-kept 1x | a size such as 500M
record 2 | --trigger 'wait:D>1s' -p 0  | require --flight
record 2 | --trigger wait:D1s          | expects '>' where it has '1s'
record 2 | --trigger 'wait:Q>1s'       | SDTtKI, or comm=/PATTERN/ where it has 'Q>1s'
record 2 | --trigger 'psi:cpu>30%/2s'  | .some or .full where it has '>30%/2s'
record 2 | --trigger 'psi:io.full>30%' | is incomplete
record 2 | --trigger 'slow>1s'         | wait, runq, stuck, psi, cpu or exec
record 2 | --dwarf-size 8192           | requires --dwarf
record 2 | --dwarf --dwarf-size 1      | from 1024
record 2 | --help=some                 | all
record 2 | --trace                     | requires a value
record 2 | --trace :5                  | sched:sched_switch
record 2 | --system-wide               | a command after '--'
record 2 | -s -a                       | -s cannot be used
record 2 | --user=1                    | takes no value

# the reporter: perf report and perf script
report 2 |                             | no trace given
report 2 | report                      | rwalker-report t.rwk
report 2 | record                      | rwalker-record
report 2 | annotate                    | lines
report 2 | -i $TRACE                   | rwalker-report FILE
report 2 | --stdio $TRACE              | plain text
report 2 | --no-children $TRACE        | --tree
report 2 | -g $TRACE                   | --tree
report 2 | --sort comm,dso $TRACE      | --by comm
report 2 | --flamegraph $TRACE         | --svg
report 2 | --svg=chart $TRACE          | flame or icicle
report 2 | --json $TRACE               | --export sqlite
report 2 | --csv $TRACE                | --export sqlite
report 2 | --export sqlite $TRACE      | requires -o FILE
report 2 | --export sqlite -o - $TRACE | requires -o FILE
report 2 | --diff $TRACE               | --diff requires --base FILE
report 2 | --base $TRACE $TRACE        | --base requires --diff
report 2 | --tree --base $TRACE $TRACE | --base goes with --diff
report 2 | diff $TRACE $TRACE          | --diff --base
report 2 | -p 12 $TRACE                | rwalker-record; --pid
report 2 | --offcpu 5 $TRACE           | rwalker-record; --source offcpu
report 2 | --by pid $TRACE             | comm, process, thread, container, cgroup, cpu or host
report 2 | --wakers=5 $TRACE           | takes no value
report 2 | --functions=foo $TRACE      | self, total, count, name or module
# values after a blank, slips
report 2 | --top-waits 5 $TRACE        | --top-waits=5
report 2 | --chains nginx $TRACE       | --chains=nginx
report 2 | --color never $TRACE        | --color=never
report 2 | -tree $TRACE                | one dash; --tree
report 2 | --chans $TRACE              | --chains
report 2 | --tree --folded $TRACE      | one view at a time
report 2 | --user-threads --kernel-threads $TRACE | cannot be used together
report 2 | --pid nginx $TRACE          | -c '^NAME$'
report 2 | -c '(' $TRACE               | regular expression
report 2 | --class sleeping $TRACE     | blocked
report 2 | --source disk $TRACE        | offcpu
report 2 | --time 5 $TRACE             | 1.5,20
report 2 | --at noon $TRACE            | 12:00:03.25
report 2 | -m 5x $TRACE                | 2ms
report 2 | -i 0 --folded $TRACE        | 500ms
report 2 | -i 5 $TRACE                 | rwalker-record -i
report 2 | --state Q $TRACE            | RSDKITtFZXP
report 2 | --min-percent 1% $TRACE     | from 0 to 100
report 2 | --max-memory lots $TRACE    | 512M
report 2 | --export svg $TRACE         | perf-script, speedscope, chrome
report 2 | -o out.txt $TRACE           | > FILE
report 2 | --help=some                 | all
# names that fit nothing, files that are none
report 1 | -c '^nosuch$' $TRACE        | fits -c ^nosuch$; 'clerk'
report 1 | --pid 999999 $TRACE         | fits --pid 999999
report 1 | --chains=nosuch $TRACE      | fits --chains=nosuch
report 1 | --time 100,200 $TRACE       | fits --time 100,200; offcpu, wakers; 2.10 s
report 1 | --source kfunc $TRACE       | fits --source kfunc; offcpu, wakers
report 1 | --on nosuch $TRACE          | fits --on nosuch; what they were for is not known
report 1 | --probe nosuch $TRACE       | fits --probe nosuch; offcpu, wakers
report 1 | --chains --source cpu $TRACE | fits --source cpu
report 1 | --kernel-threads $TRACE       | fits --kernel-threads; offcpu, wakers
report 1 | nosuch.rwk                  | there is no file 'nosuch.rwk'
report 1 | $OTHER                      | is a folder
report 1 | $OTHER/perf.data            | perf report -i
report 1 | $OTHER/trace.dat            | trace-cmd report -i
report 1 | $OTHER/out.folded           | flamegraph.pl
report 1 | $OTHER/report.txt           | a report already
report 1 | $OTHER/trace.rwk.gz         | gzip -dc; rwalker-report -
report 1 | $OTHER/trace.zst            | zstd -dc
report 1 | $OTHER/names.sqlite         | --cache=
report 1 | $OTHER/profile.json         | JSON
report 1 | $OTHER/program              | rwalker-record -u --
report 1 | $OTHER/empty.rwk            | is empty
report 1 | $OTHER/bytes                | not an rwalker trace

# times with units, and what is no mistake
record 0 | --help                      | --help=all
report 0 | --help                      | --help=all
record 0 | -h                          | Usage
report 0 | -q -m 2ms --summary $TRACE  | filters: -m 2ms
report 0 | -q --time 0.5s,1500ms --summary $TRACE | filters: --time
report 0 | -q --at 1970-01-01T00:00:00 $TRACE | before the host was booted
report 0 | -q --at 999 $TRACE          | outside of the recording
report 0 | -q --mangled --functions --no-local-files $OTHER/mangled.rwk | _ZN4shop6basket
TABLE
[ "$failures" -eq 0 ]
