/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/gather/chain_marks.h"

#include "report/profile/tables/profile_intern.h"

/* --- of an unwound chain --- */

static enum profile_note note_of(enum unwind_stop stop)
{
	static const enum profile_note notes[] = {
		[UNWIND_TRUNCATED] = NOTE_TRUNCATED,
		[UNWIND_NO_CFI] = NOTE_NO_CFI,
		[UNWIND_BAD_RETURN] = NOTE_BAD_RETURN,
		[UNWIND_TOO_DEEP] = NOTE_TOO_DEEP,
		[UNWIND_SWITCHED] = NOTE_SWITCHED,
		[UNWIND_NO_MEMORY] = NOTE_NO_MEMORY,
	};

	return stop < sizeof(notes) / sizeof(notes[0]) ? notes[stop] : NOTE_NONE;
}

static enum unwind_how how(const struct unwind_chain *chain, size_t i)
{
	return chain->how[i] & UNWIND_HOW_MASK;
}

/* The note of a tail is at the tail's start. */
bool chain_has_tail(const struct unwind_chain *chain)
{
	return how(chain, chain->count - 1) == UNWIND_BY_TAIL;
}

struct chain_verdict chain_judge(const struct unwind_chain *chain)
{
	struct chain_verdict verdict = {.unwound = true, .end = (uint8_t)note_of(chain->stop)};

	for (size_t i = 0; i < chain->count; i++) {
		verdict.tail |= how(chain, i) == UNWIND_BY_TAIL;
		verdict.caller_unknown |= how(chain, i) == UNWIND_BY_OUTER_RECORD;
	}
	return verdict;
}

void chain_count(struct profile_quality *quality, const struct chain_verdict *verdict)
{
	quality->unwound++;
	quality->stops[verdict->end]++;
	quality->tails += verdict->tail;
	quality->callers_missing += verdict->caller_unknown;
}

enum profile_note chain_root_note(const struct unwind_chain *chain)
{
	return chain_has_tail(chain) ? NOTE_NONE : note_of(chain->stop);
}

enum profile_note chain_note_below(const struct unwind_chain *chain, size_t i)
{
	enum unwind_how found = how(chain, i);

	if (found == how(chain, i - 1))
		return NOTE_NONE;
	if (found == UNWIND_BY_TAIL)
		return chain->stop == UNWIND_TRUNCATED ? NOTE_TAIL : NOTE_SWITCHED_TAIL;
	return found == UNWIND_BY_OUTER_RECORD ? NOTE_CALLER_UNKNOWN : NOTE_NONE;
}

bool chain_is_caller(const struct unwind_chain *chain, size_t i)
{
	return i > 0 && !(chain->how[i] & UNWIND_EXACT);
}

int chain_add_note(struct profile *profile, enum profile_note note, uint32_t *node)
{
	const struct profile_frame frame = {.note = (uint8_t)note};
	uint32_t number;
	int r = note ? profile_intern_frame(profile, &frame, &number) : 0;

	return r < 0 || !note ? r : profile_intern_node(profile, *node, number, node);
}

/* --- as marks --- */

static enum stack_mark root_mark(const struct unwind_chain *chain)
{
	static const enum stack_mark marks[NOTES] = {
		[NOTE_NONE] = MARK_CLEAN,
		[NOTE_TRUNCATED] = MARK_TRUNCATED,
		[NOTE_NO_CFI] = MARK_NO_CFI,
		[NOTE_BAD_RETURN] = MARK_BAD_RETURN,
		[NOTE_TOO_DEEP] = MARK_TOO_DEEP,
		[NOTE_SWITCHED] = MARK_SWITCHED,
		[NOTE_NO_MEMORY] = MARK_NO_MEMORY,
	};

	if (chain_has_tail(chain))
		return chain->stop == UNWIND_TRUNCATED ? MARK_CONTINUED : MARK_SWITCHED_CONTINUED;
	return marks[note_of(chain->stop)];
}

static enum stack_mark mark_of(enum profile_note note)
{
	if (note == NOTE_TAIL || note == NOTE_SWITCHED_TAIL)
		return MARK_TAIL;
	return note == NOTE_CALLER_UNKNOWN ? MARK_CALLER_UNKNOWN : MARK_NONE;
}

/* Writes a frame, then, towards the root, the notes about it. */
static size_t write_frame(const struct unwind_chain *chain, size_t i, uint64_t nodes[static 3])
{
	bool is_exact = i > 0 && !chain_is_caller(chain, i);
	enum stack_mark above = i + 1 < chain->count ? mark_of(chain_note_below(chain, i + 1)) : MARK_NONE;
	size_t count = 0;

	nodes[count++] = chain->addresses[i];
	if (is_exact)
		nodes[count++] = stack_mark_address(MARK_EXACT);
	if (above)
		nodes[count++] = stack_mark_address(above);
	return count;
}

size_t chain_write_marks(const struct unwind_chain *chain, uint64_t nodes[static RWK_MAX_PATH], bool *ret_cut)
{
	size_t count = 0, i;

	for (i = 0; i < chain->count; i++) {
		uint64_t frame[3];
		size_t more = write_frame(chain, i, frame);

		if (count + more >= RWK_MAX_PATH)
			break;
		for (size_t k = 0; k < more; k++)
			nodes[count++] = frame[k];
	}
	*ret_cut = i < chain->count;
	nodes[count++] = stack_mark_address(*ret_cut ? MARK_TOO_DEEP : root_mark(chain));
	return count;
}

enum profile_note chain_read_mark(enum stack_mark mark, struct chain_verdict *verdict)
{
	static const struct {
		bool root;
		uint8_t end, note; /* enum profile_note */
	} marks[] = {
		[MARK_CLEAN] = {true, NOTE_NONE, NOTE_NONE},
		[MARK_TRUNCATED] = {true, NOTE_TRUNCATED, NOTE_TRUNCATED},
		[MARK_NO_CFI] = {true, NOTE_NO_CFI, NOTE_NO_CFI},
		[MARK_BAD_RETURN] = {true, NOTE_BAD_RETURN, NOTE_BAD_RETURN},
		[MARK_TOO_DEEP] = {true, NOTE_TOO_DEEP, NOTE_TOO_DEEP},
		[MARK_CONTINUED] = {true, NOTE_TRUNCATED, NOTE_NONE},
		[MARK_SWITCHED] = {true, NOTE_SWITCHED, NOTE_SWITCHED},
		[MARK_NO_MEMORY] = {true, NOTE_NO_MEMORY, NOTE_NO_MEMORY},
		[MARK_SWITCHED_CONTINUED] = {true, NOTE_SWITCHED, NOTE_NONE},
		[MARK_TAIL] = {false, NOTE_NONE, NOTE_TAIL},
		[MARK_CALLER_UNKNOWN] = {false, NOTE_NONE, NOTE_CALLER_UNKNOWN},
	};

	if (mark >= sizeof(marks) / sizeof(marks[0]))
		return NOTE_NONE;
	if (marks[mark].root)
		*verdict = (struct chain_verdict){.unwound = true, .end = marks[mark].end};
	verdict->tail |= mark == MARK_TAIL;
	verdict->caller_unknown |= mark == MARK_CALLER_UNKNOWN;
	if (mark == MARK_TAIL && verdict->end == NOTE_SWITCHED)
		return NOTE_SWITCHED_TAIL;
	return (enum profile_note)marks[mark].note;
}
