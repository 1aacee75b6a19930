/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* One question to the kernel, before anything of a recording exists. */
#include <errno.h>

#include "record/probe/probe_internal.h"

#include "bpf/steady.skel.h"

int probe_sched_clock_is_stable(void)
{
	int steady = -ENOENT, r;
	LIBBPF_OPTS(bpf_test_run_opts, options, .ctx_in = &steady, .ctx_size_in = sizeof(steady));
	struct steady_bpf *programs;

	(void)libbpf_set_print(NULL);
	programs = steady_bpf__open_and_load();
	if (!programs)
		return -errno;
	r = bpf_prog_test_run_opts(bpf_program__fd(programs->progs.read_steady), &options);
	steady_bpf__destroy(programs);
	return r < 0 ? r : steady;
}
