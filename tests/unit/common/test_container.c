/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Paths as runtimes and systemd really write them: `cat /proc/PID/cgroup` in and around containers. And what people
 * type to choose control groups and containers.
 */
#include "common/container.h"

#include <string.h>

#include "tests/test.h"

#define ID "3f4e5d6c7b8a99887766554433221100ffeeddccbbaa00112233445566778899"
#define OTHER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define UID "0f6b1c2d-3e4f-4a5b-8c6d-7e8f9a0b1c2d"
#define UID_UNIT "0f6b1c2d_3e4f_4a5b_8c6d_7e8f9a0b1c2d"

static void knows_the_spellings(struct test *t)
{
	static const char *const paths[] = {
		/* docker: systemd's driver, its own, a parent of its own */
		"/system.slice/docker-" ID ".scope", "/docker/" ID, "/docker/" ID "/system.slice/nginx.service",
		"/jobs/batch/" ID, "/system.slice:docker:" ID,
		/* Kubernetes: containerd and CRI-O with systemd's driver and without; k3s */
		"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_UNIT ".slice/cri-containerd-" ID
		".scope",
		"/kubepods.slice/kubepods-pod" UID_UNIT ".slice/crio-" ID ".scope/container",
		"/kubepods/burstable/pod" UID "/" ID, "/kubepods/besteffort/pod" UID "/crio-" ID,
		"/system.slice/k3s.service/kubepods-besteffort-pod" UID_UNIT ".slice:cri-containerd:" ID,
		/* podman: root, in a pod, as a unit, cgroupfs; nerdctl, ctr, runc */
		"/machine.slice/libpod-" ID ".scope/container",
		"/machine.slice/machine-libpod_pod_" OTHER ".slice/libpod-" ID ".scope",
		"/system.slice/web.service/libpod-payload-" ID, "/libpod_parent/libpod-" ID,
		"/system.slice/nerdctl-" ID ".scope", "/default/" ID, "/system.slice/runc-" ID ".scope",
		/* one in another: a node of kind, in docker */
		"/docker/" OTHER "/kubelet/kubepods/pod" UID "/" ID,
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char id[CONTAINER_ID + 1] = "";

		test_check(t, container_find(paths[i], id) && !strcmp(id, ID), "'%s' is in '%s'", paths[i], id);
	}
}

static void finds_none_elsewhere(struct test *t)
{
	static const char *const paths[] = {
		"", "/", "/init.scope", "/system.slice/nginx.service", "/system.slice/docker.service",
		"/kubepods.slice/kubepods-pod" UID_UNIT ".slice", "/system.slice/crio-conmon-" ID ".scope",
		"/machine.slice/libpod-conmon-" ID ".scope", "/machine.slice/machine-libpod_pod_" OTHER ".slice",
		"/docker", "/docker/", "/system.slice/docker-" ID "0.scope", "/system.slice/docker-0123456789.scope",
		"/jobs/0123456789abcdef", "/docker:" ID "0", "/system.slice/docker-" ID ".mount.service",
		"/lxc.payload.db1/system.slice/ssh.service", "/machine.slice/machine-deb.scope",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char id[CONTAINER_ID + 1] = "";

		test_check(t, !container_find(paths[i], id), "'%s' is in '%s'", paths[i], id);
	}
}

static void chooses_control_groups(struct test *t)
{
	static const struct {
		const char *pattern, *path;
		bool fits;
	} cases[] = {
		{"/system.slice", "/system.slice", true},
		{"/system.slice", "/system.slice/nginx.service", true},
		{"/system.slice", "/system.slice2", false},
		{"/system.slice", "/user.slice/system.slice", false},
		{"nginx.service", "/system.slice/nginx.service", true},
		{"nginx.service", "/system.slice/nginx.service/worker", true},
		{"nginx.service", "/system.slice/nginx.service2", false},
		{"/sys/fs/cgroup/system.slice", "/system.slice/nginx.service", true},
		{"/sys/fs/cgroup", "/", true},
		{"/sys/fs/cgroup", "/system.slice", true}, /* all are below the root */
		{"/", "id:77", false},
		{"/", "/", true},
		{"/*/nginx*", "/system.slice/nginx.service", true},
		{"/*", "/system.slice/nginx.service", true}, /* one above */
		{"/*.service", "/system.slice/nginx.service", false},
		{"nginx*", "/system.slice/nginx-7.scope", true},
		{"nginx", "", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (!test_check(t, cgroup_path_fits(cases[i].pattern, cases[i].path) == cases[i].fits,
				"another answer"))
			printf("# '%s' and '%s'\n", cases[i].pattern, cases[i].path);
}

TEST_MAIN(TEST(knows_the_spellings), TEST(finds_none_elsewhere), TEST(chooses_control_groups))
