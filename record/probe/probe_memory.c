/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Memory of the programs' maps, as the kernel reports it for each (fdinfo: "memlock: BYTES"). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <linux/types.h>

#include "bpf/ring_lives.h"
#include "common/cleanup.h"
#include "record/probe/probe_internal.h"

#include "bpf/cgroups.skel.h"
#include "bpf/cpu.skel.h"
#include "bpf/lives.skel.h"
#include "bpf/offcpu.skel.h"
#include "bpf/points.skel.h"
#include "bpf/sleepers.skel.h"
#include "bpf/tasks.skel.h"

static uint64_t bytes_of(int fd)
{
	_cleanup_fclose_ FILE *file = NULL;
	char path[64], line[128];
	uint64_t bytes = 0;

	(void)snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "memlock: %" SCNu64, &bytes) == 1)
			break;
	return bytes;
}

/* Maps that copies of an object share are counted with the first one. */
static uint64_t bytes_of_object(const struct bpf_object *object, const struct bpf_object *first)
{
	const struct bpf_map *map;
	uint64_t bytes = 0;

	if (!object)
		return 0;
	bpf_object__for_each_map(map, object)
		if (!first || first == object || bpf_map__is_internal(map))
			bytes += bytes_of(bpf_map__fd(map));
	return bytes;
}

uint64_t probe_memory(const struct probe *probe)
{
	const struct bpf_object *objects[] = {
		probe->cpu ? probe->cpu->obj : NULL,	       probe->waits ? probe->waits->obj : NULL,
		probe->tasks ? probe->tasks->obj : NULL,       probe->lives ? probe->lives->obj : NULL,
		probe->sleepers ? probe->sleepers->obj : NULL, probe->cgroups ? probe->cgroups->obj : NULL,
	};
	uint64_t bytes = 0;

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++)
		bytes += bytes_of_object(objects[i], NULL);
	for (size_t i = 0; i < probe->points.count; i++)
		bytes += bytes_of_object(probe->points.items[i].programs->obj, probe->points.items[0].programs->obj);
	return bytes + probe_scratch_memory(probe);
}
