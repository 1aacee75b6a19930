/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Checks that load programs and open events as a recording does, and close them again. */
#include "record/check/check_host.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/machine/cpus.h"
#include "record/machine/requirements.h"
#include "record/perf/perf_event.h"
#include "record/plan/filter.h"
#include "record/plan/sample_rate.h"
#include "record/probe/points.h"
#include "record/probe/probe.h"
#include "record/probe/probe_points.h"

enum { SMALL_RING = 64 << 10 }; /* bytes: memory is checked separately */

static const char *const as_root = "run this with sudo: only root can try";

struct trial {
	struct cpus cpus;
	struct filter filter;
	struct probe *probe;
};

static int trial_open(struct trial *trial, struct probe_settings settings)
{
	static const struct record_who everybody;
	int r;

	*trial = (struct trial){.cpus = {.online_fd = -1}};
	r = cpus_open(&trial->cpus, NULL);
	if (r >= 0)
		r = filter_init(&trial->filter, &everybody, false);
	settings.cpus = &trial->cpus;
	settings.filter = &trial->filter;
	settings.max_frames = probe_max_frames();
	settings.ring_bytes = SMALL_RING;
	return r < 0 ? r : probe_create(&settings, &trial->probe);
}

static void trial_close(struct trial *trial)
{
	probe_destroy(trial->probe);
	filter_deinit(&trial->filter);
	cpus_close(&trial->cpus);
}

/* False: there is no need to try. */
static bool may_try(struct check_row *row)
{
	if (!privileges_missing())
		return true;
	row->verdict = CHECK_UNKNOWN;
	row->remedy = as_root;
	(void)snprintf(row->means, sizeof(row->means), "not tried: capabilities are missing");
	return false;
}

static void judge(struct check_row *row, int r, const char *means)
{
	row->verdict = r < 0 ? CHECK_NO : CHECK_YES;
	row->remedy = "the rows above, and what the kernel says on stderr";
	if (r < 0)
		(void)snprintf(row->means, sizeof(row->means), "the kernel refused: %s", strerror(-r));
	else
		(void)snprintf(row->means, sizeof(row->means), "%s", means);
}

void check_walks(struct check_row *row)
{
	struct trial trial;

	if (!may_try(row))
		return;
	judge(row, trial_open(&trial, (struct probe_settings){.tasks = true}), "its programs load: -a, -r, -s, -i");
	trial_close(&trial);
}

/* Opens the events of a profile as well. */
static int try_events(const struct trial *trial, bool *ret_software)
{
	const struct perf_event_settings settings = {.frequency = SAMPLE_RATE};
	struct perf_events events = {0};
	int r = perf_events_open(&events, &trial->cpus, &settings, probe_cpu_program(trial->probe));

	*ret_software = events.software;
	if (r >= 0)
		perf_events_close(&events);
	return r;
}

static int try_samples(bool *ret_software)
{
	struct trial trial;
	int r = trial_open(&trial, (struct probe_settings){.cpu = true});

	if (r >= 0)
		r = try_events(&trial, ret_software);
	trial_close(&trial);
	return r;
}

void check_samples(struct check_row *row)
{
	bool software;

	if (may_try(row))
		judge(row, try_samples(&software), "its programs load and its events open: -p");
}

void check_cycles(struct check_row *row)
{
	bool software = false;
	int r;

	if (!may_try(row))
		return;
	r = try_samples(&software);
	judge(row, r, "samples are taken by hardware cycles");
	if (r < 0 || !software)
		return;
	row->verdict = CHECK_LIMITED;
	row->remedy = "in a virtual machine: let the hypervisor pass on its performance counters";
	(void)snprintf(row->means, sizeof(row->means), "there are none: samples are taken by the CPU clock");
}

void check_waits(struct check_row *row)
{
	const struct ring_wait_knobs knobs = {
		.least = 1000000, .most = UINT64_MAX, .states = RING_STATES_ALL, .wakers = true, .user_stacks = true,
		.source = 1, .wakers_source = 2, .clock = RING_CLOCK_EXACT,
	};
	struct trial trial;
	int r;

	if (!may_try(row))
		return;
	r = trial_open(&trial, (struct probe_settings){.waits = &knobs, .objects = true, .user_stacks = true});
	if (r >= 0) {
		r = probe_waits_attach(trial.probe);
		probe_waits_detach(trial.probe);
	}
	judge(row, r, "its programs load and attach: --offcpu, --wakers, -u");
	trial_close(&trial);
}

static int try_point(const char *name, bool function)
{
	const struct record_points asked = {
		.items = {{.text = name, .length = (int)strlen(name), .function = function}}, .count = 1, .most = 1,
	};
	struct points points = {0};
	const struct probe_points_settings settings = {.points = &points, .first_source = 1};
	struct trial trial;
	int r = points_resolve(&asked, &points);

	if (r < 0)
		return r;
	r = trial_open(&trial, (struct probe_settings){.points = &settings});
	trial_close(&trial);
	points_deinit(&points);
	return r;
}

void check_tracepoints(struct check_row *row)
{
	if (may_try(row))
		judge(row, try_point("sched_process_exit", false), "one was attached to: --trace");
}

void check_functions(struct check_row *row)
{
	if (may_try(row))
		judge(row, try_point("do_exit", true), "one was attached to: --kfunc");
}
