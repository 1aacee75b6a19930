/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/tables/profile_nodes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/options/options.h"
#include "report/profile/tables/profile_internal.h"

static bool take_node(const char *word, struct cpu_nodes *nodes)
{
	uint64_t cpus[NODE_CPUS / 64] = {0};
	char *colon;
	unsigned long node = strtoul(word, &colon, 10);

	if (colon == word || *colon != ':' || node >= PROFILE_MAX_NODES ||
	    options_parse_list(colon + 1, cpus, NODE_CPUS) < 0)
		return false;
	for (uint32_t cpu = 0; cpu < NODE_CPUS; cpu++)
		if (cpus[cpu / 64] >> (cpu % 64) & 1)
			nodes->of_cpu[cpu] = (uint16_t)node;
	return true;
}

void cpu_nodes_parse(const char *text, struct cpu_nodes *ret_nodes)
{
	size_t length;
	char word[4096];

	for (uint32_t cpu = 0; cpu < NODE_CPUS; cpu++)
		ret_nodes->of_cpu[cpu] = PROFILE_NO_NODE;
	for (; *text; text += length + (text[length] == ' ')) {
		length = strcspn(text, " ");
		if (length >= sizeof(word))
			return;
		memcpy(word, text, length);
		word[length] = '\0';
		if (!take_node(word, ret_nodes))
			return;
	}
}

int profile_add_nodes(struct profile *profile, const struct trace_model *model, uint32_t host)
{
	const char *text = trace_model_meta(model, "nodes");
	struct profile_host *about = &profile->hosts.items[host];

	if (!text || about->nodes)
		return 0;
	about->nodes = malloc(sizeof(*about->nodes));
	if (!about->nodes)
		return -ENOMEM;
	cpu_nodes_parse(text, about->nodes);
	return 0;
}

uint16_t profile_node_of(const struct profile *profile, uint32_t host, uint16_t cpu)
{
	const struct cpu_nodes *nodes = host < profile->hosts.count ? profile->hosts.items[host].nodes : NULL;

	return nodes && cpu < NODE_CPUS ? nodes->of_cpu[cpu] : PROFILE_NO_NODE;
}

size_t profile_hosts(const struct profile *profile)
{
	return profile->hosts.count;
}

bool profile_node_is_wanted(const struct profile *profile, uint32_t host, uint64_t cpu)
{
	const uint64_t *nodes = profile->filter->nodes;
	uint16_t node;

	if (!nodes)
		return true;
	node = cpu < PROFILE_NO_CPU ? profile_node_of(profile, host, (uint16_t)cpu) : PROFILE_NO_NODE;
	return node < PROFILE_MAX_NODES && nodes[node / 64] >> (node % 64) & 1;
}
