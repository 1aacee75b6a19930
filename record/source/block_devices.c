/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/source/block_devices.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/time_units.h"
#include "record/machine/clocks.h"

enum { DEVICES = 4096, NAME_ROOM = 40 /* DISK_NAME_LEN, "p", a number */, PART = 4096 };

struct block_device {
	uint64_t number;
	char name[NAME_ROOM];
};

struct block_devices {
	size_t count;
	uint64_t read; /* when, CLOCK_MONOTONIC ns */
	char text[PART];
	struct block_device items[DEVICES];
};

static void parse_line(struct block_devices *devices, const char *line)
{
	struct block_device *device = &devices->items[devices->count];
	unsigned int major_number, minor_number;

	if (devices->count < DEVICES &&
	    sscanf(line, " %u %u %*u %39s", &major_number, &minor_number, device->name) == 3) {
		device->number = makedev(major_number, minor_number);
		devices->count++;
	}
}

size_t block_devices_parse(struct block_devices *devices, const char *text, size_t length)
{
	char line[128];
	size_t done = 0;
	const char *end;

	while ((end = memchr(text + done, '\n', length - done))) {
		const size_t size = (size_t)(end - text) - done;

		if (size < sizeof(line)) {
			memcpy(line, text + done, size);
			line[size] = '\0';
			parse_line(devices, line);
		}
		done += size + 1;
	}
	return done;
}

static void read_all(struct block_devices *devices)
{
	_cleanup_close_ int fd = open("/proc/partitions", O_RDONLY | O_CLOEXEC);
	size_t held = 0;
	ssize_t got;

	devices->count = 0;
	devices->read = clocks_now();
	while (fd >= 0 && held < PART && (got = read(fd, devices->text + held, PART - held)) > 0) {
		const size_t length = held + (size_t)got, done = block_devices_parse(devices, devices->text, length);

		held = length - done;
		memmove(devices->text, devices->text + done, held);
	}
}

int block_devices_create(struct block_devices **ret_devices)
{
	struct block_devices *devices = calloc(1, sizeof(*devices));

	if (!devices)
		return -ENOMEM;
	read_all(devices);
	*ret_devices = devices;
	return 0;
}

void block_devices_destroy(struct block_devices *devices)
{
	free(devices);
}

static const char *look_up(const struct block_devices *devices, uint64_t device)
{
	for (size_t i = 0; i < devices->count; i++)
		if (devices->items[i].number == device)
			return devices->items[i].name;
	return NULL;
}

const char *block_devices_find(struct block_devices *devices, uint64_t device)
{
	const char *name = look_up(devices, device);

	if (name || clocks_now() < devices->read + SECOND / 10)
		return name;
	read_all(devices);
	return look_up(devices, device);
}
