#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# vm.sh [-c CPUS] [-t SECONDS] KERNEL GUEST_SCRIPT OUTDIR [FILE...] : boot KERNEL in QEMU, run the script as root, bring
# the guest's /out to OUTDIR. The console is OUTDIR/console.log. Disks: vda takes the results, vdb has two ext4
# file systems of 32 MiB and 32 MiB of nothing behind them. A KERNEL named *-arm64 runs on an emulated aarch64.
# Exit: the guest script's, 124 when the time ran out, 200 when kernel or QEMU died, 77 without QEMU.
#
# One TCG thread for all CPUs: with one per CPU the kernel crashes when it patches its text for tracepoints.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cpus=2 limit=120
while getopts c:t: opt; do
	case $opt in
	c) cpus=$OPTARG ;;
	t) limit=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
kernel=$1 script=$2 out=$3
shift 3

case $kernel in
*-arm64) qemu=qemu-system-aarch64 package=qemu-system-arm ;;
*) qemu=qemu-system-x86_64 package=qemu-system-x86 ;;
esac
command -v $qemu >/dev/null || { echo "vm.sh: $qemu is missing (package $package)" >&2; exit 77; }
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

# The computing of pointer authentication codes is the machine's own business: the standard's takes most of the time here.
case $qemu in
*aarch64) set -- -M virt,gic-version=3 -cpu max,pauth-impdef=on -append "console=ttyAMA0 panic=-1 quiet" ;;
*) set -- -M q35 -cpu max -append "console=ttyS0 panic=-1 quiet" -device isa-debug-exit,iobase=0xf4,iosize=4 ;;
esac
rc=0
timeout -k 2 "$limit" $qemu "$@" -accel tcg,thread=single -m 1024 -smp "$cpus" \
	-nodefaults -nographic -serial "file:$out/console.log" -no-reboot \
	-kernel "$top/build/vm/$kernel/vmlinuz" -initrd "$work/initrd" \
	-drive "file=$work/out.img,if=virtio,format=raw" -drive "file=$disk,if=virtio,format=raw,snapshot=on" </dev/null >&2 || rc=$?

tar xf "$work/out.img" -C "$out" 2>/dev/null || echo "vm.sh: the guest left no results" >&2
[ $rc = 124 ] && exit 124
[ $qemu = qemu-system-aarch64 ] && [ $rc = 0 ] && exit "$(cat "$out/rc" 2>/dev/null || echo 200)" # it has no such device
# The device turns v into (v << 1) | 1, and the guest adds 32, since QEMU's own failure is 1 as well.
[ $((rc & 1)) = 1 ] && [ $rc -ge 65 ] && exit $(((rc >> 1) - 32))
exit 200
