/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * Makes a page fit into its limit. The longest waits stay; the shorter ones become sums by bin,
 * and if that is not enough, single samples are dropped. Sums by stack are never cut, so figures
 * of the whole trace stay exact: a page that cannot hold them is refused.
 */

#include "report/view/html/html.h"

#include <errno.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "common/log.h"
#include "report/pack/deflate.h"
#include "report/profile/seam/figures.h"

enum {
	LEAST_WAITS = 100,    /* fewer are not worth a list */
	MOST_BINS = 1024,     /* of a recording */
	LEAST_BINS = 16,
	BINS_SHARE = 4,	      /* bins are made longer if they take more than a fourth of the room */
	ROOM_PERCENT = 90,    /* of what seems to fit: each attempt is smaller than the one before */
	LIKELY_WAIT_BYTES = 2, /* of the page, for each wait, for the first attempt; waits take three or more */
};

struct fit {
	struct html_page *page;
	uint64_t *lengths; /* of all waits, longest first; NULL until they are needed */
	size_t waits;	   /* number of waits that may stay */
	uint64_t bins;	   /* number of bins of the longest recording */
};

static int compare_lengths(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return (l < r) - (l > r);
}

static int sort_lengths(struct fit *fit)
{
	const struct waits *waits = &fit->page->reader.waits;

	if (fit->lengths)
		return 0;
	fit->lengths = calloc(waits->count + 1, sizeof(*fit->lengths));
	if (!fit->lengths)
		return -ENOMEM;
	for (size_t i = 0; i < waits->count; i++)
		fit->lengths[i] = wait_length(&waits->items[i]);
	qsort(fit->lengths, waits->count, sizeof(*fit->lengths), compare_lengths);
	return 0;
}

static uint64_t longest_recording(const struct waits *waits)
{
	uint64_t longest = 1;

	for (size_t i = 0; i < waits->recording_count; i++) {
		uint64_t length = waits->recordings[i].stop - waits->recordings[i].start;

		longest = length > longest ? length : longest;
	}
	return longest;
}

/* Sets the limits so that at most `fit->waits` waits stay; of equally long ones all or none. */
static int choose(struct fit *fit)
{
	struct html_page *page = fit->page;
	const struct waits *waits = &page->reader.waits;
	int r;

	if (fit->waits >= waits->count)
		return 0;
	r = sort_lengths(fit);
	if (r < 0)
		return r;
	page->limit.least_wait = fit->lengths[fit->waits] + 1;
	page->limit.bin = (longest_recording(waits) / fit->bins / page->unit + 1) * page->unit;
	return 0;
}

static int attempt(struct fit *fit, uint8_t **ret_packed, size_t *ret_size)
{
	_cleanup_free_ uint8_t *payload = NULL;
	size_t size;
	int r = choose(fit);

	if (!r)
		r = html_write_waits(fit->page);
	if (!r)
		r = html_write_bins(fit->page);
	if (!r)
		r = html_write_samples(fit->page);
	if (!r)
		r = html_write_entries(fit->page);
	if (!r)
		r = html_payload(fit->page, &payload, &size);
	return r < 0 ? r : gzip_pack(payload, size, ret_packed, ret_size);
}

/* The share of some columns in the bytes of all, taken as their share in the bytes of the page. */
static double share_of(const struct columns *columns, enum column_number first, enum column_number last)
{
	double all = (double)columns_bytes(columns, 0, COLUMNS);

	return (double)columns_bytes(columns, first, last + 1) / (all > 0 ? all : 1);
}

/* The number of waits that seem to fit. */
static size_t fewer_waits(const struct fit *fit, uint64_t size, uint64_t most)
{
	const struct html_page *page = fit->page;
	double all = (double)size * share_of(&page->columns, COLUMN_WAIT_RUNS, COLUMN_WAKER_STEP);
	double left = all - ((double)size - (double)most);
	size_t kept = page->limit.kept_waits, most_kept = kept * ROOM_PERCENT / 100;
	double fitting = left > 0 ? (double)kept * left / all * ROOM_PERCENT / 100 : 0;

	if (fitting < LEAST_WAITS)
		return 0;
	return fitting < (double)most_kept ? (size_t)fitting : most_kept;
}

/* Sets up a smaller attempt after one of `size` bytes; false if there is none. */
static bool shrink(struct fit *fit, uint64_t size, uint64_t most)
{
	struct html_page *page = fit->page;
	double bins = (double)size * share_of(&page->columns, COLUMN_BIN_TASK, COLUMN_BIN_OTHER);

	if (fit->bins > LEAST_BINS && (bins * BINS_SHARE > (double)most || (!fit->waits && page->limit.bin))) {
		fit->bins /= 2;
		return true;
	}
	if (fit->waits) {
		fit->waits = fewer_waits(fit, size, most);
		return true;
	}
	if (page->limit.no_samples || !columns_bytes(&page->columns, COLUMN_SAMPLE_RUNS, COLUMN_SAMPLE_WEIGHT + 1))
		return false;
	return page->limit.no_samples = true;
}

static int refuse(uint64_t size, uint64_t most)
{
	return log_error(EFBIG, "--max-page %s is too little for this trace: without single events its page has %s",
			 figure_bytes(most).text, figure_bytes(size).text);
}

int html_fit(struct html_page *page, size_t text_length, uint8_t **ret_packed, size_t *ret_size)
{
	uint64_t limit = page->context->settings->max_page, most = limit ? limit : UINT64_MAX;
	uint64_t around = html_document_size(text_length, 0);
	struct fit fit = {.page = page, .bins = MOST_BINS};
	int r;

	fit.waits = page->reader.waits.count;
	if (most / LIKELY_WAIT_BYTES < fit.waits)
		fit.waits = most / LIKELY_WAIT_BYTES;
	for (;;) {
		uint64_t size;

		r = attempt(&fit, ret_packed, ret_size);
		if (r < 0)
			break;
		size = html_document_size(text_length, *ret_size);
		if (size <= most)
			break;
		free(*ret_packed);
		*ret_packed = NULL;
		if (!shrink(&fit, size - around, most > around ? most - around : 0)) {
			r = refuse(size, most);
			break;
		}
	}
	free(fit.lengths);
	return r;
}
