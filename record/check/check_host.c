/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/check/check_host.h"

static const struct {
	const char *what;
	bool required;
	void (*find)(struct check_row *row);
} checks[] = {
	{"kernel", true, check_kernel},
	{"kernel types (BTF)", true, check_types},
	{"lockdown", true, check_lockdown},
	{"capabilities", true, check_capabilities},
	{"... of helpers", false, check_helper_capabilities},
	{"pid namespace", true, check_pid_namespace},
	{"time namespace", true, check_time_namespace},
	{"kernel names", true, check_kernel_names},
	{"walks", true, check_walks},
	{"samples", true, check_samples},
	{"waits", true, check_waits},
	{"tracepoints", false, check_tracepoints},
	{"kernel functions", false, check_functions},
	{"hardware cycles", false, check_cycles},
	{"perf_event_paranoid", false, check_paranoid},
	{"kprobes", false, check_kprobes},
	{"tracefs", false, check_tracefs},
	{"debugfs", false, check_debugfs},
	{"pressure (PSI)", false, check_psi},
	{"cgroup v2", false, check_cgroups},
	{"memory", true, check_memory},
};

void check_print(FILE *out, const struct check_row *row)
{
	static const char *const words[] = {
		[CHECK_YES] = "yes", [CHECK_LIMITED] = "limited", [CHECK_NO] = "no", [CHECK_UNKNOWN] = "?",
	};

	(void)fprintf(out, "%-20s %-8s %s\n", row->what, words[row->verdict], row->means);
	if (row->remedy && row->verdict != CHECK_YES)
		(void)fprintf(out, "%-20s %-8s -> %s\n", "", "", row->remedy);
}

int check_host(FILE *out)
{
	bool works = true;

	for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		struct check_row row = {.what = checks[i].what, .required = checks[i].required};

		checks[i].find(&row);
		check_print(out, &row);
		works &= !row.required || row.verdict == CHECK_YES || row.verdict == CHECK_LIMITED;
	}
	(void)fprintf(out, "\n%s\n", works ? "A default recording works here." :
					    "A default recording does not work here, or not as this user.");
	return !works;
}
