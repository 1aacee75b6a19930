#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# time-limit: 600
# Containers as their runtimes make them: podman, runc with the paths that docker
# gives it, containerd as Kubernetes uses it, and crun. They are made and removed during the recording; one
# has a nested pid namespace. Truth: what the runtimes report, and /proc/PID/cgroup. Everything is in a mount
# namespace of its own, so that no container of this host is touched.
if [ "${1:-}" != inside ]; then exec unshare --mount --propagation private "$0" inside; fi
. "$(dirname "$0")/lib.sh"

uid=0f6b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d
tick='while :; do usleep 20000; done'
nested="unshare -p -f sh -c '$tick; :' & $tick"
base=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
top=/rwalker-containers-$$ # all control groups are below it; runtimes leave some behind

id_of() { printf '%s' "$1-$$" | sha256sum | cut -c 1-64; } # id of a container for which we choose one

make_place() {
	local folder applet
	for folder in /run /var/lib/containers; do
		mkdir -p "$folder"
		mount -t tmpfs -o mode=755 tmpfs "$folder" || die "cannot mount over '$folder'"
	done
	rootfs=$scratch/rootfs
	mkdir -p "$rootfs/bin" "$rootfs/proc" "$rootfs/dev" "$rootfs/sys"
	cp "$(command -v busybox)" "$rootfs/bin/busybox"
	for applet in sh sleep usleep unshare; do ln -s busybox "$rootfs/bin/$applet"; done
}

# --- each runtime: start_X makes a container, stop_X removes it ---

pod() { podman --cgroup-manager cgroupfs --runtime runc --storage-driver overlay --events-backend file "$@"; }

start_podman() { # NAME
	pod run -d --name "$1" --net none --cgroup-parent "$top" --cap-add sys_admin --ulimit nofile=1024:1024 --ulimit nproc=1024:1024 \
		--rootfs "$rootfs" /bin/sh -c "$nested" >"$scratch/$1.id" 2>"$scratch/$1.err"
}

pid_of_podman() { pod inspect -f '{{.State.Pid}}' "$1"; }

# bundle NAME PATH: makes a bundle for runc and crun, with that control group.
bundle() {
	mkdir -p "$scratch/$1"
	runc spec -b "$scratch/$1"
	python3 - "$scratch/$1/config.json" "$2" "$rootfs" "$tick" <<'END'
import json, sys
path, group, rootfs, command = sys.argv[1:]
spec = json.load(open(path))
spec["process"].update(terminal=False, args=["/bin/sh", "-c", command], rlimits=[])
spec["root"]["path"] = rootfs
spec["linux"]["cgroupsPath"] = group
json.dump(spec, open(path, "w"))
END
}

# start_oci RUNTIME NAME PATH
start_oci() {
	bundle "$2" "$top$3"
	# shellcheck disable=SC2086 # it may have options
	$1 run -d --bundle "$scratch/$2" --pid-file "$scratch/$2.pid" "$2" >"$scratch/$2.out" 2>&1 </dev/null
}

start_containerd() {
	cat >"$scratch/containerd.toml" <<-END
		version = 2
		root = "$scratch/containerd"
		state = "/run/containerd"
		disabled_plugins = ["io.containerd.grpc.v1.cri"]
	END
	start containerd -c "$scratch/containerd.toml" >"$scratch/containerd.log" 2>&1
	wait_for 60 ctr version >/dev/null 2>&1
}

# start_ctr NAMESPACE ID PATH [OPTION...]
start_ctr() {
	ctr -n "$1" run -d --rootfs --cgroup "$top$3" --annotation io.kubernetes.cri.container-name=api "$rootfs" "$2" \
		/bin/sh -c "$tick" >"$scratch/ctr.out" 2>&1
}

pid_of_ctr() { ctr -n "$1" task ls | awk -v id="$2" '$1 == id { print $2 }'; }

# --- truth: lines "NAME PID CONTAINER ID CGROUP", of all processes of a container ---

truth() { # NAME PID CONTAINER ID
	local cgroup pid
	cgroup=$(sed -n 's/^0:://p' "/proc/$2/cgroup")
	find "$base$cgroup" -name cgroup.procs -exec cat {} + | while read -r pid; do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != sh ] || printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$pid" "$3" "$4" "$cgroup"
	done
}

# is_nested PID FIRST: whether the process is in a pid namespace below the container's.
is_nested() { [ "$(awk '/^NSpid:/ { print NF - 1 }' "/proc/$1/status")" -gt "$(awk '/^NSpid:/ { print NF - 1 }' "/proc/$2/status")" ]; }

# has_nested PID: whether the container of that first process has such a process.
has_nested() {
	local pid
	for pid in $(cat "$base$(sed -n 's/^0:://p' "/proc/$1/cgroup")/cgroup.procs" 2>/dev/null); do
		is_nested "$pid" "$1" 2>/dev/null && return
	done
	return 1
}

clean() {
	local pid name
	pod rm -fa -t 0 >/dev/null 2>&1
	for name in docker k8s crun; do
		runc delete -f "$name" >/dev/null 2>&1
		crun delete -f "$name" >/dev/null 2>&1
	done
	for pid in $(ctr -n k8s.io task ls -q 2>/dev/null); do ctr -n k8s.io task rm -f "$pid" >/dev/null 2>&1; done
	umount -R "$scratch" 2>/dev/null
	cleanup
	find /sys/fs/cgroup -depth -type d -path "*$top*" -exec rmdir {} \; 2>/dev/null
}

need_offcpu
[ -n "$base" ] || skip "there is no mount of cgroup2"
need_field busybox runc podman containerd ctr
trap clean EXIT
make_place
truths=$scratch/truth

start_podman web || skip "podman cannot run a container here: $(tail -n 1 "$scratch/web.err")"
web=$(pid_of_podman web) web_id=$(cat "$scratch/web.id")
wait_for 60 has_nested "$web" || fail "there is no pid namespace in the container"
docker=$(id_of docker)
start_oci runc docker "/docker/$docker" || fail "runc does not run: $(tail -n 1 "$scratch/docker.out")"
k8s=$(id_of k8s)
start_containerd || die "containerd does not start: $(tail -n 1 "$scratch/containerd.log")"
start_ctr k8s.io "$k8s" "/kubepods/burstable/pod$uid/$k8s" || fail "containerd does not run one: $(tail -n 1 "$scratch/ctr.out")"

"$record" --force --offcpu 0 -m 1 --embed none -o "$scratch/all.rwk" 2>"$scratch/all.err" & recorder=$!
children="$children $recorder"
wait_for 60 [ -s "$scratch/all.rwk" ] || die "the recorder did not start: $(cat "$scratch/all.err")"
truth web "$web" "${web_id:0:12}" "$web_id" >"$truths"
truth docker "$(cat "$scratch/docker.pid")" "${docker:0:12}" "$docker" >>"$truths"
truth kubernetes "$(pid_of_ctr k8s.io "$k8s")" "${k8s:0:12}" "$k8s" >>"$truths"
seen() { "$report" --dump "$scratch/all.rwk" 2>/dev/null | grep -q "^  $1"; }
wait_for 60 seen "cgroup .*libpod-$web_id" || fail "podman's container is not seen"

# Containers are made and removed meanwhile.
start_podman late || fail "podman runs no second one: $(tail -n 1 "$scratch/late.err")"
late_id=$(cat "$scratch/late.id")
wait_for 60 seen "cgroup .*libpod-$late_id" || fail "what is made meanwhile is not seen"
truth late "$(pid_of_podman late)" "${late_id:0:12}" "$late_id" >>"$truths"
late=$("$report" --dump "$scratch/all.rwk" 2>/dev/null | sed -n "s/^  cgroup .* id=\([0-9]*\) flags=0x0 path=.*libpod-$late_id.*/\1/p" | head -n 1)
check "it was made while it was recorded" [ -n "$late" ]
run_ok remove pod rm -f -t 0 late
wait_for 60 seen "cgroup .* id=$late flags=0x2 " || fail "its removal is not recorded"
kill -INT "$recorder"
wait "$recorder"
check_equal "exit code" 0 $?

figure "containers: $(wc -l <"$truths") processes of $(cut -f 1 "$truths" | sort -u | wc -l) containers; $(runc --version | head -n 1), $(podman --version), $(containerd --version | cut -d ' ' -f 1-3)"
judged python3 -B "$field/containers_check.py" "$report" "$scratch/all.rwk" "$truths"
check "a pid namespace in another one was recorded" [ "$(grep -c '^web' "$truths")" -ge 2 ]
check "the pod can be chosen by its group" grep -q . <("$report" --folded --source offcpu --cgroup "*pod$uid" "$scratch/all.rwk" 2>/dev/null)

# Chosen by its id; nothing else is recorded.
recorded chosen "$record" --force --offcpu 300ms -m 1 --embed none -o "$scratch/chosen.rwk" --container "${web_id:0:12}"
truth web "$web" "${web_id:0:12}" "$web_id" >"$truths"
judged python3 -B "$field/containers_check.py" "$report" "$scratch/chosen.rwk" "$truths" alone
run_code nobody 1 "$record" --force --offcpu 100ms -o "$scratch/nobody.rwk" --container nosuch
check "it says which there are" grep -q "${web_id:0:12}" "$scratch/nobody.err"

if command -v crun >/dev/null; then
	crun=$(id_of crun)
	if start_oci "crun --cgroup-manager=cgroupfs" crun "/libpod_parent/libpod-$crun"; then
		recorded crun "$record" --force --offcpu 300ms -m 1 --embed none -o "$scratch/crun.rwk" --container "${crun:0:12}"
		truth crun "$(cat "$scratch/crun.pid")" "${crun:0:12}" "$crun" >"$truths"
		judged python3 -B "$field/containers_check.py" "$report" "$scratch/crun.rwk" "$truths" alone
	else
		echo "skip crun - $(tail -n 1 "$scratch/crun.out")"
	fi
else
	echo "skip crun - 'crun' is not installed"
fi
finish
