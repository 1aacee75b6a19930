/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Names of containers from the files of runtimes, cut down to what matters, and from invalid files; by hand. */
#include "record/pick/container_name.h"

#include <string.h>

#include "tests/test.h"

#define ID "3f4e5d6c7b8a99887766554433221100ffeeddccbbaa00112233445566778899"
#define OTHER "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"

static const struct {
	enum container_runtime runtime;
	const char *text, *name; /* NULL: none */
} files[] = {
	{CONTAINER_DOCKER, "{\"State\":{\"Name\":\"no\",\"Pid\":7},"
	 "\"Config\":{\"Env\":[\"Name=no\",\"{\"]},\"Name\":\"/web\"}",
	 "web"},
	{CONTAINER_DOCKER, " {\n\t\"ID\" : \"x\" , \"Name\" : \"/a\\u002db\\\"\\\\\" }", "a-b\"\\"},
	{CONTAINER_DOCKER, "{\"Name\":\"\"}", NULL},
	{CONTAINER_DOCKER, "{\"Name\":\"/\"}", NULL},
	{CONTAINER_DOCKER, "{\"Name\":7}", NULL},
	{CONTAINER_DOCKER, "{\"Config\":{\"Name\":\"no\"}}", NULL},
	{CONTAINER_DOCKER, "{\"Name\":\"/we", NULL},
	{CONTAINER_DOCKER, "{\"Name\":\"a\\u00\"}", NULL},
	{CONTAINER_DOCKER, "[\"Name\",\"no\"]", NULL},
	{CONTAINER_DOCKER, "{}}", NULL},
	{CONTAINER_DOCKER, "", NULL},
	{CONTAINER_CONTAINERD,
	 "{\"process\":{\"args\":[\"annotations\"]},\"annotations\":{\"io.kubernetes.cri.container-type\":"
	 "\"container\",\"io.kubernetes.cri.container-name\":\"api\"}}", "api"},
	{CONTAINER_CONTAINERD, "{\"annotations\":{\"nerdctl/name\":\"db\"}}", "db"},
	{CONTAINER_CONTAINERD, "{\"hostname\":\"no\"}", NULL},
	{CONTAINER_CRIO, "{\"annotations\":{\"io.kubernetes.container.name\":\"proxy\"}}", "proxy"},
	{CONTAINER_KUBERNETES, "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"api\"}}", "api"},
	{CONTAINER_PODMAN,
	 "[{\"id\":\"" OTHER "\",\"names\":[\"no\"]},"
	 "{\"id\":\"" ID "\",\"names\":[\"pod-web\",\"also\"],\"flags\":{}}]",
	 "pod-web"},
	{CONTAINER_PODMAN, "[{\"id\":\"" OTHER "\",\"names\":[\"no\"]}]", NULL},
	{CONTAINER_PODMAN, "[{\"id\":\"" ID "\",\"names\":[]}]", NULL},
	{CONTAINER_LXC, "{\"Name\":\"no\"}", NULL},
};

static void finds_names(struct test *t)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const char *text = files[i].text, *want = files[i].name;
		char name[CONTAINER_NAME];
		bool found = container_name_find(files[i].runtime, ID, text, strlen(text), name);

		if (!test_check(t, found == (want != NULL) && (!found || !strcmp(name, want)), "another name"))
			printf("# '%s' in %s\n", found ? name : "nothing", text);
	}
}

/* The text is cut after each byte: nothing behind the end is looked at (the copy has no room there). */
static void ends_anywhere(struct test *t)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		for (size_t length = 0; length < strlen(files[i].text); length++) {
			char *copy = malloc(length + 1), name[CONTAINER_NAME];

			memcpy(copy, files[i].text, length);
			copy = realloc(copy, length ? length : 1);
			if (container_name_find(files[i].runtime, ID, copy, length, name))
				CHECK(t, files[i].name && !strcmp(name, files[i].name));
			free(copy);
		}
}

static void refuses_what_is_too_large(struct test *t)
{
	char text[4096], name[CONTAINER_NAME];
	size_t used = (size_t)snprintf(text, sizeof(text), "{\"Name\":\"/");

	memset(text + used, 'a', CONTAINER_NAME);
	(void)snprintf(text + used + CONTAINER_NAME, 8, "\"}");
	CHECK(t, !container_name_find(CONTAINER_DOCKER, ID, text, strlen(text), name));
	used = (size_t)snprintf(text, sizeof(text), "{\"a\":");
	memset(text + used, '[', 1000);
	memset(text + used + 1000, ']', 1000);
	(void)snprintf(text + used + 2000, 32, ",\"Name\":\"/web\"}");
	CHECK(t, !container_name_find(CONTAINER_DOCKER, ID, text, strlen(text), name));
}

static void knows_files(struct test *t)
{
	char path[CONTAINER_NAME_PATH];

	REQUIRE(t, container_name_path(CONTAINER_DOCKER, ID, 0, path));
	CHECK_STR(t, path, "var/lib/docker/containers/" ID "/config.v2.json");
	CHECK(t, !container_name_path(CONTAINER_DOCKER, ID, 1, path));
	REQUIRE(t, container_name_path(CONTAINER_CONTAINERD, ID, 1, path));
	CHECK_STR(t, path, "run/containerd/io.containerd.runtime.v2.task/default/" ID "/config.json");
	REQUIRE(t, container_name_path(CONTAINER_CONTAINERD, ID, 2, path));
	CHECK_STR(t, path, "run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json");
	REQUIRE(t, container_name_path(CONTAINER_KUBERNETES, ID, 2, path));
	CHECK_STR(t, path, "run/containers/storage/overlay-containers/" ID "/userdata/config.json");
	CHECK(t, !container_name_path(CONTAINER_KUBERNETES, ID, 3, path));
	CHECK(t, !container_name_path(CONTAINER_OTHER, ID, 0, path));
	CHECK(t, !container_name_path(CONTAINER_DOCKER, "../../etc", 0, path));
	CHECK(t, !container_name_path(CONTAINER_DOCKER, ID "0", 0, path));
	CHECK(t, !container_name_path(CONTAINER_DOCKER, "3f4e5d6c7b8a", 0, path));
	CHECK(t, !container_name_path(CONTAINER_MACHINE, ID, 0, path));
}

TEST_MAIN(TEST(finds_names), TEST(ends_anywhere), TEST(refuses_what_is_too_large), TEST(knows_files))
