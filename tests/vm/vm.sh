#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# vm.sh [-c CPUS] [-t SECONDS] [-a WORDS] [-d DISK] [-i] [-q] KERNEL GUEST_SCRIPT OUTDIR [FILE...] : boots KERNEL in QEMU, runs the
# script as root, and copies the guest's /out to OUTDIR. The console is OUTDIR/console.log. Disks: vda receives the results, vdb has two ext4
# file systems of 32 MiB followed by 32 MiB of nothing. A KERNEL named *-arm64 runs on an emulated aarch64. WORDS go to the
# kernel's command line. With -i the guest's time is counted in instructions, one per nanosecond, whatever else runs here.
# DISK becomes vdc; what the guest writes there is discarded. With -q the guest needs less CPU time: its kernel is already unpacked, runs at its link address,
# and has no mitigations.
# Exit: the guest script's, 124 if the time ran out, 200 if kernel or QEMU died, 77 without QEMU.
#
# tsc=reliable: else 6.1 finds the TSC unreliable, and reads the time from a device.
# no_timer_check: on a busy machine the emulated timer is late, and the kernel would think that it is broken, and panic.
# One TCG thread for all CPUs: with one per CPU the kernel crashes when it patches its text for tracepoints.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cpus=2 limit=120 words='' third='' clock='' quick=
while getopts c:t:a:d:iq opt; do
	case $opt in
	c) cpus=$OPTARG ;;
	t) limit=$OPTARG ;;
	a) words=" $OPTARG" ;;
	d) third="-drive file=$OPTARG,if=virtio,format=raw,snapshot=on" ;;
	i) clock='-icount shift=0,sleep=off' ;;
	q) quick=yes ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
kernel=$1 script=$2 out=$3
shift 3

case $kernel in
*-arm64) qemu='qemu-system-aarch64' ;;
*) qemu='qemu-system-x86_64' ;;
esac
command -v $qemu >/dev/null || { echo "'$qemu' is not installed" >&2; exit 77; }
rm -rf "$out"
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

disk=$top/build/vm/disk.img
if [ ! -e "$disk" ]; then
	for half in a b; do
		truncate -s 32M "$work/$half"
		PATH=$PATH:/sbin:/usr/sbin mke2fs -q -t ext4 -L "$half" "$work/$half"
	done
	cat "$work/a" "$work/b" >"$work/disk"
	truncate -s 96M "$work/disk"
	cp --sparse=always "$work/disk" "$disk.$$"
	mv "$disk.$$" "$disk"
fi
truncate -s 64M "$work/out.img"
"$here/mkinitrd.sh" "$kernel" "$script" "$work/initrd" "$@"

image=$top/build/vm/$kernel/vmlinuz
if [ -n "$quick" ]; then
	words="$words mitigations=off audit=0"
	[ ! -e "${image%z}x" ] || image=${image%z}x
fi

# A machine may choose the algorithm of pointer authentication codes: the standard one would take most of the time here.
case $qemu in
*aarch64) set -- -M virt,gic-version=3 -cpu max,pauth-impdef=on -append "console=ttyAMA0 panic=-1 quiet$words" ;;
*) set -- -M q35 -cpu max,la57=off -append "console=ttyS0 panic=-1 no_timer_check tsc=reliable quiet$words" -device isa-debug-exit,iobase=0xf4,iosize=4 ;;
esac
rc=0
# If possible, other programs on this machine must not stop the guest's clocks.
first=
nice -n -20 true 2>/dev/null && first='nice -n -20'
# shellcheck disable=SC2086
timeout -k 10 "$limit" $first $qemu "$@" -accel tcg,thread=single $clock -m 1024 -smp "$cpus" \
	-nodefaults -nographic -serial "file:$out/console.log" -no-reboot \
	-kernel "$image" -initrd "$work/initrd" \
	-drive "file=$work/out.img,if=virtio,format=raw" -drive "file=$disk,if=virtio,format=raw,snapshot=on" $third </dev/null >&2 || rc=$?

tar xf "$work/out.img" -C "$out" 2>/dev/null || echo "vm.sh: the guest left no results" >&2
case $rc in 124 | 137) exit 124 ;; esac # 137: QEMU had to be killed
[ $qemu = qemu-system-aarch64 ] && [ $rc = 0 ] && exit "$(cat "$out/rc" 2>/dev/null || echo 200)" # it has no exit device
# The device turns v into (v << 1) | 1. The guest adds 32, because QEMU's own failure is 1 as well.
[ $((rc & 1)) = 1 ] && [ $rc -ge 65 ] && exit $(((rc >> 1) - 32))
exit 200
