/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "record/helper/pick.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "common/elf/elf_cfi.h"
#include "common/elf/elf_file.h"
#include "format/limits.h"

/* --- names from a perf map --- */

enum { MAX_BYTES = 64 << 20,
       BLOCK = 1 << 20 };

static int text_read(int fd, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = NULL;
	size_t length = 0, room = 0;

	for (;;) {
		size_t before;
		char *grown;
		ssize_t got;

		before = length;
		if (length + BLOCK >= room) {
			room = room ? room * 2 : 2 * BLOCK;
			grown = room <= 2 * MAX_BYTES ? realloc(text, room) : NULL;
			if (!grown)
				return room <= 2 * MAX_BYTES ? -ENOMEM : -EFBIG;
			text = grown;
		}
		got = pread(fd, text + length, BLOCK, (off_t)length);
		if (got < 0)
			return -errno;
		if (!got)
			break;
		length += strnlen(text + length, (size_t)got);
		if (length < before + (size_t)got)
			break; /* a hole is no text */
	}
	text[length] = '\0';
	*ret_length = length;
	*ret_text = steal_ptr(text);
	return 0;
}

static bool line_parse(char *line, const char *text, struct elf_symbol *symbol)
{
	char *end, *name;

	symbol->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	symbol->size = strtoull(end, &name, 16);
	if (name == end || *name != ' ' || !name[1] || !symbol->size ||
	    symbol->address + symbol->size < symbol->address)
		return false;
	symbol->name = (uint32_t)(name + 1 - text);
	return true;
}

static size_t lines_count(const char *text, size_t length)
{
	size_t count = 1;

	for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + length - at))); at++)
		count++;
	return count;
}

int perf_map_read(int fd, struct elf_symbols *ret_symbols)
{
	_cleanup_free_ char *text = NULL;
	struct elf_symbols symbols = {0};
	size_t length = 0;
	int rc = text_read(fd, &text, &length);

	if (rc)
		return rc;
	symbols.items = calloc(lines_count(text, length), sizeof(*symbols.items));
	if (!symbols.items)
		return -ENOMEM;
	for (char *line = text, *end; *line; line = end + 1) {
		end = line + strcspn(line, "\n");
		if (!*end)
			break; /* a line that is still being written */
		*end = '\0';
		symbols.count += line_parse(line, text, &symbols.items[symbols.count]);
	}
	symbols.names = steal_ptr(text);
	symbols.names_size = length + 1;
	*ret_symbols = symbols;
	return 0;
}

/* --- which names --- */

struct named { /* a hit; lines count from 1, 0: none */
	size_t line, other;
	unsigned int others; /* names before, since `settled` */
};

static const char *name_of(const struct elf_symbols *symbols, size_t line)
{
	return symbols->names + symbols->items[line - 1].name;
}

static void name_hit(const struct elf_symbols *symbols, size_t line, bool is_new, struct named *named)
{
	bool differs = named->line && strcmp(name_of(symbols, named->line), name_of(symbols, line)) != 0;

	if (!is_new)
		named->others = 0;
	else if (differs)
		named->others++;
	if (differs)
		named->other = named->line;
	named->line = line;
}

static void name_hits(const struct elf_symbols *symbols, const uint64_t *hits, size_t count, uint64_t settled,
		      struct named *named)
{
	for (size_t line = 1; line <= symbols->count; line++) {
		const struct elf_symbol *symbol = &symbols->items[line - 1];

		for (size_t h = SORTED_FIRST(i, count, hits[i] >= symbol->address);
		     h < count && hits[h] - symbol->address < symbol->size; h++)
			name_hit(symbols, line, symbol->name >= settled, &named[h]);
	}
}

/* Appends a name that says what else was there. */
static int name_both(struct elf_symbols *symbols, const struct named *named)
{
	char text[RWK_MAX_STRING + 1], *grown;
	int length;

	if (named->others == 1)
		length = snprintf(text, sizeof(text), "%s or %s", name_of(symbols, named->other),
				  name_of(symbols, named->line));
	else
		length = snprintf(text, sizeof(text), "%s or %u others", name_of(symbols, named->line), named->others);
	length = length < (int)sizeof(text) ? length : (int)sizeof(text) - 1;
	grown = symbols->names_size + sizeof(text) < UINT32_MAX ?
			realloc(symbols->names, symbols->names_size + (size_t)length + 1) : NULL;
	if (!grown)
		return -ENOMEM;
	memcpy(grown + symbols->names_size, text, (size_t)length + 1);
	symbols->names = grown;
	symbols->items[named->line - 1].name = (uint32_t)symbols->names_size;
	symbols->names_size += (size_t)length + 1;
	return 0;
}

/* For each line the hit that it names, of these the one with the most other names; NULL: none. */
static void lines_named(const struct named *named, size_t count, const struct named **lines)
{
	for (size_t h = 0; h < count; h++) {
		const struct named **line = &lines[named[h].line];

		if (named[h].line && (!*line || (*line)->others < named[h].others))
			*line = &named[h];
	}
}

int perf_map_pick(struct elf_symbols *symbols, const uint64_t *hits, size_t count, uint64_t settled)
{
	_cleanup_free_ const struct named **lines = calloc(symbols->count + 1, sizeof(const struct named *));
	_cleanup_free_ struct named *named = calloc(count + 1, sizeof(*named));
	size_t kept = 0;

	if (!named || !lines)
		return -ENOMEM;
	name_hits(symbols, hits, count, settled, named);
	lines_named(named, count, lines);
	for (size_t line = 1; line <= symbols->count; line++)
		if (lines[line] && lines[line]->others && name_both(symbols, lines[line]) < 0)
			return -ENOMEM;
	for (size_t line = 1; line <= symbols->count; line++)
		if (lines[line])
			symbols->items[kept++] = symbols->items[line - 1];
	symbols->count = kept;
	return 0;
}

/* --- symbols of an ELF file --- */

enum { LOOK_BACK = 64 }; /* symbols nested more deeply than this are not found */

static int symbol_compare(const void *left, const void *right)
{
	const struct elf_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name;
}

static unsigned int rank(const struct elf_symbol *symbol)
{
	return symbol_rank(symbol->size, symbol->binding);
}

void symbol_pick_drop_lesser(struct elf_symbols *symbols)
{
	size_t kept = 0;

	if (symbols->count)
		qsort(symbols->items, symbols->count, sizeof(*symbols->items), symbol_compare);
	for (size_t i = 0, end; i < symbols->count; i = end) {
		const uint64_t address = symbols->items[i].address;
		unsigned int best = rank(&symbols->items[i]);

		for (end = i + 1; end < symbols->count && symbols->items[end].address == address; end++)
			best = rank(&symbols->items[end]) < best ? rank(&symbols->items[end]) : best;
		for (size_t k = i; k < end; k++)
			if (rank(&symbols->items[k]) == best)
				symbols->items[kept++] = symbols->items[k];
	}
	symbols->count = kept;
}

void symbol_pick_prepare(struct elf_symbol *symbols, size_t count)
{
	uint64_t next = 0;
	bool known = false;

	qsort(symbols, count, sizeof(*symbols), symbol_compare);
	for (size_t i = count; i-- > 0;) {
		if (i + 1 < count && symbols[i + 1].address != symbols[i].address) {
			next = symbols[i + 1].address;
			known = true;
		}
		if (!symbols[i].size)
			symbols[i].size = known ? next - symbols[i].address : 1;
	}
}

/* The symbols [*ret_stop, end) are those that may hold the address. */
static size_t candidates_end(const struct elf_symbol *symbols, size_t count, uint64_t address, size_t *ret_stop)
{
	size_t end = SORTED_FIRST(i, count, symbols[i].address > address);

	*ret_stop = end > LOOK_BACK ? end - LOOK_BACK : 0;
	return end;
}

/* Whether one of them, after symbol_pick_prepare(), holds the address. */
static bool symbol_pick_holds(const struct elf_symbol *symbols, size_t count, uint64_t address)
{
	size_t stop, end = candidates_end(symbols, count, address, &stop);

	for (size_t i = end; i-- > stop;)
		if (address - symbols[i].address < symbols[i].size)
			return true;
	return false;
}

void symbol_pick_mark(const struct elf_symbol *symbols, size_t count, const uint64_t *hits,
		      size_t hit_count, bool *keep)
{
	for (size_t h = 0; h < hit_count; h++) {
		size_t stop, end = candidates_end(symbols, count, hits[h], &stop);

		for (size_t i = end; i-- > stop;)
			if (hits[h] - symbols[i].address < symbols[i].size)
				keep[i] = true;
	}
}

/* --- functions without a symbol --- */

/* UINT64_MAX marks an address outside all segments. */
static bool all_named(const struct elf_symbols *symbols, const uint64_t *hits, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (hits[i] != UINT64_MAX && !symbol_pick_holds(symbols->items, symbols->count, hits[i]))
			return false;
	return true;
}

/* Hits ascend, so those of one function are consecutive. */
static int find_functions(const struct cfi_functions *functions, const uint64_t *hits, size_t count,
			  const struct elf_symbols *symbols, struct elf_symbols *found)
{
	const struct cfi_function *last = NULL;

	found->items = calloc(count + 1, sizeof(*found->items));
	found->names = calloc(1, 1);
	found->names_size = 1;
	if (!found->items || !found->names)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct cfi_function *function = cfi_functions_find(functions, hits[i]);

		if (!function || function == last || symbol_pick_holds(symbols->items, symbols->count, hits[i]))
			continue;
		last = function;
		found->items[found->count++] = (struct elf_symbol){
			.address = function->start, .size = function->end - function->start, .type = STT_FUNC};
	}
	return 0;
}

int function_pick_add(const struct elf_file *file, const uint64_t *hits, size_t hit_count, struct elf_symbols *symbols)
{
	_cleanup_(cfi_functions_deinit) struct cfi_functions functions = {0};
	_cleanup_(elf_symbols_deinit) struct elf_symbols found = {0};
	int r;

	symbol_pick_prepare(symbols->items, symbols->count);
	if (all_named(symbols, hits, hit_count))
		return 0;
	r = cfi_functions_of_file(file, &functions);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* even without them, a module is worth its names */
	r = find_functions(&functions, hits, hit_count, symbols, &found);
	return r < 0 ? r : elf_symbols_append(symbols, &found);
}

/* --- debug files --- */

static const char FOLDER[] = "/usr/lib/debug/.build-id/";
_Static_assert(DEBUG_PICK_PATH >= sizeof(FOLDER) + 2 * BUILD_ID_MAX + sizeof("/.debug"), "room for the longest id");

bool debug_pick_path(const struct build_id *id, char path[DEBUG_PICK_PATH])
{
	char text[BUILD_ID_TEXT];

	if (id->length < 2 || id->length > BUILD_ID_MAX)
		return false;
	build_id_text(id, text);
	(void)snprintf(path, DEBUG_PICK_PATH, "%s%.2s/%s.debug", FOLDER, text, text + 2);
	return true;
}

/* Keeps only those that hold a hit. */
static int keep_hit(struct elf_symbols *symbols, const uint64_t *hits, size_t hit_count)
{
	_cleanup_free_ bool *keep = calloc(symbols->count + 1, sizeof(*keep));
	size_t kept = 0;

	if (!keep)
		return -ENOMEM;
	symbol_pick_drop_lesser(symbols);
	symbol_pick_prepare(symbols->items, symbols->count);
	symbol_pick_mark(symbols->items, symbols->count, hits, hit_count, keep);
	for (size_t i = 0; i < hit_count; i++)
		if (hits[i] != UINT64_MAX)
			symbol_pick_mark(symbols->items, symbols->count, &(uint64_t){hits[i] + 1}, 1, keep);
	for (size_t i = 0; i < symbols->count; i++)
		if (keep[i])
			symbols->items[kept++] = symbols->items[i];
	symbols->count = kept;
	return 0;
}

/* Puts the remaining names next to each other, so that the rest of a large table is not kept. */
static int pack_names(struct elf_symbols *symbols)
{
	_cleanup_free_ char *names = NULL;
	size_t size = 1, at = 0;

	for (size_t i = 0; i < symbols->count; i++)
		size += strlen(symbols->names + symbols->items[i].name) + 1;
	names = calloc(size, 1);
	if (!names)
		return -ENOMEM;
	for (size_t i = 0; i < symbols->count; i++) {
		const char *name = symbols->names + symbols->items[i].name;
		size_t length = strlen(name) + 1;

		memcpy(names + at, name, length);
		symbols->items[i].name = (uint32_t)at;
		at += length;
	}
	free(symbols->names);
	symbols->names = steal_ptr(names);
	symbols->names_size = size;
	return 0;
}

int debug_pick_add(int fd, const struct build_id *id, const uint64_t *hits, size_t hit_count,
		   struct elf_symbols *symbols)
{
	_cleanup_(elf_symbols_deinit) struct elf_symbols more = {0};
	_cleanup_(elf_file_cleanup) struct elf_file *file = NULL;
	int r = elf_file_create(fd, &file);

	if (r || !id->length || !elf_file_has_build_id(file, id) || !elf_file_has_symtab(file) ||
	    elf_file_symbols(file, &more))
		return r == -ENOMEM ? r : 0;
	r = keep_hit(&more, hits, hit_count);
	if (!r)
		r = pack_names(&more);
	return r ? r : elf_symbols_append(symbols, &more);
}

/* --- rows of its unwind tables --- */

enum { ALIGNMENT = 4 };

void unwind_pieces_deinit(struct unwind_pieces *pieces)
{
	array_free(&pieces->list);
	pieces->bytes = 0;
}

/* Adds an entry: to the last piece if it follows directly and fits, else to new ones. */
static int pieces_add(struct unwind_pieces *pieces, uint32_t offset, uint32_t size)
{
	struct unwind_piece *last = pieces->list.count ? &pieces->list.items[pieces->list.count - 1] : NULL;

	pieces->bytes += size;
	if (last && last->offset + last->size == offset && size <= pieces->most - last->size) {
		last->size += size;
		return 0;
	}
	while (size) {
		uint32_t part = size < pieces->most ? size : pieces->most;

		if (array_push(&pieces->list, (struct unwind_piece){.offset = offset, .size = part}) < 0)
			return -ENOMEM;
		offset += part;
		size -= part;
	}
	return 0;
}

int unwind_pick_all(const struct unwind_section_view *section, struct unwind_pieces *pieces)
{
	struct cfi_entry entry;
	int r = section->bytes.size > RWK_MAX_UNWIND_SECTION ? -E2BIG : 0;

	for (size_t offset = 0; !r && offset < section->bytes.size; offset = entry.next) {
		if (cfi_entry_read(&section->bytes, section->kind, offset, &entry) < 0)
			break;
		r = pieces_add(pieces, (uint32_t)offset, (uint32_t)(entry.next - offset));
	}
	return r;
}

/* --- what was hit --- */

struct picking {
	const struct unwind_section_view *section;
	const uint64_t *hits;
	size_t count;
	int32_t *steps; /* count + 1: how many more FDEs hold this hit than the one before */
	ARRAY(struct unwind_piece) entries;
	size_t cie_offset; /* the CIE that was last read */
	struct unwind_piece cie_place;
	struct cfi_cie cie;
	bool cie_readable, cie_kept;
	uint32_t left_out;
};

/* How many hits are below the address. */
static size_t hits_below(const struct picking *picking, uint64_t address)
{
	return SORTED_FIRST(i, picking->count, picking->hits[i] >= address);
}

/*
 * Bytes that no piece covers read as zeros, which mean empty entries of 4 bytes: after them, an
 * entry that does not begin and end at a multiple of 4 would not be found. Compilers and linkers
 * align all entries.
 */
static bool place_of(const struct cfi_entry *entry, size_t offset, struct unwind_piece *ret_place)
{
	if (entry->next > RWK_MAX_UNWIND_SECTION || offset % ALIGNMENT || entry->next % ALIGNMENT)
		return false;
	*ret_place = (struct unwind_piece){(uint32_t)offset, (uint32_t)(entry->next - offset)};
	return true;
}

static void read_cie(struct picking *picking, size_t offset)
{
	const struct cfi_bytes *bytes = &picking->section->bytes;
	struct cfi_entry entry;

	if (offset == picking->cie_offset)
		return;
	picking->cie_offset = offset;
	picking->cie_kept = false;
	picking->cie_readable = !cfi_entry_read(bytes, picking->section->kind, offset, &entry) &&
				!cfi_cie_read(bytes, picking->section->kind, offset, &picking->cie);
	if (picking->cie_readable && !place_of(&entry, offset, &picking->cie_place))
		picking->cie_place.size = 0;
}

static int keep(struct picking *picking, const struct cfi_entry *entry, size_t offset)
{
	struct unwind_piece place;

	if (!picking->cie_place.size || !place_of(entry, offset, &place)) {
		picking->left_out++;
		return 0;
	}
	if (array_push(&picking->entries, place) < 0)
		return -ENOMEM;
	if (!picking->cie_kept && array_push(&picking->entries, picking->cie_place) < 0)
		return -ENOMEM;
	picking->cie_kept = true;
	return 0;
}

static int judge_fde(struct picking *picking, const struct cfi_entry *entry, size_t offset)
{
	const struct unwind_section_view *section = picking->section;
	const struct cfi_pointer_bases bases = {.section = section->bytes.address, .text = section->text};
	struct cfi_fde_head head;
	size_t first, end;

	read_cie(picking, entry->cie);
	if (!picking->cie_readable ||
	    cfi_fde_read(&section->bytes, entry, &picking->cie, &bases, &head) < 0 || !head.start)
		return 0;
	end = hits_below(picking, head.end);
	if (hits_below(picking, head.start - 1) >= end || head.start == head.end)
		return 0;
	first = hits_below(picking, head.start);
	picking->steps[first]++;
	picking->steps[end]--;
	return keep(picking, entry, offset);
}

static int judge_all(struct picking *picking)
{
	const struct unwind_section_view *section = picking->section;
	struct cfi_entry entry;
	int r = 0;

	for (size_t offset = 0; !r && offset < section->bytes.size; offset = entry.next) {
		if (cfi_entry_read(&section->bytes, section->kind, offset, &entry) < 0)
			break;
		if (entry.kind == CFI_ENTRY_FDE)
			r = judge_fde(picking, &entry, offset);
	}
	return r;
}

static int compare(const void *left, const void *right)
{
	const struct unwind_piece *a = left, *b = right;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/*
 * A CIE occurs again each time FDEs of other CIEs were between its own. A CIE that a malformed FDE
 * refers to may overlap other entries.
 */
static int entries_join(struct picking *picking, struct unwind_pieces *pieces)
{
	const struct unwind_piece *entries = picking->entries.items;
	size_t count = picking->entries.count;
	uint32_t end = 0;
	int r = 0;

	if (count)
		qsort(picking->entries.items, count, sizeof(*entries), compare);
	for (size_t i = 0; !r && i < count; i++) {
		uint32_t offset = entries[i].offset, next = offset + entries[i].size;

		if (next <= end)
			continue;
		offset = offset < end ? end : offset;
		r = pieces_add(pieces, offset, next - offset);
		end = next;
	}
	return r;
}

static size_t uncovered_keep(const int32_t *steps, uint64_t *hits, size_t count)
{
	size_t kept = 0;
	int64_t covering = 0;

	for (size_t i = 0; i < count; i++) {
		covering += steps[i];
		if (!covering)
			hits[kept++] = hits[i];
	}
	return kept;
}

int unwind_pick_hit(const struct unwind_section_view *section, uint64_t *hits, size_t *count,
		    struct unwind_pieces *pieces)
{
	_cleanup_free_ int32_t *steps = calloc(*count + 1, sizeof(*steps));
	struct picking picking = {.section = section, .hits = hits, .count = *count, .steps = steps,
				  .cie_offset = SIZE_MAX};
	int r = steps ? judge_all(&picking) : -ENOMEM;

	if (!r)
		r = entries_join(&picking, pieces);
	if (!r) {
		*count = uncovered_keep(steps, hits, *count);
		pieces->left_out += picking.left_out;
	}
	array_free(&picking.entries);
	return r;
}
