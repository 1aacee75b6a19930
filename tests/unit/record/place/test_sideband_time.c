/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/place/sideband_internal.h"

#include <string.h>

#include "record/place/sideband_records.h"
#include "tests/test.h"

enum { ROOM = 128 };
#define TIME UINT64_C(6478771196211)
#define GARBAGE UINT64_C(0x6273757062737570)

union record {
	struct perf_event_header header;
	struct ksymbol_record ksymbol;
	struct comm_record comm;
	uint8_t bytes[ROOM];
};

static void put(union record *record, size_t at, uint64_t value)
{
	memcpy(record->bytes + at, &value, sizeof(value));
}

/* As the kernel writes it for the `listener`th (0: first) that opened it on that CPU. */
static void make_ksymbol(union record *record, const char *name, uint16_t listener)
{
	size_t end = (offsetof(struct ksymbol_record, name) + strlen(name) + 1 + 7) & ~(size_t)7;

	memset(record, 0xa5, sizeof(*record));
	record->header = (struct perf_event_header){
		.type = PERF_RECORD_KSYMBOL,
		.size = (uint16_t)(end + 8 * (1 + (size_t)listener)),
	};
	memset(record->bytes + offsetof(struct ksymbol_record, name), 0, end - offsetof(struct ksymbol_record, name));
	memcpy(record->ksymbol.name, name, strlen(name));
	put(record, end, TIME);

}

static void the_time_of_a_symbol_is_behind_its_name(struct test *t)
{
	static const char *const names[] = {"", "a", "1234567", "12345678", "bpf_prog_6deef7357e7b4530_sys_enter"};
	union record record;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (uint16_t listener = 0; listener < 4; listener++) {
			make_ksymbol(&record, names[i], listener);
			CHECK(t, sideband_record_time(&record.header) == TIME);
		}
}

static void a_name_without_end_stays_in_its_record(struct test *t)
{
	union record record;

	memset(&record, 'x', sizeof(record));
	record.header = (struct perf_event_header){.type = PERF_RECORD_KSYMBOL, .size = 64};
	put(&record, 56, GARBAGE);
	CHECK(t, sideband_record_time(&record.header) == GARBAGE);
	record.header.size = sizeof(record.header);
	CHECK(t, sideband_record_time(&record.header) == 0);
}

static void others_end_with_their_time(struct test *t)
{
	union record record = {.header = {.type = PERF_RECORD_COMM, .size = 32}};

	put(&record, 24, TIME);
	CHECK(t, sideband_record_time(&record.header) == TIME);
}

TEST_MAIN(TEST(the_time_of_a_symbol_is_behind_its_name), TEST(a_name_without_end_stays_in_its_record),
	  TEST(others_end_with_their_time))
