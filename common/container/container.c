/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "common/container/container.h"

#include <stddef.h>
#include <string.h>

enum { LEAST_DIGITS = 12, DIGITS = 64 };

struct span {
	const char *at;
	size_t length;
};

/* --- spans --- */

static bool is(struct span span, const char *text)
{
	return span.length == strlen(text) && !memcmp(span.at, text, span.length);
}

static bool cut_begin(struct span *span, const char *text)
{
	size_t length = strlen(text);

	if (span->length <= length || memcmp(span->at, text, length) != 0)
		return false;
	*span = (struct span){span->at + length, span->length - length};
	return true;
}

static bool cut_end(struct span *span, const char *text)
{
	size_t length = strlen(text);

	if (span->length <= length || memcmp(span->at + span->length - length, text, length) != 0)
		return false;
	span->length -= length;
	return true;
}

/* What follows the last ':', and what precedes it. */
static bool cut_colon(struct span *head, struct span *tail)
{
	for (size_t i = head->length; i-- > 0;) {
		if (head->at[i] != ':')
			continue;
		*tail = (struct span){head->at + i + 1, head->length - i - 1};
		head->length = i;
		return true;
	}
	return false;
}

static int digit_of(char letter)
{
	if (letter >= '0' && letter <= '9')
		return letter - '0';
	return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

static bool is_number(struct span span, size_t least)
{
	size_t i = 0;

	while (i < span.length && digit_of(span.at[i]) >= 0)
		i++;
	return i == span.length && i >= least && i <= DIGITS;
}

/* --- what is kept --- */

/* systemd writes '-' as "\x2d" in the names of its units. */
static void keep_name(struct span span, char *ret_text)
{
	size_t used = 0;

	for (size_t i = 0; i < span.length && used + 1 < CONTAINER_ID; i++) {
		bool escaped = span.length - i >= 4 && span.at[i] == '\\' && span.at[i + 1] == 'x' &&
			       digit_of(span.at[i + 2]) >= 0 && digit_of(span.at[i + 3]) >= 0;

		ret_text[used++] = escaped ? (char)(digit_of(span.at[i + 2]) << 4 | digit_of(span.at[i + 3])) :
					     span.at[i];
		i += escaped ? 3 : 0;
	}
	ret_text[used] = '\0';
}

static bool keep(struct container *container, enum container_runtime runtime, struct span id)
{
	container->runtime = runtime;
	keep_name(id, container->id);
	return true;
}

/* --- one component of the path --- */

static const struct {
	const char *name;
	enum container_runtime runtime;
} runtimes[] = {
	{"docker", CONTAINER_DOCKER}, {"cri-containerd", CONTAINER_CONTAINERD}, {"nerdctl", CONTAINER_CONTAINERD},
	{"crio", CONTAINER_CRIO},     {"libpod", CONTAINER_PODMAN},		{"libpod-payload", CONTAINER_PODMAN},
	{"runc", CONTAINER_OTHER},    {"crun", CONTAINER_OTHER},
};

/*
 * "docker-ID.scope", "crio-ID"; "system.slice:docker:ID" comes from a runtime that was given a path
 * in systemd's form, but does not make systemd units.
 */
static bool is_of_runtime(struct span name, struct container *container)
{
	struct span head = name, id, runtime;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		id = name;
		(void)cut_end(&id, ".scope");
		if (cut_begin(&id, runtimes[i].name) && cut_begin(&id, "-") && is_number(id, LEAST_DIGITS))
			return keep(container, runtimes[i].runtime, id);
	}
	if (!cut_colon(&head, &id) || !cut_colon(&head, &runtime) || !is_number(id, LEAST_DIGITS))
		return false;
	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (is(runtime, runtimes[i].name))
			return keep(container, runtimes[i].runtime, id);
	return false;
}

static bool is_stand_in(struct span name, struct container *container)
{
	struct span runtime = name, id;

	if (!cut_colon(&runtime, &id) || id.length <= strlen(CONTAINER_STAND_IN) ||
	    memcmp(id.at, CONTAINER_STAND_IN, strlen(CONTAINER_STAND_IN)) != 0)
		return false;
	for (int i = 0; i <= CONTAINER_OTHER; i++)
		if (is(runtime, container_runtime_name((enum container_runtime)i)))
			return keep(container, (enum container_runtime)i, id);
	return false;
}

static bool is_machine(struct span name, struct container *container)
{
	struct span id = name;

	if (cut_begin(&id, "machine-") && cut_end(&id, ".scope"))
		return keep(container, CONTAINER_MACHINE, id);
	id = name;
	return cut_begin(&id, "systemd-nspawn@") && cut_end(&id, ".service") && keep(container, CONTAINER_MACHINE, id);
}

static bool is_lxc(struct span name, struct span parent, struct container *container)
{
	if (is(parent, "lxc") || is(parent, "lxc.payload"))
		return keep(container, CONTAINER_LXC, name);
	return cut_begin(&name, "lxc.payload.") && keep(container, CONTAINER_LXC, name);
}

/* Runtimes that make their groups without systemd name them after the id alone. */
static bool is_bare(struct span name, struct span parent, struct container *container)
{
	enum container_runtime runtime = is(parent, "docker")	   ? CONTAINER_DOCKER :
					 is(parent, "libpod_parent") ? CONTAINER_PODMAN :
					 is(parent, "default") ? CONTAINER_CONTAINERD :
					 container->pod[0]	   ? CONTAINER_KUBERNETES :
								     CONTAINER_OTHER;

	return is_number(name, DIGITS) && keep(container, runtime, name);
}

/*
 * "kubepods-besteffort-podUID.slice", "podUID" below "kubepods"; podman's "machine-
 * libpod_pod_ID.slice".
 */
static void note_pod(struct span name, bool in_kubernetes, struct container *container)
{
	struct span uid = name, rest;

	if (cut_colon(&uid, &rest))
		(void)cut_colon(&uid, &rest);
	(void)cut_end(&uid, ".slice");
	(void)cut_begin(&uid, "kubelet-"); /* the kubelet's own root, as in kind */
	if (cut_begin(&uid, "kubepods")) {
		if (!cut_begin(&uid, "-besteffort") && !cut_begin(&uid, "-burstable"))
			(void)cut_begin(&uid, "-guaranteed");
		if (!cut_begin(&uid, "-pod"))
			return;
	} else if (!(in_kubernetes && cut_begin(&uid, "pod")) && !cut_begin(&uid, "machine-libpod_pod_")) {
		return;
	}
	keep_name(uid, container->pod);
	for (char *at = container->pod; *at; at++)
		*at = *at == '_' ? '-' : *at;
}

bool container_find(const char *path, struct container *ret_container)
{
	struct container container = {0};
	struct span parent = {"", 0};
	bool found = false, in_kubernetes = false;

	for (const char *at = path; *at; at += parent.length) {
		struct span name, begin;

		at += strspn(at, "/");
		name = begin = (struct span){at, strcspn(at, "/")};
		note_pod(name, in_kubernetes, &container);
		in_kubernetes |= cut_begin(&begin, "kubepods") || is(name, "kubepods");
		found |= is_of_runtime(name, &container) || is_machine(name, &container) ||
			 is_lxc(name, parent, &container) || is_bare(name, parent, &container) ||
			 is_stand_in(name, &container);
		parent = name;
	}
	if (found)
		*ret_container = container;
	return found;
}

const char *container_runtime_name(enum container_runtime runtime)
{
	static const char *const names[] = {
		[CONTAINER_DOCKER] = "docker",	 [CONTAINER_CONTAINERD] = "containerd",
		[CONTAINER_CRIO] = "cri-o",	 [CONTAINER_PODMAN] = "podman",
		[CONTAINER_LXC] = "lxc",	 [CONTAINER_MACHINE] = "machine",
		[CONTAINER_KUBERNETES] = "kubernetes", [CONTAINER_OTHER] = "container",
	};

	return names[runtime];
}

int container_short_length(const struct container *container)
{
	struct span id = {container->id, strlen(container->id)};

	return is_number(id, LEAST_DIGITS) ? CONTAINER_SHORT : (int)id.length;
}
