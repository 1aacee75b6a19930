/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* What people type to choose control groups and containers, by hand. */
#include "common/container/container_match.h"

#include "tests/test.h"

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

static void chooses_containers(struct test *t)
{
	static const char id[] = "0123456789abcdef";

	CHECK(t, container_fits("0123", id, ""));
	CHECK(t, container_fits("0123456789abcdef", id, ""));
	CHECK(t, !container_fits("012", id, ""));
	CHECK(t, !container_fits("123456", id, ""));
	CHECK(t, container_fits("web-*", "web-1", ""));
	CHECK(t, !container_fits("web", "web-1", ""));
	CHECK(t, container_fits("0f6b1c2d-3e4f", id, "0f6b1c2d-3e4f"));
	CHECK(t, !container_fits("*", "", ""));
}

TEST_MAIN(TEST(chooses_control_groups), TEST(chooses_containers))
