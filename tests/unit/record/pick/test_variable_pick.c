/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Variables of this program itself, by where the dynamic linker has put it. */
#define _GNU_SOURCE
#include "record/pick/variable_pick.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "tests/test.h"

struct pair {
	uint64_t first, second;
};

static volatile struct pair in_data[3] = {{1, 2}, {3, 4}, {5, 6}};
static volatile struct pair in_bss[5];
static const struct pair constant = {7, 8};
static _Thread_local uint64_t of_thread;

static int take_bias(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

struct self {
	int fd;
	struct elf_file *file;
	uint64_t bias;
	const struct elf_segment *data; /* the last one */
};

static void self_open(struct test *t, struct self *self)
{
	const struct elf_segment *segments;
	size_t count;

	self->fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	CHECK_INT(t, elf_file_create(self->fd, &self->file), 0);
	count = elf_file_segments(self->file, &segments);
	self->data = &segments[count - 1];
	(void)dl_iterate_phdr(take_bias, &self->bias);
}

static void self_close(struct self *self)
{
	elf_file_destroy(self->file);
	(void)close(self->fd);
}

static uint64_t in_last(const struct self *self, const volatile void *address)
{
	return ((uint64_t)(uintptr_t)address - self->bias - self->data->address) | VARIABLE_PICK_LAST;
}

static uint64_t in_file(const struct self *self, const volatile void *address)
{
	return (uint64_t)(uintptr_t)address - self->bias - self->data->address + self->data->file_offset;
}

static void variables_have_names(struct test *t)
{
	struct elf_symbols found = {0};
	struct self self;
	uint64_t places[4];

	self_open(t, &self);
	places[0] = in_file(&self, &in_data[1].second);
	places[1] = in_file(&self, &in_data[2]);
	places[2] = in_last(&self, &in_data[0]);
	places[3] = in_last(&self, &in_bss[4].second);
	CHECK_INT(t, variable_pick(self.file, -1, places, 4, &found), 0);
	CHECK_INT(t, found.count, 4);
	for (size_t i = 0; i < found.count; i++)
		CHECK_INT(t, found.items[i].address, places[i]);
	CHECK_STR(t, found.names + found.items[0].name, "in_data");
	CHECK_INT(t, found.items[0].size, 24);
	CHECK_INT(t, found.items[1].size, 32);
	CHECK_INT(t, found.items[2].size, 0);
	CHECK_STR(t, found.names + found.items[3].name, "in_bss");
	CHECK_INT(t, found.items[3].size, 72);
	elf_symbols_deinit(&found);
	self_close(&self);
}

static void what_is_no_variable_has_none(struct test *t)
{
	struct elf_symbols found = {0};
	struct self self;
	uint64_t places[4];

	self_open(t, &self);
	places[0] = 0; /* the file's header */
	places[1] = (uint64_t)(uintptr_t)&constant - self.bias; /* it is not written to */
	places[2] = self.data->memory_size | VARIABLE_PICK_LAST;
	places[3] = UINT64_MAX;
	of_thread = constant.first + in_data[0].first + in_bss[0].first;
	CHECK_INT(t, variable_pick(self.file, -1, places, 4, &found), 0);
	CHECK_INT(t, found.count, 0);
	elf_symbols_deinit(&found);
	self_close(&self);
}

TEST_MAIN(TEST(variables_have_names), TEST(what_is_no_variable_has_none))
