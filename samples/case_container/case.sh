# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# A container: in namespaces and a cgroup of its own, one program takes a CPU.
mkdir -p /sys/fs/cgroup/thumbs
trouble() {
	sh -c 'echo $$ >/sys/fs/cgroup/thumbs/cgroup.procs; exec /usr/bin/unshare -m -u -i -n -p -f --mount-proc \
		sh -c "hostname thumbs; exec build/samples/case_container 4"'
}
record_while trouble -p 2 --offcpu 2 --wakers -u -f 499
cause '^comms +[6-9][0-9][.0-9]*% thumbnailer'
cause '^functions .*blur_row'
