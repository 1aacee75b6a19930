/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * One page: the profile as the columns of its payload (report/page/PAYLOAD.md), and what the
 * functions that write them share. Times are ticks of `unit` ns from the start of their recording.
 * Each recording has an offset on a common axis of wall-clock time.
 */
#ifndef RWALKER_REPORT_PAGE_HTML_H
#define RWALKER_REPORT_PAGE_HTML_H

#include "report/page/columns.h"
#include "report/view/event_reader.h"
#include "report/view/place.h"
#include "report/view/view.h"

struct html_tasks {
	uint32_t *number_of; /* by task of the profile: its number in the page; UINT32_MAX: not in the page */
	uint32_t *thread_of; /* by task of the profile: the first task of its thread */
	size_t count;	     /* in the page */
};

struct html_limit { /* what is left out because the page would be too large */
	uint64_t least_wait; /* ns: shorter waits are only summed by bin; 0: none */
	size_t kept_waits;
	uint64_t bin;	     /* ns; 0: there are no bins */
	bool no_samples;     /* samples are only summed */
};

struct html_page {
	const struct view_context *context;
	struct profile *profile;
	struct event_reader reader; /* has the sources, probes and waits, too */
	struct stacks stacks;
	struct places places;
	struct html_tasks tasks;
	uint64_t unit;	 /* ns */
	int64_t *offsets; /* by recording, ticks on the common axis */
	struct html_limit limit;
	bool *complete; /* by source: all its single samples are in the page, and sums are computed from them */
	struct columns columns;
};

/* Sums of times must not overflow even if the trace is hostile, and must be exact as numbers of JavaScript. */
#define HTML_MOST_TICKS (UINT64_C(1) << 51)

static inline int64_t html_cut(uint64_t ticks)
{
	return (int64_t)(ticks < HTML_MOST_TICKS ? ticks : HTML_MOST_TICKS);
}

/* A time of a recording in ticks, rounded down; negative before its start. */
static inline int64_t html_ticks(const struct html_page *page, uint32_t recording, uint64_t time)
{
	uint64_t start = page->reader.waits.recordings[recording].start;

	if (time >= start)
		return html_cut((time - start) / page->unit);
	return -html_cut((start - time - 1) / page->unit + 1);
}

/* Like html_ticks(), but rounded up: for the end of a part, so that its last tick is included. */
static inline int64_t html_end_ticks(const struct html_page *page, uint32_t recording, uint64_t time)
{
	uint64_t most = page->unit - 1;

	return html_ticks(page, recording, time < UINT64_MAX - most ? time + most : UINT64_MAX);
}

static inline struct column *html_column(struct html_page *page, enum column_number number)
{
	return &page->columns.items[number];
}

/* Each writes its columns. Call entries after samples. 0, -ENOMEM, -EBADMSG. */
int html_write_tasks(struct html_page *page);
int html_write_cgroups(struct html_page *page); /* after tasks */
int html_write_functions(struct html_page *page);
int html_write_entries(struct html_page *page);
int html_write_samples(struct html_page *page);
int html_write_waits(struct html_page *page);
int html_write_bins(struct html_page *page);
int html_write_sums(struct html_page *page);
int html_write_walks(struct html_page *page);

/* Ticks from one sample of a CPU to the next if samples are taken by time; else 0. */
uint64_t html_step(const struct html_page *page, uint32_t source);

enum { HTML_LEFT_OUT = 2, HTML_LEFT_OUT_TEXT = 256 };

/* Writes what the limit leaves out as sentences; returns their number. */
size_t html_left_out(const struct html_page *page, char texts[HTML_LEFT_OUT][HTML_LEFT_OUT_TEXT]);

/* The page's source that corresponds to a source of --base; UINT32_MAX if there is none. */
uint32_t html_base_source(const struct html_page *page, const struct profile_source *source);

/* The header, followed by all columns. The caller frees it. */
int html_payload(struct html_page *page, uint8_t **ret_bytes, size_t *ret_size);

/*
 * html_fit.c: writes the columns that depend on the limit, and packs all columns. `text_length`: of the text
 * around. The caller frees *ret_packed. 0, -ENOMEM, -EBADMSG, or -EFBIG after reporting that the
 * limit is too small.
 */
int html_fit(struct html_page *page, size_t text_length, uint8_t **ret_packed, size_t *ret_size);

/*
 * The document around the packed payload: text that needs no script, then the page's own markup,
 * style and script. html_text() makes the text, which the caller frees.
 */
int html_text(struct html_page *page, char **ret_text, size_t *ret_length);
void html_document(struct html_page *page, const char *text, const uint8_t *packed, size_t size, FILE *out);
/* The size of a document with that much text and payload. */
uint64_t html_document_size(size_t text_length, size_t packed_size);

#endif
