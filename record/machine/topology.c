/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/machine/topology.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"
#include "common/options/options.h"
#include "format/event_log.h"
#include "record/machine/small_file.h"

#define NODES "/sys/devices/system/node/"
#define CPUS "/sys/devices/system/cpu/"

enum { MOST_NODES = 1024, PATH_ROOM = 96 };

/* --- what the kernel says --- */

/* A list of CPUs or nodes in a file. False: there is none, or it is empty. */
static bool read_set(const char *path, struct cpu_set *ret_set)
{
	char text[TOPOLOGY_TEXT];

	*ret_set = (struct cpu_set){0};
	small_file_read(path, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	return *text && options_parse_list(text, ret_set->words, RWK_MAX_CPUS) == 0;
}

static bool read_node(uint32_t node, struct cpu_set *ret_set)
{
	char path[PATH_ROOM];

	(void)snprintf(path, sizeof(path), NODES "node%" PRIu32 "/cpulist", node);
	return read_set(path, ret_set);
}

/* The number of a CPU's package; -1: not known, as on machines that have none. */
static long read_package(uint32_t cpu)
{
	char path[PATH_ROOM], text[32], *end;
	long package;

	(void)snprintf(path, sizeof(path), CPUS "cpu%" PRIu32 "/topology/physical_package_id", cpu);
	small_file_read(path, text, sizeof(text));
	package = strtol(text, &end, 10);
	return end > text && package >= 0 && package <= INT32_MAX ? package : -1;
}

static bool read_core(uint32_t cpu, struct cpu_set *ret_set)
{
	char path[PATH_ROOM];

	(void)snprintf(path, sizeof(path), CPUS "cpu%" PRIu32 "/topology/thread_siblings_list", cpu);
	return read_set(path, ret_set) && cpu_set_has(ret_set, cpu);
}

/* --- as text --- */

static bool add_text(char *text, const char *more)
{
	size_t length = strlen(text), size = strlen(more) + 1;

	if (size > TOPOLOGY_TEXT - length)
		return false;
	memcpy(text + length, more, size);
	return true;
}

bool topology_add_list(char *text, const struct cpu_set *set)
{
	const char *comma = "";
	char item[32];

	for (uint32_t first = 0, last; first < RWK_MAX_CPUS; first = last + 1) {
		last = first;
		if (!cpu_set_has(set, first))
			continue;
		while (last + 1 < RWK_MAX_CPUS && cpu_set_has(set, last + 1))
			last++;
		if (last > first)
			(void)snprintf(item, sizeof(item), "%s%" PRIu32 "-%" PRIu32, comma, first, last);
		else
			(void)snprintf(item, sizeof(item), "%s%" PRIu32, comma, first);
		if (!add_text(text, item))
			return false;
		comma = ",";
	}
	return true;
}

bool topology_add_group(char *text, uint32_t number, const struct cpu_set *set)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%s%" PRIu32 ":", *text ? " " : "", number);
	return add_text(text, name) && topology_add_list(text, set);
}

/* --- records --- */

static bool describe_nodes(char *text)
{
	struct cpu_set nodes, set;

	if (!read_set(NODES "online", &nodes))
		return false;
	for (uint32_t node = 0; node < MOST_NODES; node++)
		if (cpu_set_has(&nodes, node) && read_node(node, &set) && !topology_add_group(text, node, &set))
			return false;
	return *text;
}

static bool describe_packages(const struct cpu_set *online, long *packages, char *text)
{
	for (uint32_t cpu = 0; cpu < RWK_MAX_CPUS; cpu++)
		packages[cpu] = cpu_set_has(online, cpu) ? read_package(cpu) : -1;
	for (uint32_t cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		const long package = packages[cpu];
		struct cpu_set set = {0};

		if (package < 0)
			continue;
		for (uint32_t other = cpu; other < RWK_MAX_CPUS; other++)
			if (packages[other] == package) {
				cpu_set_add(&set, other);
				packages[other] = -1;
			}
		if (!topology_add_group(text, (uint32_t)package, &set))
			return false;
	}
	return *text;
}

/* The CPUs of each core, in the order of their first ones. */
static bool describe_cores(const struct cpu_set *online, char *text)
{
	struct cpu_set told = {0}, core;

	for (uint32_t cpu = 0; cpu < RWK_MAX_CPUS; cpu++) {
		if (!cpu_set_has(online, cpu) || cpu_set_has(&told, cpu))
			continue;
		if (!read_core(cpu, &core) || (*text && !add_text(text, " ")) || !topology_add_list(text, &core))
			return false;
		cpu_set_join(&told, &core);
	}
	return *text;
}

int topology_describe(const struct cpus *cpus, struct event_log *log)
{
	char nodes[TOPOLOGY_TEXT] = "", packages[TOPOLOGY_TEXT] = "", cores[TOPOLOGY_TEXT] = "";
	_cleanup_free_ long *package_of = calloc(RWK_MAX_CPUS, sizeof(*package_of));
	struct cpu_set online;
	int r = 0;

	if (!package_of)
		return -ENOMEM;
	if (cpus_online_all(cpus, &online) < 0)
		return 0;
	if (describe_nodes(nodes))
		r = event_log_add_meta(log, "nodes", nodes);
	if (!r && describe_packages(&online, package_of, packages))
		r = event_log_add_meta(log, "packages", packages);
	if (!r && describe_cores(&online, cores))
		r = event_log_add_meta(log, "cores", cores);
	return r;
}

/* --- --node --- */

static int no_such_node(const char *list, const struct cpu_set *nodes)
{
	char text[TOPOLOGY_TEXT] = "";

	if (!topology_add_list(text, nodes) || !*text)
		return log_error(EINVAL, "--node: this kernel does not say which node a CPU belongs to; "
					 "choose CPUs with -P");
	return log_error(EINVAL, "--node expects nodes such as 0,2-3, not '%s': this machine has %s", list, text);
}

int topology_cpus_of_nodes(const char *list, struct cpu_set *ret_set)
{
	struct cpu_set wanted = {0}, nodes, set;

	(void)read_set(NODES "online", &nodes);
	if (options_parse_list(list, wanted.words, MOST_NODES) < 0)
		return no_such_node(list, &nodes);
	*ret_set = (struct cpu_set){0};
	for (uint32_t node = 0; node < MOST_NODES; node++) {
		if (!cpu_set_has(&wanted, node))
			continue;
		if (!cpu_set_has(&nodes, node))
			return no_such_node(list, &nodes);
		if (!read_node(node, &set))
			return log_error(EINVAL, "--node %" PRIu32 ": this node has no CPU that is online", node);
		cpu_set_join(ret_set, &set);
	}
	return 0;
}
