#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# tier: full
# Completions, tested in the shells themselves: how each of them completes the beginning of an option, and that it has
# every option.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

build=$PWD/${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch

# Each of these: in_SHELL PROGRAM BEGINNING prints the completion, or all possible ones.
in_bash() {
	bash --norc -c '. "$1"
		COMP_WORDS=("$2" "$3") COMP_CWORD=1
		function=$(complete -p "$2" | sed "s/.*-F \([^ ]*\).*/\1/")
		"$function" "$2" "$3" "$2"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$scratch/$1.bash" "$1" "$2"
}

in_fish() {
	fish --no-config -c 'source $argv[1]; complete -C "$argv[2] $argv[3]"' "$scratch/$1.fish" "$1" "$2" | cut -f 1
}

# zsh completes only at a prompt, so a zsh on a terminal of its own loads the script by its name and gets a TAB. The
# second key prints the completed line.
zsh_session='
	zmodload zsh/zpty
	zpty shell zsh -f -i
	zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; unsetopt beep; bindkey \"^I\" complete-word
		show() { print -r -- \"<\$BUFFER>\"; BUFFER=; zle accept-line }; zle -N show; bindkey \"^X\" show; print REA\"\"DY"
	zpty -r shell said "*READY*"
	zpty -w -n shell "$2 $3"$'"'\t\x18'"'
	zpty -r shell said "*<*>*"
	print -r -- "$said"'

in_zsh() {
	mkdir -p "$scratch/zsh"
	cp "$scratch/$1.zsh" "$scratch/zsh/_$1"
	TERM=dumb timeout 60 zsh -f -c "$zsh_session" zsh "$scratch/zsh" "$1" "$2" | tr -d '\r' | sed -n "s|.*<$1 \(.*[^ ]\) *>.*|\1|p"
}

# completes SHELL PROGRAM BEGINNING OPTION
completes() {
	verdict "$1: $2 $3" "it becomes '$("in_$1" "$2" "$3" 2>&1 | head -n 3 | tr '\n' ' ')'" \
		grep -qx -e "$4=\?" <("in_$1" "$2" "$3" 2>/dev/null)
}

# parses SHELL PROGRAM: the shell accepts the script, which has every option of --help=all.
parses() {
	local missing
	"$build/$2" --completion="$1" >"$scratch/$2.$1"
	verdict "$1: the script of $2" "'$1' refuses it" "$1" -n "$scratch/$2.$1"
	missing=$("$build/$2" --help=all | grep -oE -- '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,-' | sort -u |
		comm -23 - <(grep -oE '[a-z][a-z-]*' "$scratch/$2.$1" | tr -d - | sort -u) | tr '\n' ' ')
	verdict "$1: the options of $2" "it lacks $missing" [ -z "$missing" ]
}

for shell in bash zsh fish; do
	command -v $shell >/dev/null || { skip_one "$shell" "'$shell' is not installed"; continue; }
	for program in rwalker-record rwalker-report; do
		[[ ! -x $build/$program ]] || parses $shell $program
	done
	[[ ! -x $build/rwalker-record ]] || completes $shell rwalker-record --trig --trigger
	completes $shell rwalker-report --top-w --top-waits
done
exit $((failures > 0))
