#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# mkinitrd.sh KERNEL GUEST_SCRIPT OUT [FILE...] : builds an initramfs with busybox, the kernel's modules, the guest programs,
# FILEs in /bin, and GUEST_SCRIPT as /test.sh. Everything in it is static. Not compressed: inflating under TCG
# takes longer than loading.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
name=$1 kernel=$top/build/vm/$1 script=$2 out=$3
shift 3

programs=$top/build/tests/vm/guest
busybox=$(command -v busybox) || { echo "mkinitrd.sh: busybox is missing (package busybox-static)" >&2; exit 1; }
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT INT TERM

chmod 755 "$root" # it is the guest's root folder, which other users read, too
mkdir "$root/bin" "$root/modules"
cp "$busybox" "$root/bin/busybox"
case $name in
*-arm64)
	programs=$top/build/aarch64/tests/vm/guest
	cp "$top/build/vm/aarch64/busybox" "$root/bin/busybox"
	;;
esac
ln -s busybox "$root/bin/sh" # init makes the other links
for file in "$programs"/*; do
	case $file in *.d | *.o) ;; *) set -- "$@" "$file" ;; esac
done
cp "$@" "$root/bin/"
cp "$kernel/modules.order" "$root/modules/order"
sed "s|.*|$kernel/modules/&.ko|" "$kernel/modules.order" | xargs cp -t "$root/modules"
cp "$here/guest/init" "$root/init"
cp "$here/guest/lib.sh" "$root/lib.sh"
cp "$script" "$root/test.sh"
chmod 755 "$root/init" "$root/test.sh" "$root"/bin/*
(cd "$root" && find . | cpio -o -H newc --quiet) >"$out"
