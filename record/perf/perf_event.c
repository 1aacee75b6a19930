/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/perf/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "common/time_units.h"
#include "record/helper/perf_open.h"
#include "record/host/host.h"
#include "record/plan/budget.h"

/* --- the rings in which the kernel reports throttling --- */

int perf_ring_map(struct perf_ring *ring, int fd, size_t data_size)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_ring made = {.fd = -1, .size = data_size, .wrapped = malloc(UINT16_MAX + 1)};
	int error;

	if (!made.wrapped)
		return -ENOMEM;
	made.page = mmap(NULL, page_size + data_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (made.page == MAP_FAILED) {
		error = errno;
		free(made.wrapped);
		return -error;
	}
	made.data = (uint8_t *)made.page + page_size;
	made.fd = fd;
	*ring = made;
	return 0;
}

int perf_ring_open(struct perf_ring *ring, struct spawner *spawner, const struct perf_event_attr *attr, uint32_t cpu,
		   size_t data_size)
{
	_cleanup_close_ int fd = perf_open(spawner, attr, cpu);
	int r;

	*ring = (struct perf_ring){.fd = -1};
	if (fd < 0)
		return fd;
	r = perf_ring_map(ring, fd, data_size);
	if (r >= 0)
		(void)steal_fd(&fd);
	return r;
}

void perf_ring_close(struct perf_ring *ring)
{
	if (ring->page)
		(void)munmap(ring->page, (size_t)sysconf(_SC_PAGESIZE) + ring->size);
	if (ring->fd >= 0)
		(void)close(ring->fd);
	free(ring->wrapped);
	*ring = (struct perf_ring){.fd = -1};
}

void perf_ring_look(struct perf_ring *ring)
{
	ring->head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

uint64_t perf_ring_room(const struct perf_ring *ring)
{
	return ring->size - (ring->head - ring->tail);
}

const struct perf_event_header *perf_ring_peek(struct perf_ring *ring)
{
	uint64_t at = ring->tail & (ring->size - 1), room = ring->size - at;
	const struct perf_event_header *header = (const void *)(ring->data + at);

	if (ring->head == ring->tail)
		return NULL;
	/* If this is not a record, nothing after it can be found. */
	if (header->size < sizeof(*header) || header->size > ring->head - ring->tail) {
		ring->tail = ring->head;
		__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
		return NULL;
	}
	/* Records are multiples of 8 bytes: the header itself never wraps. */
	if (header->size <= room)
		return header;
	memcpy(ring->wrapped, ring->data + at, room);
	memcpy(ring->wrapped + room, ring->data, header->size - room);
	return (const void *)ring->wrapped;
}

void perf_ring_next(struct perf_ring *ring)
{
	uint64_t at = ring->tail & (ring->size - 1);

	ring->tail += ((const struct perf_event_header *)(const void *)(ring->data + at))->size;
	__atomic_store_n(&ring->page->data_tail, ring->tail, __ATOMIC_RELEASE);
}

/* --- the events --- */

enum { THROTTLE_PAGES = 4 };
#define MAX_RATE_FILE "/proc/sys/kernel/perf_event_max_sample_rate"

static uint64_t read_max_rate(void)
{
	char text[32];

	small_file_read(MAX_RATE_FILE, text, sizeof(text));
	return *text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

static uint64_t grant_frequency(uint64_t wanted)
{
	uint64_t most = read_max_rate(), granted = wanted;

	if (wanted > most) {
		granted = sample_rate_below(most);
		log_warning("this host allows at most %llu samples per second ('" MAX_RATE_FILE
			    "'), not %llu: sampling at %llu Hz",
			    (unsigned long long)most, (unsigned long long)wanted, (unsigned long long)granted);
	}
	if (sample_rate_in_step(granted))
		log_warning("%llu Hz keeps step with timers of 1, 4, 10 or 100 ms: what they "
			    "start may be missed or counted far too often; %d Hz does not",
			    (unsigned long long)granted,
			    granted > 2 * SAMPLE_RATE_DWARF ? SAMPLE_RATE : SAMPLE_RATE_DWARF);
	return granted;
}

/*
 * The CPU clock's ticks in the idle task are excluded. The kernel would count them as too many
 * for one tick of the scheduler, which an idle CPU does not have, and stop the event until that
 * tick comes: short runs on a mostly idle CPU would be missed.
 */
static int open_event(const struct perf_events *events, uint32_t cpu)
{
	struct perf_event_attr attr = {
		.type = events->software ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = events->software ? PERF_COUNT_SW_CPU_CLOCK : PERF_COUNT_HW_CPU_CYCLES,
		.sample_freq = events->now,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.exclude_guest = !events->software,
		.exclude_idle = events->software,
	};

	return perf_open(events->spawner, &attr, cpu);
}

/* The program keeps all samples out of the ring: only the few records about throttling get there. */
static int attach(struct perf_events *events, uint32_t cpu, int event_fd)
{
	_cleanup_close_ int fd = event_fd;
	struct perf_cpu *on = &events->each[cpu];

	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, events->program_fd) < 0)
		return -errno;
	on->stopped_at = on->seen_enabled = 0;
	on->fd = fd;
	if (perf_ring_map(&on->ring, fd, THROTTLE_PAGES * (size_t)sysconf(_SC_PAGESIZE)) < 0)
		on->ring = (struct perf_ring){.fd = -1};
	(void)steal_fd(&fd);
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

/* Hardware cycles if the first CPU has them, else the CPU clock. */
static void choose_event(struct perf_events *events, uint32_t cpu)
{
	_cleanup_close_ int fd = -1;

	if (events->software)
		return;
	fd = open_event(events, cpu);
	if (fd >= 0)
		return;
	log_info("cannot count hardware cycles (%s): sampling by the CPU clock", strerror(-fd));
	events->software = events->fallback = true;
}

static int open_all(struct perf_events *events)
{
	struct cpu_set online;
	uint32_t opened = 0, first;
	int r = cpus_online(events->cpus, &online);

	if (r < 0)
		return log_error(-r, "cannot read the list of online CPUs: %s", strerror(-r));
	first = first_cpu(&online, events->count);
	if (first == events->count)
		return log_error(ENODEV, "none of the CPUs given with -P is online");
	choose_event(events, first);
	for (uint32_t cpu = first; cpu < events->count; cpu++) {
		if (!cpu_set_has(&online, cpu))
			continue;
		r = open_on(events, cpu);
		if (r == -ENODEV) /* has gone offline since */
			continue;
		if (r < 0)
			return log_error(-r, "cannot sample on CPU %u: %s", cpu, strerror(-r));
		opened++;
	}
	return opened ? 0 : log_error(ENODEV, "cannot sample on any CPU");
}

int perf_events_open(struct perf_events *events, const struct cpus *cpus, const struct perf_event_settings *settings,
		     int program_fd)
{
	int r;

	*events = (struct perf_events){
		.cpus = cpus,
		.count = cpus->possible,
		.program_fd = program_fd,
		.spawner = settings->spawner,
		.software = settings->software,
		.each = calloc(cpus->possible, sizeof(*events->each)),
	};
	if (!events->each)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		events->each[cpu].fd = events->each[cpu].ring.fd = -1;
	events->now = events->frequency = grant_frequency(settings->frequency);
	r = cpu_busy_open(&events->busy, events->count) ?: open_all(events);
	if (r < 0)
		perf_events_close(events);
	else
		events->period = events->software ? SECOND / events->frequency : 0;
	return r;
}

static void close_on(struct perf_cpu *on)
{
	if (on->ring.page)
		perf_ring_close(&on->ring);
	else if (on->fd >= 0)
		(void)close(on->fd);
	on->fd = -1;
}

void perf_events_close(struct perf_events *events)
{
	for (uint32_t cpu = 0; events->each && cpu < events->count; cpu++)
		close_on(&events->each[cpu]);
	free(events->each);
	if (events->busy.text)
		cpu_busy_close(&events->busy);
	*events = (struct perf_events){0};
}

int perf_events_enable(struct perf_events *events)
{
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		if (events->each[cpu].fd >= 0 && ioctl(events->each[cpu].fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
			return log_error(errno, "cannot start sampling on CPU %u: %s", cpu, strerror(errno));
	cpu_busy_begin(&events->busy);
	return 0;
}

void perf_events_disable(struct perf_events *events)
{
	for (uint32_t cpu = 0; cpu < events->count; cpu++)
		if (events->each[cpu].fd >= 0)
			(void)ioctl(events->each[cpu].fd, PERF_EVENT_IOC_DISABLE, 0);
	perf_events_look_busy(events);
	events->disabled = true;
}

/* The kernel keeps a period for events of the CPU clock, and a frequency for the others. */
void perf_events_set_frequency(struct perf_events *events, uint64_t frequency)
{
	uint64_t value = events->software && frequency ? SECOND / frequency : frequency;

	if (frequency)
		events->now = frequency;
	for (uint32_t cpu = 0; cpu < events->count; cpu++) {
		int fd = events->each[cpu].fd;

		if (fd < 0)
			continue;
		if (frequency)
			(void)ioctl(fd, PERF_EVENT_IOC_PERIOD, &value);
		(void)ioctl(fd, frequency ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
	}
}

void perf_events_look_busy(struct perf_events *events)
{
	if (!events->disabled)
		cpu_busy_end(&events->busy);
}

bool perf_events_busy(const struct perf_events *events, uint32_t cpu, uint64_t enabled, uint64_t *ret_ns)
{
	return !events->each[cpu].closed.enabled && cpu_busy_time(&events->busy, cpu, enabled, ret_ns);
}

struct reading { /* PERF_FORMAT_TOTAL_TIME_ENABLED and _RUNNING */
	uint64_t count, enabled, running;
};

static struct reading read_event(int fd)
{
	struct reading reading;

	if (fd < 0 || read(fd, &reading, sizeof(reading)) != sizeof(reading))
		return (struct reading){0};
	return reading;
}

struct throttle_record { /* perf_event_open(2) */
	struct perf_event_header header;
	uint64_t time, id, stream_id;
};
struct lost_record {
	struct perf_event_header header;
	uint64_t id, lost;
};

static void hear(struct perf_cpu *on, const struct perf_event_header *header)
{
	struct perf_account *account = &on->closed;
	struct throttle_record record;
	struct lost_record lost;

	if (header->type == PERF_RECORD_LOST && header->size >= sizeof(lost)) {
		memcpy(&lost, header, sizeof(lost));
		account->throttles += lost.lost / 2; /* each has a beginning and an end */
	}
	if (header->size < sizeof(record) ||
	    (header->type != PERF_RECORD_THROTTLE && header->type != PERF_RECORD_UNTHROTTLE))
		return;
	memcpy(&record, header, sizeof(record));
	account->throttles += header->type == PERF_RECORD_THROTTLE;
	if (on->stopped_at && record.time > on->stopped_at)
		account->throttled += record.time - on->stopped_at;
	on->stopped_at = header->type == PERF_RECORD_THROTTLE ? record.time : 0;
}

static void hear_of_throttling(struct perf_cpu *on)
{
	const struct perf_event_header *header;

	if (!on->ring.page)
		return;
	perf_ring_look(&on->ring);
	for (header = perf_ring_peek(&on->ring); header; header = perf_ring_peek(&on->ring)) {
		hear(on, header);
		perf_ring_next(&on->ring);
	}
}

static void close_event(struct perf_cpu *on)
{
	struct reading last = read_event(on->fd);

	hear_of_throttling(on);
	on->closed.counted += last.count;
	on->closed.enabled += last.enabled;
	on->closed.running += last.running;
	close_on(on);
}

/* The CPU was offline for less than a second: its event is still open, but dead. */
static bool has_died(struct perf_cpu *on)
{
	uint64_t before = on->seen_enabled;

	on->seen_enabled = read_event(on->fd).enabled;
	return on->seen_enabled == before;
}

static void follow_cpu(struct perf_events *events, uint32_t cpu, bool online)
{
	struct perf_cpu *on = &events->each[cpu];

	if (on->fd >= 0 && (!online || has_died(on)))
		close_event(on);
	if (!online || on->fd >= 0)
		return;
	if (open_on(events, cpu) < 0 || ioctl(on->fd, PERF_EVENT_IOC_ENABLE, 0) < 0)
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

void perf_events_account(struct perf_events *events, uint32_t cpu, struct perf_account *ret_account)
{
	struct perf_cpu *on = &events->each[cpu];
	struct reading now = read_event(on->fd);

	hear_of_throttling(on);
	*ret_account = on->closed;
	ret_account->counted += now.count;
	ret_account->enabled += now.enabled;
	ret_account->running += now.running;
}
