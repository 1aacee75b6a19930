/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/pick/container_name.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { ID_DIGITS = 64, MOST_DEPTH = 64, MOST_KEY = 128 };

/* --- JSON: a cursor within the bytes; each function moves it past what it read --- */

struct json {
	const char *at, *end;
};

/* The next character that is not blank, '\0' at the end. */
static char peek(struct json *json)
{
	while (json->at < json->end && strchr(" \t\r\n", *json->at) && *json->at)
		json->at++;
	return json->at < json->end ? *json->at : '\0';
}

static bool take(struct json *json, char letter)
{
	if (peek(json) != letter || !letter)
		return false;
	json->at++;
	return true;
}

static int digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	if (letter >= 'a' && letter <= 'f')
		return letter - 'a' + 10;
	return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : -1;
}

/* Only ASCII is unescaped: names of containers are ASCII. */
static bool take_escape(struct json *json, char *ret_letter)
{
	static const char from[] = {'"', '\\', '/', 'b', 'f', 'n', 'r', 't', '\0'};
	static const char to[] = {'"', '\\', '/', '\b', '\f', '\n', '\r', '\t'};
	const char *known;
	int code = 0;

	if (json->at == json->end || !*json->at)
		return false;
	if (*json->at != 'u') {
		known = strchr(from, *json->at++);
		*ret_letter = known ? to[known - from] : '\0';
		return known;
	}
	for (int i = 1; i <= 4; i++) {
		if (json->end - json->at <= i || digit_of(json->at[i]) < 0)
			return false;
		code = code << 4 | digit_of(json->at[i]);
	}
	json->at += 5;
	*ret_letter = code && code < 0x80 ? (char)code : '?';
	return true;
}

/* With `room` 0, the string is only skipped. If it does not fit, `text` is "" and *ret_fits false. */
static bool take_string(struct json *json, char *text, size_t room, bool *ret_fits)
{
	size_t used = 0;
	char letter;

	*ret_fits = true;
	if (!take(json, '"'))
		return false;
	while (json->at < json->end && *json->at != '"') {
		letter = *json->at++;
		if (!letter || (letter == '\\' && !take_escape(json, &letter)))
			return false;
		*ret_fits &= used + 1 < room;
		if (used + 1 < room)
			text[used++] = letter;
	}
	if (room)
		text[*ret_fits ? used : 0] = '\0';
	return take(json, '"');
}

/* A value of any kind. Nesting is counted; commas and colons are not checked: skipped values are not used. */
static bool skip_value(struct json *json)
{
	unsigned int depth = 0;
	bool fits;

	do {
		char letter = peek(json);

		if (!letter || depth > MOST_DEPTH)
			return false;
		if (letter == '"') {
			if (!take_string(json, NULL, 0, &fits))
				return false;
			continue;
		}
		json->at++;
		depth += letter == '{' || letter == '[';
		if (letter == '}' || letter == ']') {
			if (!depth)
				return false;
			depth--;
		}
		while (!depth && json->at < json->end && *json->at != '"' && !strchr(",:{}[] \t\r\n", *json->at))
			json->at++; /* the rest of a number or word */
	} while (depth);
	return true;
}

/* Within an object: moves to the value of a member. */
static bool find_member(struct json *json, const char *wanted)
{
	char key[MOST_KEY];
	bool fits;

	if (!take(json, '{'))
		return false;
	do {
		if (!take_string(json, key, sizeof(key), &fits) || !take(json, ':'))
			return false;
		if (fits && !strcmp(key, wanted))
			return true;
		if (!skip_value(json))
			return false;
	} while (take(json, ','));
	return false;
}

static bool take_name(struct json *json, char name[static CONTAINER_NAME])
{
	bool fits;

	return take_string(json, name, CONTAINER_NAME, &fits) && fits && *name;
}

/* --- each runtime's file --- */

static bool find_docker(struct json json, const char *id, char name[static CONTAINER_NAME])
{
	(void)id;
	if (!find_member(&json, "Name") || !take_name(&json, name))
		return false;
	if (*name == '/')
		memmove(name, name + 1, strlen(name));
	return *name;
}

static bool find_annotation(struct json json, const char *id, char name[static CONTAINER_NAME])
{
	static const char *const keys[] = {"io.kubernetes.cri.container-name", "io.kubernetes.container.name",
					   "io.kubernetes.cri-o.ContainerName", "nerdctl/name"};
	(void)id;
	if (!find_member(&json, "annotations"))
		return false;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		struct json annotations = json;

		if (find_member(&annotations, keys[i]) && take_name(&annotations, name))
			return true;
	}
	return false;
}

static bool is_of(struct json container, const char *id)
{
	char own[ID_DIGITS + 1];
	bool fits;

	return find_member(&container, "id") && take_string(&container, own, sizeof(own), &fits) && fits &&
	       !strcmp(own, id);
}

/* A list of all containers. */
static bool find_podman(struct json json, const char *id, char name[static CONTAINER_NAME])
{
	if (!take(&json, '['))
		return false;
	do {
		struct json container = json;

		if (is_of(container, id))
			return find_member(&container, "names") && take(&container, '[') && take_name(&container, name);
	} while (skip_value(&json) && take(&json, ','));
	return false;
}

#define KUBERNETES_TASKS "run/containerd/io.containerd.runtime.v2.task/k8s.io/"
#define K3S_TASKS "run/k3s/containerd/io.containerd.runtime.v2.task/k8s.io/"
#define CRIO_CONTAINERS "run/containers/storage/overlay-containers/"

static const struct source {
	enum container_runtime runtime;
	const char *before, *after; /* of the id; after NULL: the path has none */
	bool (*find)(struct json json, const char *id, char name[static CONTAINER_NAME]);
} sources[] = {
	{CONTAINER_DOCKER, "var/lib/docker/containers/", "/config.v2.json", find_docker},
	{CONTAINER_CONTAINERD, KUBERNETES_TASKS, "/config.json", find_annotation},
	{CONTAINER_CONTAINERD, "run/containerd/io.containerd.runtime.v2.task/default/", "/config.json",
	 find_annotation},
	{CONTAINER_CONTAINERD, K3S_TASKS, "/config.json", find_annotation},
	{CONTAINER_CRIO, CRIO_CONTAINERS, "/userdata/config.json", find_annotation},
	{CONTAINER_KUBERNETES, KUBERNETES_TASKS, "/config.json", find_annotation},
	{CONTAINER_KUBERNETES, K3S_TASKS, "/config.json", find_annotation},
	{CONTAINER_KUBERNETES, CRIO_CONTAINERS, "/userdata/config.json", find_annotation},
	{CONTAINER_PODMAN, "var/lib/containers/storage/overlay-containers/containers.json", NULL, find_podman},
};

static const struct source *source_of(enum container_runtime runtime, unsigned int number)
{
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
		if (sources[i].runtime == runtime && !number--)
			return &sources[i];
	return NULL;
}

bool container_name_path(enum container_runtime runtime, const char *id, unsigned int number,
			 char path[static CONTAINER_NAME_PATH])
{
	const struct source *source = source_of(runtime, number);
	size_t digits = 0;

	while (digit_of(id[digits]) >= 0)
		digits++;
	if (!source || digits != ID_DIGITS || id[digits])
		return false;
	(void)snprintf(path, CONTAINER_NAME_PATH, "%s%s%s", source->before, source->after ? id : "",
		       source->after ? source->after : "");
	return true;
}

bool container_name_find(enum container_runtime runtime, const char *id, const char *bytes, size_t length,
			 char name[static CONTAINER_NAME])
{
	const struct source *source = source_of(runtime, 0);
	const struct json json = {bytes, bytes + length};

	return source && source->find(json, id, name);
}
