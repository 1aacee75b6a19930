#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fetch.sh KERNEL... : bring Debian's kernels to build/vm/KERNEL/{vmlinuz,vmlinux,modules/,modules.order,release}
#
# KERNEL is 6.1-cloud, 6.12-cloud, 6.1-rt or 6.12-rt, or, for another machine, 6.1-arm64 or 6.12-arm64. The meta
# package gives the exact package, because versions rotate. `aarch64` is not a kernel: it brings the libraries for
# that machine's static recorder, and a busybox, to build/vm/aarch64/{lib/,busybox}. Existing files are kept; `rm -r
# build/vm` to fetch everything once more.
# Exit: 0 all there, 1 something is broken, 77 apt cannot reach its archive (the last line on stderr says why).
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
store=$top/build/vm

# In loading order, except for their dependencies. Modules that are built into a kernel are skipped.
wanted="virtio_pci virtio_blk dm_mod dm_delay crc32c_generic ext4"

say() { echo "fetch.sh: $*" >&2; }

meta_of() {
	case $1 in
	6.1-cloud)  echo linux-image-cloud-amd64 ;;
	6.12-cloud) echo linux-image-6.12-cloud-amd64 ;;
	6.1-rt)     echo linux-image-rt-amd64 ;;
	6.12-rt)    echo linux-image-6.12-rt-amd64 ;;
	6.1-arm64)  echo linux-image-cloud-arm64 ;;
	6.12-arm64) echo linux-image-6.12-cloud-arm64 ;;
	*) say "'$1' is not a known kernel"; exit 1 ;;
	esac
}

# apt uses separate lists for another machine, so nothing on this system changes.
foreign_apt() { # ARCHITECTURE
	state=$store/apt-$1
	mkdir -p "$state/lists/partial" "$state/archives/partial"
	: >"$state/status"
	cat >"$state/config" <<-END
		APT::Architecture "$1";
		APT::Architectures { "$1"; };
		Dir::State "$state";
		Dir::State::status "$state/status";
		Dir::Cache "$state";
	END
	export APT_CONFIG="$state/config"
	apt-get -q update >"$state/log" 2>&1 || say "$(tail -n 1 "$state/log")"
}

download() { # WORK PACKAGE...
	in=$1
	shift
	say "downloading $*"
	(cd "$in" && apt-get -q download "$@") >"$in/log" 2>&1 && return 0
	sed 's/^/  apt: /' "$in/log" >&2
	say "cannot download '$*': no network, or the archive has moved on ('apt-get update')"
	return 77
}

package_of() {
	apt-cache depends "$1" 2>/dev/null | sed -n 's/ *Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}

# Finds a module by its name as `depends=` spells it; file names may have - for _ and a suffix for compression.
module_file() {
	find "$1/lib/modules" -name "$(echo "$2" | sed 's/_/[-_]/g').ko*" | head -n 1
}

unpack_module() {
	case $1 in
	*.ko.xz) xz -dc "$1" ;;
	*.ko.zst) zstd -dcq "$1" ;;
	*) cat "$1" ;;
	esac
}

# unpack_kernel VMLINUZ VMLINUX : extracts the ELF file, using the header of Linux's boot protocol. In an emulated
# guest, unpacking takes longer than the rest of the start. Writes nothing if there is no ELF file, or if its
# compression is unknown here.
unpack_kernel() {
	# shellcheck disable=SC2046 # offsets of: the real-mode code's length, the payload's offset and length
	set -- "$1" "$2" $(for place in 497:1 584:4 588:4; do od -An -j "${place%:*}" -N "${place#*:}" -t "u${place#*:}" "$1"; done)
	tail -c +$((($3 + 1) * 512 + $4 + 1)) "$1" | head -c $(($5 - 4)) >"$2.packed" # without the size at its end
	case $(od -An -N 4 -t x1 "$2.packed" | tr -d ' ') in
	02214c18) lz4 -dcq "$2.packed" >"$2" ;;
	fd377a58) xz -dc "$2.packed" >"$2" ;;
	28b52ffd) zstd -dcq "$2.packed" >"$2" ;;
	esac || rm -f "$2"
	rm "$2.packed"
}

# Puts a module after everything that it depends on according to .modinfo, so neither depmod nor kmod is needed.
add_module() { # TREE OUT NAME
	grep -qx "$3" "$2/modules.order" && return 0
	file=$(module_file "$1" "$3")
	[ -n "$file" ] || return 0
	mkdir -p "$2/modules"
	unpack_module "$file" >"$2/modules/$3.ko"
	for dep in $(tr '\0' '\n' <"$2/modules/$3.ko" | sed -n 's/^depends=//p' | head -n 1 | tr ',-' ' _'); do
		(add_module "$1" "$2" "$dep")
	done
	echo "$3" >>"$2/modules.order"
}

fetch() { # KERNEL
	out=$store/$1
	[ -e "$out/release" ] && return 0
	meta=$(meta_of "$1")
	case $1 in *-arm64) foreign_apt arm64 ;; esac
	package=$(package_of "$meta")
	if [ -z "$package" ]; then
		say "apt knows no package behind '$meta': run 'apt-get update' (needs network)"
		return 77
	fi
	work=$(mktemp -d "$store/.fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT INT TERM
	download "$work" "$package" || return $?
	mkdir "$work/tree" "$work/out"
	dpkg-deb --fsys-tarfile "$work"/*.deb | tar x -C "$work/tree" --wildcards './boot/vmlinuz-*' './lib/modules/*/kernel/*'
	: >"$work/out/modules.order"
	for name in $wanted; do add_module "$work/tree" "$work/out" "$name"; done
	mv "$work"/tree/boot/vmlinuz-* "$work/out/vmlinuz"
	case $1 in *-arm64) ;; *) unpack_kernel "$work/out/vmlinuz" "$work/out/vmlinux" ;; esac
	ls "$work/tree/lib/modules" >"$work/out/release"
	rm -rf "$out"
	mv "$work/out" "$out"
	rm -rf "$work"
	trap - EXIT INT TERM
}

fetch_libraries() {
	out=$store/aarch64
	[ -e "$out/busybox" ] && return 0
	foreign_apt arm64
	work=$(mktemp -d "$store/.fetch.XXXXXX")
	trap 'rm -rf "$work"' EXIT INT TERM
	download "$work" libbpf-dev libelf-dev zlib1g-dev liblz4-dev busybox-static || return $?
	for package in "$work"/*.deb; do dpkg-deb -x "$package" "$work/tree"; done
	rm -rf "$out"
	mkdir -p "$out/lib"
	mv "$work"/tree/usr/lib/aarch64-linux-gnu/*.a "$out/lib/"
	mv "$work/tree/bin/busybox" "$out/busybox"
	rm -rf "$work"
	trap - EXIT INT TERM
}

for tool in apt-cache apt-get dpkg-deb xz; do
	command -v $tool >/dev/null || { say "'$tool' is missing"; exit 77; }
done
mkdir -p "$store"
exec 9>"$store/lock"
flock 9 # one at a time: the second one finds the files
for kernel; do
	case $kernel in
	aarch64) (fetch_libraries) || exit $? ;;
	*) (fetch "$kernel") || exit $? ;;
	esac
done
