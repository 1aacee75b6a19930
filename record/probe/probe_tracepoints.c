/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/probe/probe_tracepoints.h"

#include <bpf/btf.h>
#include <stdint.h>
#include <string.h>

int probe_tracepoints(int (*take)(void *context, const char *name), void *context)
{
	static const char prefix[] = "btf_trace_";
	struct btf *kernel = btf__load_vmlinux_btf();
	int r = 0;

	for (uint32_t id = 1; kernel && !r && id < btf__type_cnt(kernel); id++) {
		const struct btf_type *type = btf__type_by_id(kernel, id);
		const char *name = btf_is_typedef(type) ? btf__name_by_offset(kernel, type->name_off) : NULL;

		if (name && !strncmp(name, prefix, sizeof(prefix) - 1))
			r = take(context, name + sizeof(prefix) - 1);
	}
	btf__free(kernel);
	return r;
}
