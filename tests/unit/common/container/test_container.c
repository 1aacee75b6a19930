/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Paths as runtimes and systemd really write them: `cat /proc/PID/cgroup` in and around
 * containers.
 */
#include "common/container/container.h"

#include <string.h>

#include "tests/test.h"

#define ID "3f4e5d6c7b8a99887766554433221100ffeeddccbbaa00112233445566778899"
#define OTHER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define UID "0f6b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d"
#define UID_UNIT "0f6b1c2d_3e4f_4a5b_8c6d_7e8f9a0b1c2d"

static const struct {
	const char *path;
	enum container_runtime runtime;
	const char *id, *pod;
} spellings[] = {
	/* docker: systemd's driver, its own, a parent of its own, rootless, a build */
	{"/system.slice/docker-" ID ".scope", CONTAINER_DOCKER, ID, ""},
	{"/docker/" ID, CONTAINER_DOCKER, ID, ""},
	{"/docker/" ID "/system.slice/nginx.service", CONTAINER_DOCKER, ID, ""},
	{"/jobs/batch/" ID, CONTAINER_OTHER, ID, ""},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope", CONTAINER_DOCKER, ID, ""},
	{"/system.slice:docker:" ID, CONTAINER_DOCKER, ID, ""},
	/* Kubernetes: containerd and CRI-O with systemd's driver, guaranteed, burstable, best effort */
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_UNIT ".slice/cri-containerd-" ID
	 ".scope", CONTAINER_CONTAINERD, ID, UID},
	{"/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" UID_UNIT ".slice/crio-" ID ".scope",
	 CONTAINER_CRIO, ID, UID},
	{"/kubepods.slice/kubepods-pod" UID_UNIT ".slice/crio-" ID ".scope/container", CONTAINER_CRIO, ID, UID},
	{"/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" UID_UNIT ".slice/cri-containerd-" ID
	 ".scope", CONTAINER_CONTAINERD, ID, UID},
	/* without systemd's driver: cgroupfs; k3s, whose containerd takes systemd's path for one of cgroupfs */
	{"/kubepods/burstable/pod" UID "/" ID, CONTAINER_KUBERNETES, ID, UID},
	{"/kubepods/pod" UID "/" ID, CONTAINER_KUBERNETES, ID, UID},
	{"/kubepods/besteffort/pod" UID "/crio-" ID, CONTAINER_CRIO, ID, UID},
	{"/system.slice/k3s.service/kubepods-besteffort-pod" UID_UNIT ".slice:cri-containerd:" ID,
	 CONTAINER_CONTAINERD, ID, UID},
	/* static pods have a hash for a uid */
	{"/kubepods/burstable/podd41d8cd98f00b204e9800998ecf8427e/" ID, CONTAINER_KUBERNETES, ID,
	 "d41d8cd98f00b204e9800998ecf8427e"},
	/* podman: root, in a pod, of a user, as a unit, cgroupfs */
	{"/machine.slice/libpod-" ID ".scope", CONTAINER_PODMAN, ID, ""},
	{"/machine.slice/libpod-" ID ".scope/container", CONTAINER_PODMAN, ID, ""},
	{"/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope", CONTAINER_PODMAN, ID, OTHER},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container",
	 CONTAINER_PODMAN, ID, ""},
	{"/system.slice/web.service/libpod-payload-" ID, CONTAINER_PODMAN, ID, ""},
	{"/libpod_parent/libpod-" ID, CONTAINER_PODMAN, ID, ""},
	{"/libpod_parent/" ID, CONTAINER_PODMAN, ID, ""},
	/* nerdctl and ctr: systemd's driver, their own, which is their namespace */
	{"/system.slice/nerdctl-" ID ".scope", CONTAINER_CONTAINERD, ID, ""},
	{"/default/" ID, CONTAINER_CONTAINERD, ID, ""},
	/* runc and crun themselves, with systemd's driver */
	{"/system.slice/runc-" ID ".scope", CONTAINER_OTHER, ID, ""},
	{"/user.slice/user-1000.slice/user@1000.service/user.slice/crun-" ID ".scope", CONTAINER_OTHER, ID, ""},
	/* LXC, LXD */
	{"/lxc/db1", CONTAINER_LXC, "db1", ""},
	{"/lxc.payload.db1/system.slice/ssh.service", CONTAINER_LXC, "db1", ""},
	{"/lxc.payload/db1", CONTAINER_LXC, "db1", ""},
	/* what systemd-machined knows */
	{"/machine.slice/machine-qemu\\x2d3\\x2dvm1.scope/libvirt/emulator", CONTAINER_MACHINE, "qemu-3-vm1", ""},
	{"/machine.slice/systemd-nspawn@deb\\x2d12.service/payload/init.scope", CONTAINER_MACHINE, "deb-12", ""},
	{"/machine.slice/machine-deb.scope", CONTAINER_MACHINE, "deb", ""},
	/* a trace that was scrubbed */
	{"/docker:ctr_3dp5qm912mz2z", CONTAINER_DOCKER, "ctr_3dp5qm912mz2z", ""},
	{"/cri-o:ctr_3dp5qm912mz2z", CONTAINER_CRIO, "ctr_3dp5qm912mz2z", ""},
	/* one in another: a node of kind, in docker; docker in LXC */
	{"/docker/" OTHER "/kubelet/kubepods/pod" UID "/" ID, CONTAINER_KUBERNETES, ID, UID},
	{"/lxc.payload.ci/system.slice/docker-" ID ".scope", CONTAINER_DOCKER, ID, ""},
};

static void knows_the_spellings(struct test *t)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(spellings[0]); i++) {
		struct container container;

		if (!container_find(spellings[i].path, &container)) {
			test_check(t, false, "'%s' is in no container", spellings[i].path);
			continue;
		}
		test_check(t, container.runtime == spellings[i].runtime && !strcmp(container.id, spellings[i].id) &&
				   !strcmp(container.pod, spellings[i].pod),
			   "'%s' is in %s '%s', pod '%s'", spellings[i].path,
			   container_runtime_name(container.runtime), container.id, container.pod);
	}
}

static void finds_none_elsewhere(struct test *t)
{
	static const char *const paths[] = {
		"", "/", "/init.scope", "/system.slice/nginx.service", "/system.slice/docker.service",
		"/system.slice/system-getty.slice/getty@tty1.service", "/user.slice/user-1000.slice/session-2.scope",
		"/system.slice/containerd.service", "/kubepods.slice/kubepods-pod" UID_UNIT ".slice",
		"/system.slice/crio-conmon-" ID ".scope", "/machine.slice/libpod-conmon-" ID ".scope",
		"/lxc.monitor.db1", "/lxc", "/machine.slice", "/machine.slice/machine-.scope", "/docker", "/docker/",
		"/system.slice/docker-" ID "0.scope", "/system.slice/docker-0123456789.scope",
		"/system.slice/docker-xyz.scope", "/jobs/0123456789abcdef", "/a:b:c", "/:docker:", "/docker:ctr_",
		"/other:ctr_3dp5", "/docker:" ID "0",
		"/system.slice/docker-" ID ".mount.service",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct container container;

		test_check(t, !container_find(paths[i], &container), "'%s' is in '%s'", paths[i], container.id);
	}
}

static void shortens_numbers_only(struct test *t)
{
	struct container container;

	REQUIRE(t, container_find("/docker/" ID, &container));
	CHECK_INT(t, container_short_length(&container), 12);
	REQUIRE(t, container_find("/lxc/a-rather-long-name", &container));
	CHECK_INT(t, container_short_length(&container), 18);
}

/* A name longer than there is room for is cut, also within what systemd escapes. */
static void bounds_names(struct test *t)
{
	struct container container;
	char path[2000] = "/lxc/";

	for (size_t length = 200; length < 1800; length++) {
		memset(path + 5, 'x', length);
		memcpy(path + 5 + length, "\\x2d", 5);
		REQUIRE(t, container_find(path, &container));
		REQUIRE(t, strlen(container.id) <= CONTAINER_ID - 1);
	}
}

TEST_MAIN(TEST(knows_the_spellings), TEST(finds_none_elsewhere), TEST(shortens_numbers_only),
	  TEST(bounds_names))
