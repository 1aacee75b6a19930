#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# record.sh [FOLDER...]: records FOLDER/trace.rwk again, for each FOLDER (default: all of samples/) with a file record.args, the
# arguments of the recorder, or case.sh, which makes a host's trouble and records it (record_case.sh has the functions it
# calls). Then look at the reports and accept them: tests/golden/test_golden.sh --accept FOLDER...
# It records in a virtual machine with a kernel of Debian's, where only this workload runs: a trace names all programs
# of its host, their folders and the host, and none of these of yours must get into the repository.
# RECORDER is the recorder, BUILD the folder of the workloads. Needs qemu-system-x86, and for cases postgresql, gcc and make;
# "make all test-programs" before. The clock of cases counts the guest's instructions, so that no other load of this machine
# is in them.
# A sample with a trace.text is not recorded: tests/make_trace makes its trace, when tests are built.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
recorder=${RECORDER:-$build/rwalker-record}
readonly KERNEL=6.12-cloud TIME_LIMIT=1800
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Copies libraries of programs to where they are on Debian; its /lib and /lib64 are links.
add_libraries()
{
	local library place

	ldd "$@" | awk '$2 == "=>" && $3 ~ /^\// { print $3 } $1 ~ /^\// && NF == 2 { print $1 }' | sort -u |
		while IFS= read -r library; do
			place=$(dirname "$(realpath "$library")")
			install -D "$library" "$work/tree$place/${library##*/}"
			[[ $library != /lib64/* ]] || ln -sf "$place/${library##*/}" "$work/tree/lib64/"
		done
}

# Lines "NUMBER ARGUMENTS" or "NUMBER case NAME", and the guest's files.
list_of()
{
	local number=0 folder

	for folder; do
		if [[ -e $folder/case.sh ]]; then
			echo "$number case ${folder##*/}"
			install -D "$folder/case.sh" "$top/cases/${folder##*/}.sh"
		else
			echo "$number $(<"$folder/record.args")"
		fi
		number=$((number + 1))
	done
}

# A program where it is here, with its libraries: PATH.
add_program()
{
	local place

	place=$(dirname "$(realpath "$1")")
	install -D "$1" "$work/tree$place/$(basename "$(realpath "$1")")"
	[[ $place/${1##*/} == "$(realpath "$1")" ]] || ln -sf "$(realpath "$1")" "$work/tree$place/${1##*/}"
	add_libraries "$1"
}

# What cases use of other people's programs.
add_programs()
{
	local server compiler program

	server=$(find /usr/lib/postgresql -path '*/bin/postgres' | sort -V | tail -n 1)
	for program in "${server%/*}"/{postgres,initdb,pg_ctl,psql}; do add_program "$program"; done
	cp -r --parents "${server%/bin/*}/lib" "/usr/share/postgresql/$(basename "${server%/bin/*}")" "$work/tree"
	rm -rf "$work/tree${server%/bin/*}/lib/"{bitcode,pgxs}
	compiler=$(dirname "$(gcc -print-prog-name=cc1)")
	for program in /usr/bin/{gcc,as,make,setpriv,unshare}; do add_program "$program"; done
	install -D "$compiler/cc1" "$work/tree$(realpath "$compiler")/cc1"
	add_libraries "$compiler/cc1"
	install samples/record_case.sh "$top/"
	echo "${server%/*}" >"$top/postgres"
}

folders=("${@%/}")
if (($# == 0)); then
	for arguments in samples/*/{record.args,case.sh}; do
		folders+=("${arguments%/*}")
	done
fi
programs=("$build"/samples/*)
top=$work/tree/src/rwalker
mkdir -p "$top/build/samples" "$work"/tree/{lib64,usr/{bin,lib}}
ln -s usr/lib "$work/tree/lib"
for program in "${programs[@]}"; do
	[[ $program == *.d ]] || install "$program" "$top/build/samples/"
done
install "$recorder" "$top/build/rwalker-record"
install "$build/rwalker-report" "$top/build/"
add_libraries "$top"/build/samples/* "$top"/build/rwalker-{record,report}
list_of "${folders[@]}" >"$top/list"
clock=${CLOCK-}
if [[ -d $top/cases ]]; then
	add_programs
	clock=${CLOCK--i}
fi
tar cf "$work/recording.tar" -C "$work/tree" .

tests/vm/fetch.sh "$KERNEL"
# shellcheck disable=SC2086 # nothing, or one word
if ! tests/vm/vm.sh $clock -t "$TIME_LIMIT" "$KERNEL" samples/record_guest.sh "$work/out" "$work/recording.tar"; then
	tail -n 30 "$work/out/console.log" | cat -v >&2
	exit 1
fi
for number in "${!folders[@]}"; do
	install -m 644 "$work/out/$number.rwk" "${folders[number]}/trace.rwk"
	[[ ! -e $work/out/$number.cause ]] || install -m 644 "$work/out/$number.cause" "${folders[number]}/cause"
	ls -l "${folders[number]}/trace.rwk"
done
