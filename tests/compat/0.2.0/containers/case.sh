# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# What the threads of a container wait for.
container=/sys/fs/cgroup/docker/$(printf '7%063d' 1)
mkdir -p "$container" /tmp/objects
trouble() {
	sh -c "echo \$\$ >$container/cgroup.procs; exec objects 3 /tmp/objects" >/tmp/said
}
record_while trouble --offcpu 1 -u
