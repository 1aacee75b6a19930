# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# Sourced by the tests of packages, with $scratch set: a clean system in $root, commands in it, and checks of its files.

root=$scratch/root

# unpack_root NAME: unpacks root.sh's system. If there is none, prints a skip line and returns false.
unpack_root() {
	local made
	made=$(tests/package/root.sh 2>"$scratch/said") || { skip_one "$1: a clean system" "$(tail -n 1 "$scratch/said")"; return 1; }
	mkdir "$root"
	tar -xf "$made" -C "$root" --exclude='./dev/*'
}

# in_root COMMAND...: runs it in the clean system, where nothing else runs.
in_root() {
	unshare --mount --pid --fork sh -c 'mount --rbind /dev "$0/dev" && mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$@"
}

# succeeds NAME COMMAND...
succeeds() {
	local name=$1 rc
	shift
	"$@" >"$scratch/out" 2>&1
	rc=$?
	verdict "$name" "'$*' ended with $rc: $(tail -n 3 "$scratch/out" | tr '\n' ' ')" [ $rc = 0 ]
}

# in_root_ok NAME COMMAND...
in_root_ok() { succeeds "$1" in_root "${@:2}"; }

there() { verdict "$1: $2" "it is not there" [ -e "$root$2" ]; }
gone() { verdict "$1: no $2" "it is there" [ ! -e "$root$2" ]; }
has_user() { grep -q '^rwalker:' "$root/etc/passwd"; }
lacks_user() { lacks '^rwalker:' "$root/etc/passwd" && lacks '^rwalker:' "$root/etc/group"; }
# has_line FILE LINE
has_line() { grep -qx -e "$2" "$root$1"; }

config=/etc/rwalker/flight.conf
dump=/var/lib/rwalker/rwalker-host-20260101-000000.rwk

# As if the service had run and made a dump: files that no package has installed.
make_a_dump() {
	in_root install -d -o rwalker -g rwalker /var/lib/rwalker
	touch "$root$dump"
}

# files OUT: all files of the system except what we put there, and the databases of packages and their tools.
files() {
	find "$root" -xdev -printf '/%P\n' |
		grep -Ev '^/(given|proc|dev|tmp|run|var/(cache|log|lib/(dpkg|apt|rpm)))(/|$)' | sort >"$1"
}
