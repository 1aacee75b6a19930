/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * The document. Data from a trace is in it as escaped text or within the payload, never as markup.
 * The policy in its head allows the one style and the one script that it contains, by their hashes,
 * and nothing from anywhere else.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/plural.h"
#include "common/printable.h"
#include "report/pack/base64.h"
#include "report/pack/dense.h"
#include "report/pack/sha256.h"
#include "report/profile/seam/figures.h"
#include "report/profile/seam/profile_account.h"
#include "report/profile/seam/profile_origin.h"
#include "report/view/html/html.h"
#include "report/view/html/page_files.h"

static const char licence[] =
	"<!-- The markup, style and script of this page are part of rwalker, SPDX-License-Identifier: BSD-2-Clause OR "
	"GPL-2.0-only. No claim is made on the data, which is yours. -->\n";

/* `text` is printable. */
static void write_escaped(FILE *out, const char *text)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, "&<>\"'");
		(void)fwrite(text, 1, length, out);
		if (text[length]) {
			(void)fprintf(out, "&#%d;", text[length]);
			length++;
		}
	}
}

static void write_name(FILE *out, const char *name)
{
	_cleanup_free_ char *copy = printable_copy_line(name);

	write_escaped(out, copy ? copy : "");
}

/* "db1, 2026-11-22 17:10:42 UTC" */
static void write_title(struct html_page *page, FILE *out)
{
	struct profile_origin origin = {.host = ""};

	if (profile_origins(page->profile))
		profile_origin(page->profile, 0, &origin);
	write_name(out, origin.host[0] ? origin.host : "unknown host");
	(void)fprintf(out, ", %s UTC", figure_date(origin.realtime).text);
	if (profile_origins(page->profile) > 1)
		(void)fprintf(out, " and %zu more", profile_origins(page->profile) - 1);
}

static int write_digest(struct html_page *page, FILE *out)
{
	struct view_settings settings = *page->context->settings;
	struct view_context context = *page->context;
	_cleanup_free_ char *text = NULL;
	size_t length;
	int r;

	settings.width = 0;
	settings.color = false;
	context.settings = &settings;
	context.out = open_memstream(&text, &length);
	if (!context.out)
		return -ENOMEM;
	r = digest_view.print(&context, 0, NULL);
	if (fclose(context.out) != 0)
		r = -ENOMEM;
	if (r < 0)
		return r;
	(void)fputs("<details id=\"digest\" open><summary>Digest</summary><pre>", out);
	write_escaped(out, text);
	(void)fputs("</pre></details>\n", out);
	return 0;
}

static void write_account(struct html_page *page, FILE *out)
{
	struct profile_losses losses;

	profile_losses(page->profile, &losses);
	(void)fputs("<details id=\"account\"><summary>Account of losses: ", out);
	if (losses.lost)
		(void)fprintf(out, "%" PRIu64 " event%s lost", losses.lost, losses.lost == 1 ? " was" : "s were");
	else
		(void)fputs("nothing was lost", out);
	(void)fprintf(out, "</summary><pre>events recorded: %" PRIu64 "\nevents lost: %" PRIu64 "\n", losses.recorded,
		      losses.lost);
	for (size_t i = 0; i < profile_origins(page->profile); i++) {
		struct profile_origin origin;

		profile_origin(page->profile, i, &origin);
		(void)fprintf(out, "recording %zu: ", i + 1);
		write_name(out, origin.host[0] ? origin.host : "unknown host");
		(void)fputs(", ", out);
		write_name(out, origin.kernel[0] ? origin.kernel : "unknown kernel");
		(void)fprintf(out, ", %s UTC, for %s s\n", figure_date(origin.realtime).text,
			      figure_seconds(origin.length).text);
	}
	if (page->context->settings->filters[0]) {
		(void)fputs("filters: ", out);
		write_escaped(out, page->context->settings->filters);
		(void)fputc('\n', out);
	}
	(void)fputs("</pre></details>\n", out);
}

static void write_notes(struct html_page *page, FILE *out)
{
	struct profile_account account;

	profile_account(page->profile, &account);
	(void)fprintf(out, "<details id=\"notes\"><summary>Notes on quality: %zu</summary><ul>\n", account.count);
	for (size_t i = 0; i < account.count; i++) {
		(void)fputs("<li>", out);
		write_name(out, account.notes[i].text);
		for (size_t k = 0; k < account.notes[i].detail_count; k++) {
			(void)fputs(k ? "<br>" : "<p>", out);
			write_name(out, account.notes[i].details[k]);
		}
		(void)fputs("</li>\n", out);
	}
	(void)fputs("</ul></details>\n", out);
}

int html_text(struct html_page *page, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	FILE *out = open_memstream(&text, ret_length);
	int r;

	if (!out)
		return -ENOMEM;
	(void)fputs("<title>", out);
	write_title(page, out);
	(void)fputs(": rwalker</title>\n</head>\n<body>\n<main>\n<h1>", out);
	write_title(page, out);
	(void)fputs("</h1>\n", out);
	r = write_digest(page, out);
	write_account(page, out);
	write_notes(page, out);
	if (fclose(out) != 0)
		r = -ENOMEM;
	if (!r)
		*ret_text = steal_ptr(text);
	return r;
}

/* Says what the page contains, and what it does not. */
static void write_contents(struct html_page *page, FILE *out)
{
	char texts[HTML_LEFT_OUT][HTML_LEFT_OUT_TEXT];
	size_t count = html_left_out(page, texts);

	for (size_t i = 0; i < count; i++)
		(void)fprintf(out, "<p class=\"left-out\">Left out of this page: %s.</p>\n", texts[i]);
	(void)fputs("<p id=\"contents\">This file holds names of programs, threads, functions and modules, and "
		    "times. It holds no stack memory and no command lines, and asks nothing of any network.</p>\n"
		    "</main>\n<noscript><p>The pictures need JavaScript; the text above does not.</p></noscript>\n",
	      out);
}

static void write_hash(const char *begin, const char *end, FILE *out)
{
	uint8_t digest[SHA256_BYTES];

	sha256_of(begin, (size_t)(end - begin), digest);
	(void)fputs("'sha256-", out);
	base64_write(digest, sizeof(digest), out);
	(void)fputc('\'', out);
}

static void write_head(FILE *out)
{
	(void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src ", out);
	write_hash(page_style, page_style_end, out);
	(void)fputs("; script-src ", out);
	write_hash(page_script, page_script_end, out);
	(void)fputs("; base-uri 'none'; form-action 'none'\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta name=\"color-scheme\" content=\"light dark\">\n", out);
	(void)fputs(licence, out);
}

static void write_file(const char *before, const char *begin, const char *end, const char *after, FILE *out)
{
	(void)fputs(before, out);
	(void)fwrite(begin, 1, (size_t)(end - begin), out);
	(void)fputs(after, out);
}

void html_document(struct html_page *page, const char *text, const uint8_t *packed, size_t size, FILE *out)
{
	write_head(out);
	write_file("<style>", page_style, page_style_end, "</style>\n", out);
	(void)fputs(text, out);
	write_contents(page, out);
	write_file("", page_markup, page_markup_end, "\n<script type=\"text/plain\" id=\"payload\">", out);
	dense_write(packed, size, out);
	write_file("</script>\n<script>", page_script, page_script_end, "</script>\n</body>\n</html>\n", out);
}

uint64_t html_document_size(size_t text_length, size_t packed_size)
{
	/* The head, the tags, and the text about the contents. */
	enum { AROUND = 2048 + HTML_LEFT_OUT * HTML_LEFT_OUT_TEXT };

	return AROUND + text_length + dense_size(packed_size) + (uint64_t)(page_style_end - page_style) +
	       (uint64_t)(page_script_end - page_script) + (uint64_t)(page_markup_end - page_markup);
}
