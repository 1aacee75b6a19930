/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/resolve/unwind/cfi_state.h"

enum { RULE_WORDS = 5 + UNWIND_REGISTERS + 1 }; /* 8 bytes each: the head of a rule, its registers */
enum { SPAN_MAX = UINT16_MAX - sizeof(uint64_t) };

static void list(struct cfi_rule *rule, unsigned int number, const struct cfi_register_state *state)
{
	rule->registers[rule->count++] = (struct cfi_register_rule){.value = state->value,
								    .reg = (uint8_t)number,
								    .kind = state->kind};
}

/*
 * The caller's pc is the value of the return address column. If that is a separate register
 * (aarch64: x30), its rule is used for both; a leaf without a rule for it returns to its value.
 */
static void list_pc(const struct cfi_state *state, const struct unwind_arch *arch, unsigned int column,
		    struct cfi_rule *rule)
{
	struct cfi_register_state pc = state->registers[column];

	if (column == arch->pc)
		return;
	if (pc.kind == CFI_SAME || pc.kind == CFI_UNSPECIFIED)
		pc = (struct cfi_register_state){.kind = CFI_REGISTER, .value = (int32_t)column};
	if (pc.kind != CFI_UNDEFINED)
		list(rule, arch->pc, &pc);
}

static void list_all(const struct cfi_state *state, const struct unwind_arch *arch, unsigned int column,
		     struct cfi_rule *rule)
{
	uint64_t left = state->specified;

	rule->same = arch->preserved & ~left;
	if (column != arch->pc)
		left &= ~unwind_bit(arch->pc);
	for (; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);
		const struct cfi_register_state *reg = &state->registers[i];

		if (reg->kind == CFI_SAME)
			rule->same |= unwind_bit(i);
		else if (reg->kind != CFI_UNDEFINED)
			list(rule, i, reg);
	}
	list_pc(state, arch, column, rule);
}

static bool is_plain(const struct cfi_rule *rule, const struct unwind_arch *arch)
{
	if (rule->cfa_kind != CFI_VALUE_OFFSET || rule->same & unwind_bit(arch->sp))
		return false;
	for (unsigned int i = 0; i < rule->count; i++)
		if (rule->registers[i].kind != CFI_OFFSET || rule->registers[i].reg == arch->sp)
			return false;
	return true;
}

static struct cfi_short shorten(const struct cfi_rule *rule, const struct unwind_arch *arch)
{
	struct cfi_short brief = {0};
	int32_t first = INT32_MAX, last = INT32_MIN;

	if (!(rule->flags & CFI_RULE_PLAIN))
		return brief;
	for (const struct cfi_register_rule *reg = rule->registers;
	     reg < rule->registers + rule->count; reg++) {
		brief.listed |= unwind_bit(reg->reg);
		first = reg->value < first ? reg->value : first;
		last = reg->value > last ? reg->value : last;
		if (reg->reg == arch->pc)
			brief.pc = reg->value;
		if (reg->reg == arch->fp)
			brief.fp = reg->value;
	}
	if (!((brief.listed | rule->same) & unwind_bit(arch->pc)) && rule->cfa_register == arch->sp)
		brief.shortcut = CFI_OUTERMOST;
	if (!(brief.listed & unwind_bit(arch->pc)) || (int64_t)last - first > SPAN_MAX)
		return brief;
	brief.first = first;
	brief.span = (uint16_t)(last - first + (int)sizeof(uint64_t));
	if (rule->cfa_register == arch->sp)
		brief.shortcut = CFI_CALLER_BY_SP;
	else if (rule->cfa_register == arch->fp)
		brief.shortcut = CFI_CALLER_BY_FP;
	return brief;
}

int cfi_state_intern(const struct cfi_state *state, const struct unwind_arch *arch, const struct cfi_fde *fde,
		     struct cfi_rows *rows, uint32_t *ret_number)
{
	union {
		uint64_t words[RULE_WORDS]; /* room for the registers */
		struct cfi_rule rule;
	} buffer;
	struct cfi_rule *rule = &buffer.rule;
	int r;

	if (state->cfa_kind == CFI_UNSPECIFIED) {
		*ret_number = CFI_RULE_NONE;
		return 0;
	}
	*rule = (struct cfi_rule){
		.cfa_value = state->cfa_value,
		.cfa_kind = state->cfa_kind,
		.cfa_register = state->cfa_register,
	};
	list_all(state, arch, fde->return_register, rule);
	if (fde->signal)
		rule->flags |= CFI_RULE_SIGNAL;
	else if (is_plain(rule, arch))
		rule->flags |= CFI_RULE_PLAIN;
	if (fde->kind == CFI_DEBUG_FRAME)
		rule->flags |= CFI_RULE_DEBUG_FRAME;
	r = cfi_rows_intern(rows, rule, ret_number);
	if (r > 0) {
		struct cfi_short brief = shorten(rule, arch);

		cfi_rows_set_brief(rows, *ret_number, &brief);
	}
	return r < 0 ? r : 0;
}
