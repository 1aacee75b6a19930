#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# An unprivileged user plants files that the recorder, --finalize and the reporter read: a perf map, a program
# and its debug file, each in many ways that try to make root read another file, wait, or work without end.
# Each file that only root may read has a name of its own inside, which must not leak into any trace or report. The
# recording ends in time, and honest programs beside it have their names.
TMPDIR=/tmp # perf maps are there, and some attacks hard-link to them
. "$(dirname "$0")/lib.sh"

targets='map prog debug'
attacks='symlink hardlink fifo sparse huge replaced namespace' # and fuse
villain=65533 friend=65532 honest=65531 other=65530
cells=$scratch/cells
secrets=$scratch/secrets
patterns=$scratch/patterns
fuse=$scratch/fuse
empty=$scratch/empty
declare -A canary villains

hostile() { python3 "$here/tests/live/hostile_files.py" "$@"; }

# Runs a command as the user of the cell's program, $user.
as_villain() { exec setpriv --reuid="$user" --regid="$user" --clear-groups "$@"; }

# --- what is attacked ---------------------------------------------------------------------------

kind_of() { case $1 in prog | debug) echo elf ;; *) echo "$1" ;; esac; }

# attack_NAME TARGET FILE SECRET: replaces the file, which is the villain's own, by something else.
attack_honest() { :; }
attack_symlink() { ln -sfT "$3" "$2"; }
attack_hardlink() { ln -fT "$3" "$2"; }
attack_fifo() { rm "$2" && mkfifo -m 666 "$2"; }
attack_sparse() { hostile stretch "$(kind_of "$1")" "$2"; }
attack_huge() { hostile grow "$(kind_of "$1")" "$2" "$(at_level 200000 5000000)"; }
attack_namespace() { :; } # see run_in_namespace
attack_fuse() { ln -sfT "$fuse/${2##*/}" "$2"; } # for other targets: see serve
attack_replaced() {
	ln -s "$3" "$2.evil"
	(exec python3 "$here/tests/live/hostile_files.py" swap "$2" "$2.evil") &
	echo $! >>"$scratch/swappers"
}

# --- villains -----------------------------------------------------------------------------------

# run_in_namespace SHOWN PLACE COMMAND...: runs it as root of a user namespace of its own, where SHOWN is mounted over
# PLACE.
run_in_namespace() {
	local shown=$1 place=$2
	shift 2
	as_villain unshare -U -r -m sh -c 'mount --bind "$1" "$2" && shift 2 && exec "$@"' - "$shown" "$place" "$@"
}

# Each of these becomes the villain of one cell, with the program $folder/$name. Its process id is already $BASHPID.
run_map() {
	local map=/tmp/perf-$BASHPID.map
	echo "$map" "$map.evil" >>"$scratch/maps"
	mv "$folder/own" "$map"
	case $attack in
	namespace) run_in_namespace "$secret" "$map" "$folder/$name" ;;
	fuse) run_in_namespace "$fuse/map" "$map" "$folder/$name" ;;
	esac
	"attack_$attack" map "$map" "$secret"
	[ ! -L "$map" ] || chown -h $villain "$map"
	as_villain "$folder/$name"
}

# In the namespace, the program is at the path of a file of root's. Each run ends before the recorder can open it.
run_prog() {
	[ "$attack" != fuse ] || as_villain "$fuse/$name"
	[ "$attack" != namespace ] ||
		run_in_namespace "$folder/$name" "$secret" sh -c 'while :; do "$1" -; sleep 0.1; done' - "$secret"
	as_villain "$folder/$name"
}

run_debug() {
	[ "$attack" != namespace ] || run_in_namespace "$folder/$name" "$secrets/$name/$name" "$secrets/$name/$name"
	as_villain "$folder/$name"
}

# --- cells --------------------------------------------------------------------------------------

own_name() { printf 'own_name_in_a_%-10s' "$1" | tr ' ' _; } # all have the same length

# enter TARGET ATTACK: sets $target, $attack, $name, the villain's $folder, and root's $secret.
enter() {
	target=$1 attack=$2 name=$1-$2 folder=$cells/$1-$2
	secret=$secrets/$name/$name
	[ "$target" != debug ] || secret=$secrets/$name/names.debug
}

make_patterns() {
	mkdir "$patterns"
	hostile patterns "$patterns"
	cp "$workloads/villain" "$patterns/prog"
	objcopy --only-keep-debug "$patterns/prog" "$patterns/debug"
	cp "$patterns/debug" "$patterns/names.debug"
	(cd "$patterns" && objcopy -S --add-gnu-debuglink=names.debug prog stripped)
}

# The files of a cell: the villain's own, and root's with the name that must not leak. All ELF files of a cell have
# the same build-id.
cell_files() {
	local program=$patterns/prog
	mkdir -p "$folder" "$secrets/$name"
	canary[$name]=$(echo "canary of $name" | sha256sum | cut -c1-24 | tr 0-9a-f g-v) # no six letters are a word
	echo "$patterns/$target $secret ${canary[$name]} $name" >>"$scratch/files"
	case $target in
	prog) echo "$program $folder/$name $(own_name prog) $name" ;;
	debug)
		program=$patterns/stripped
		echo "$program $secrets/$name/$name none $name"
		echo "$patterns/debug $folder/names.debug $(own_name debug) $name" ;;
	*) echo "$patterns/$target $folder/own $(own_name "$target") $name" ;;
	esac >>"$scratch/files"
	[ "$target" = prog ] || echo "$program $folder/$name own_code_of_the_villain_ $name" >>"$scratch/files"
}

# The program's debug link matches the file that this cell is about: its own, or root's.
plant_debug() {
	local wanted=$secret
	hostile link "$secret" "$secrets/$name/$name"
	"attack_$attack" debug "$folder/names.debug" "$secret"
	case $attack in honest | huge) wanted=$folder/names.debug ;; esac
	hostile link "$wanted" "$folder/$name"
}

start_villain() {
	local user=$villain
	[ "$attack" != honest ] || user=$honest
	[ "$name" != debug-fuse ] || user=$other # his files are opened, whatever the villain's server does
	chmod 755 "$folder/$name"
	case $target-$attack in
	prog-sparse | prog-huge) "attack_$attack" prog "$folder/$name" ;;
	debug-*) plant_debug ;;
	esac
	chmod 600 "$secrets/$name"/*
	chown -hR "$user:$user" "$folder"
	"run_$target" &
	villains[$name]=$!
	children="$children $!"
}

# all_cells ATTACKS COMMAND: for each cell of them.
all_cells() {
	local one kind
	for kind in $1; do
		for one in $targets; do
			enter "$one" "$kind"
			"$2"
		done
	done
}

# --- recordings ---------------------------------------------------------------------------------

# Milliseconds for heavy files, for all other files, for the helpers' end, and a margin for a busy machine.
deadline() { sed -nE "s/^\\s*DEADLINE_$1 = ([0-9]+),.*/\\1/p" "$here/record/plan/deadlines.h"; }
bound=$((7 * $(deadline FILE) + 40 * $(deadline PROCESS) + $(deadline START)))

# seen TRACE COMM...: whether each comm has enough samples for some to be in every part of its code.
seen() {
	local trace=$1
	shift
	"$report" --folded --no-local-files --source cpu "$trace" 2>/dev/null >"$scratch/seen"
	awk -v comms="$*" '
		{ count = $NF; sub(/;.*/, ""); have[$0] += count }
		END { n = split(comms, comm, " "); for (i = 1; i <= n; i++) if (have[comm[i]] < 40) { print comm[i]; exit 1 } }
		' "$scratch/seen" >"$scratch/unseen"
}

# begin NAME COMM...: starts a recording of all villains, and waits until each of these has been seen.
begin() {
	local trace=$scratch/$1.rwk
	# shellcheck disable=SC2086 # two words, or none
	"$record" -p 0 -u -c '^map-|^prog-|^debug-' $group --force -o "$trace" 2>"$scratch/$1.err" &
	recorder=$!
	children="$children $recorder"
	wait_for 120 seen "$trace" "${@:2}" || die "'$(cat "$scratch/unseen")' is not seen: $(cat "$scratch/$1.err")"
}

# in_time WHAT CODE COMMAND...: checks that it ends by itself, with that code, within the deadlines. Its output goes
# to $scratch/out.
in_time() {
	local what=$1 code=$2 from
	shift 2
	from=$(date +%s%N)
	timeout -k 5 $((bound / 1000)) "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	check_equal "$what: exit code" "$code" $? || cat "$scratch/err" >&2
	echo "# $what: $((($(date +%s%N) - from) / 1000000)) ms of $bound"
}

record_live() { # NAME COMM...
	begin "$@"
	kill -INT "$recorder"
	in_time "$1: the end of the recording" 0 tail --pid="$recorder" -f /dev/null
	kill -0 "$recorder" 2>/dev/null && die "the recording does not end"
	wait "$recorder"
	check_equal "$1: exit code" 0 $?
}

as_friend() { SUDO_UID=$friend SUDO_GID=$friend "$@"; }

record_killed() { # NAME COMM...
	as_friend begin "$@"
	kill -KILL "$recorder"
	wait "$recorder"
} 2>/dev/null

finalize() { as_friend in_time "$1: --finalize" 0 "$record" --finalize "$scratch/$1.rwk"; }

# --- verdicts -----------------------------------------------------------------------------------

# cells_of: reads secret names from stdin, and prints the cells that they belong to.
cells_of() {
	local name value
	while read -r value; do
		for name in "${!canary[@]}"; do [ "${canary[$name]}" != "$value" ] || echo "$name"; done
	done | sort | paste -sd' '
}

# reported NAME OPTION...: writes a report of the trace with these options to $scratch/out.
reported() {
	local code=0
	[[ $1 != *killed ]] || code=3
	in_time "$*" $code "$report" --folded --no-cache --debug-dir "$empty" "${@:2}" "$scratch/$1.rwk"
}

# named: the cells whose own names are in the report. lacking CELL...: those of the given cells whose names are not.
named() { sed -nE 's/^((map|prog|debug)-[a-z]+);.*own_name_in_a_\2_.*/\1/p' "$scratch/out" | sort -u; }
lacking() { printf '%s\n' "$@" | sort | comm -23 - <(named) | paste -sd' '; }

# refused NAME TEXT...: the given reasons for not reading a file that the trace does not have.
refused() {
	local reason
	"$report" --no-local-files --info "$scratch/$1.rwk" 2>/dev/null | grep 'files not read' >"$scratch/refused"
	for reason in "${@:2}"; do grep -q " [1-9][0-9]* $reason" "$scratch/refused" || echo "$reason"; done
}

check_leaks() { # NAME
	printf 'text %s\n' "${canary[@]}" >"$scratch/canaries"
	check_equal "$1: secrets in the trace" '' \
		"$(python3 "$here/tests/canaries.py" "$scratch/$1.rwk" "$scratch/canaries" --chunks | cut -d' ' -f2 | cells_of)"
}

# Which files are opened in time depends on the machine: one of five recordings must be complete. The last one is kept.
check_complete() { # NAME COMMAND CELL...
	local name=$1 command=$2 try
	shift 2
	for try in 1 2 3 4 5; do
		$command
		check_leaks "$name"
		reported "$name" --no-local-files
		[ -n "$(lacking "$@")" ] || break
		echo "# $name, try $try: no names of $(lacking "$@")"
	done
	check_equal "$name: honest programs without their names" '' "$(lacking "$@")"
}

# The user behind sudo reads the trace, and root reads one that belongs to that user.
check_reports() { # NAME OPTION...
	as_friend reported "$@"
	check_equal "$*: secrets in the report" '' "$(grep -oE '[g-v]{24}' "$scratch/out" | sort -u | cells_of)"
	check_equal "$*: honest debug files without their names" '' "$(lacking debug-honest)"
	[[ $1 = *killed ]] || return
	reported "$@"
	check_equal "$*: secrets in root's report" '' "$(grep -oE '[g-v]{24}' "$scratch/out" | sort -u | cells_of)"
}

# check_unopened NAME REASON: the reporter says that there were such files.
check_unopened() {
	check "$1: files that are $2" grep -q "^[1-9][0-9]* $2" <("$report" --needs --no-cache --debug-dir "$empty" "$scratch/$1.rwk" 2>/dev/null)
}

# --- the matrix ---------------------------------------------------------------------------------

# Attacks the paths where the trace says that programs were.
attack_programs() {
	local attack
	for attack in symlink hardlink fifo replaced; do
		[ -e "$cells/prog-$attack/attacked" ] && continue
		touch "$cells/prog-$attack/attacked"
		"attack_$attack" prog "$cells/prog-$attack/prog-$attack" "$secrets/prog-$attack/prog-$attack"
	done
}

killed() {
	record_killed killed "${!canary[@]}"
	attack_programs
	finalize killed
}

live() { record_live live "${!canary[@]}"; }

test_matrix() {
	all_cells "honest $attacks" cell_files
	hostile write <"$scratch/files"
	all_cells "honest $attacks" start_villain
	check_complete killed killed {map,prog}-honest
	check_equal "killed: reasons for refusal without a file" '' \
		"$(refused killed 'through a symbolic link' 'not readable for the process' 'not a regular file')"
	check_reports killed
	# The attacked programs' paths lead elsewhere by now, but the programs are mapped.
	check_complete live live {map,prog}-honest prog-{symlink,hardlink,fifo,replaced}
	check_equal "live: reasons for refusal without a file" '' \
		"$(refused live 'through a symbolic link' 'not readable for the process' 'not a regular file' 'with several names')"
	check_reports live
	check_unopened live 'not regular'
}

# --- a dead file server -------------------------------------------------------------------------

serve() { # FILE
	mkdir "$fuse"
	python3 -B "$here/tests/live/dead_fuse.py" "$fuse" allow_other "$1" >"$scratch/fuse.out" 2>"$scratch/fuse.err" &
	server=$!
	wait_for 60 grep -q ready "$scratch/fuse.out"
}

# Ends all but the honest ones.
end_villains() {
	local name
	for name in "${!villains[@]}"; do
		[[ $name == *-honest ]] || kill -KILL "${villains[$name]}" || continue
		[[ $name == *-honest ]] || wait "${villains[$name]}"
	done
} 2>/dev/null

killed_fuse() {
	record_killed fuse-killed {map,prog,debug}-{honest,fuse}
	finalize fuse-killed
}

live_fuse() { record_live fuse {map,prog,debug}-{honest,fuse}; }

test_dead_server() {
	[ -w /dev/fuse ] || { skip_one hostile_files_fuse "'/dev/fuse' cannot be opened"; return; }
	serve "$patterns/stripped" || { fail "the file server does not start: $(cat "$scratch/fuse.err")"; return; }
	end_villains
	: >"$scratch/files"
	all_cells fuse cell_files
	hostile write <"$scratch/files"
	all_cells fuse start_villain
	sleep 1
	kill -USR1 "$server"
	wait_for 60 grep -q dead "$scratch/fuse.out" || die "the file server does not die"
	check_complete fuse live_fuse {map,prog}-honest
	check_reports fuse
	check_reports fuse --network-files
	check_unopened fuse 'on network or FUSE'
	check_complete fuse-killed killed_fuse {map,prog}-honest
}

end() {
	[ -z "$server" ] || kill -KILL "$server"
	umount -l "$fuse"
	mapfile -t swappers <"$scratch/swappers"
	kill "${swappers[@]}"
	xargs -r rm -f <"$scratch/maps"
	[ -z "$group" ] || echo $$ >"${cgroup%/*}$home/cgroup.procs"
	cleanup
} 2>/dev/null

need_recording
need_tool python3 objcopy setpriv unshare
server="" group=""
home=$(sed -n 's/^0:://p' /proc/self/cgroup)
trap end EXIT
cgroup_of hostile $$ && group="--cgroup $cgroup" # another run of this test has programs with the same names
mkdir -p "$empty" "$cells" "$secrets"
chmod 777 "$scratch"
touch "$scratch/swappers" "$scratch/maps"
make_patterns
test_matrix
test_dead_server
finish
