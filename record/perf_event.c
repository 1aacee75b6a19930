/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "record/small_file.h"

#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

static uint64_t read_max_rate(void)
{
	char text[32];

	small_file_read(MAX_RATE_FILE, text, sizeof(text));
	return *text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static uint64_t grant_frequency(uint64_t wanted)
{
	uint64_t most = read_max_rate();

	if (wanted <= most)
		return wanted;
	log_warning("%llu samples a second are more than this host allows: %llu (" MAX_RATE_FILE ")",
		    (unsigned long long)wanted, (unsigned long long)most);
	return most;
}

static int open_event(const struct perf_events *events, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = events->software ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = events->software ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = events->frequency,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED,
		.disabled = 1,
		.exclude_guest = !events->software,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int attach(struct perf_events *events, uint32_t cpu, int event_fd)
{
	_cleanup_close_ int fd = event_fd;

	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, events->program_fd) < 0)
		return -errno;
	events->fds[cpu] = steal_fd(&fd);
	return 0;
}

static int open_on(struct perf_events *events, uint32_t cpu)
{
	int fd = open_event(events, cpu);

	return fd < 0 ? fd : attach(events, cpu, fd);
}

static uint32_t first_cpu(const struct cpu_set *set, uint32_t count)
{
	uint32_t cpu = 0;

	while (cpu < count && !cpu_set_has(set, cpu))
		cpu++;
	return cpu;
}

/* Hardware cycles where the first CPU has them, else the CPU clock. */
static void choose_event(struct perf_events *events, uint32_t cpu)
{
	_cleanup_close_ int fd = -1;

	if (events->software)
		return;
	fd = open_event(events, cpu);
	if (fd >= 0)
		return;
	log_info("no hardware cycles here (%s): sampling by the CPU clock", strerror(-fd));
	events->software = events->fallback = true;
}

static int open_all(struct perf_events *events)
{
	struct cpu_set online;
	uint32_t opened = 0, first;
	int r = cpus_online(events->cpus, &online);

	if (r < 0)
		return log_error(-r, "cannot read which CPUs are online: %s", strerror(-r));
	first = first_cpu(&online, events->count);
	if (first == events->count)
		return log_error(ENODEV, "none of the CPUs of -P is online");
	choose_event(events, first);
	for (uint32_t cpu = first; cpu < events->count; cpu++) {
		if (!cpu_set_has(&online, cpu))
			continue;
		r = open_on(events, cpu);
		if (r == -ENODEV) /* went offline since */
			continue;
		if (r < 0)
			return log_error(-r, "cannot sample on CPU %u: %s", cpu, strerror(-r));
		opened++;
	}
	return opened ? 0 : log_error(ENODEV, "no CPU could be sampled");
}

int perf_events_open(struct perf_events *events, const struct cpus *cpus, const struct perf_event_settings *settings,
		     int program_fd)
{
	int r;

	*events = (struct perf_events){
		.cpus = cpus,
		.count = cpus->possible,
		.program_fd = program_fd,
		.software = settings->software,
		.fds = calloc(cpus->possible, sizeof(*events->fds)),
		.counts = calloc(cpus->possible, sizeof(*events->counts)),
		.enabled = calloc(cpus->possible, sizeof(*events->enabled)),
	};
	if (!events->fds || !events->counts || !events->enabled) {
		perf_events_close(events);
		return -ENOMEM;
	}
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		events->fds[cpu] = -1;
	events->frequency = grant_frequency(settings->frequency);
	r = open_all(events);
	if (r < 0) {
		perf_events_close(events);
		return r;
	}
	events->period = events->software ? 1000000000 / events->frequency : 0;
	return 0;
}

void perf_events_close(struct perf_events *events)
{
	for (uint32_t cpu = 0; events->fds && cpu < events->count; cpu++)
		if (events->fds[cpu] >= 0)
			(void)close(events->fds[cpu]);
	free(events->fds);
	free(events->counts);
	free(events->enabled);
	*events = (struct perf_events){0};
}

int perf_events_enable(struct perf_events *events)
{
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		if (events->fds[cpu] >= 0 && ioctl(events->fds[cpu], PERF_EVENT_IOC_ENABLE, 0) < 0)
			return log_error(errno, "cannot start sampling on CPU %u: %s", cpu, strerror(errno));
	return 0;
}

void perf_events_disable(struct perf_events *events)
{
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		if (events->fds[cpu] >= 0)
			(void)ioctl(events->fds[cpu], PERF_EVENT_IOC_DISABLE, 0);
}

struct reading { /* PERF_FORMAT_TOTAL_TIME_ENABLED */
	uint64_t count, enabled;
};

static struct reading read_event(int fd)
{
	struct reading reading;

	if (fd < 0 || read(fd, &reading, sizeof(reading)) != sizeof(reading))
		return (struct reading){0};
	return reading;
}

static void close_event(struct perf_events *events, uint32_t cpu)
{
	events->counts[cpu] += read_event(events->fds[cpu]).count;
	events->enabled[cpu] = 0;
	(void)close(events->fds[cpu]);
	events->fds[cpu] = -1;
}

/* The CPU was away for less than a second: its event is still open, and dead. */
static bool has_died(struct perf_events *events, uint32_t cpu)
{
	uint64_t before = events->enabled[cpu];

	events->enabled[cpu] = read_event(events->fds[cpu]).enabled;
	return events->enabled[cpu] == before;
}

static void follow_cpu(struct perf_events *events, uint32_t cpu, bool online)
{
	if (events->fds[cpu] >= 0 && (!online || has_died(events, cpu)))
		close_event(events, cpu);
	if (!online || events->fds[cpu] >= 0)
		return;
	if (open_on(events, cpu) < 0 || ioctl(events->fds[cpu], PERF_EVENT_IOC_ENABLE, 0) < 0)
		events->missed++;
}

void perf_events_follow_cpus(struct perf_events *events)
{
	struct cpu_set online;

	if (cpus_online(events->cpus, &online) < 0)
		return;
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		follow_cpu(events, cpu, cpu_set_has(&online, cpu));
}

uint64_t perf_events_ticks(const struct perf_events *events, uint32_t cpu)
{
	if (!events->period)
		return 0;
	return (events->counts[cpu] + read_event(events->fds[cpu]).count) / events->period;
}
