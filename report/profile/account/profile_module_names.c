/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "report/profile/seam/profile_module_names.h"

#include "report/profile/account/account_parts.h"
#include "report/profile/tables/profile_internal.h"

static const char *from_where(const struct module *module)
{
	static const char *const texts[SYMBOL_ORIGINS] = {
		[SYMBOLS_FROM_SYMTAB] = "its symbol table",
		[SYMBOLS_FROM_BUILD_ID] = "its debug file, by build-id",
		[SYMBOLS_FROM_DEBUG_LINK] = "its debug file, by .gnu_debuglink",
		[SYMBOLS_FROM_SERVER] = "its debug file, from a debuginfod server",
		[SYMBOLS_FROM_MINI_DEBUG_INFO] = "its MiniDebugInfo",
		[SYMBOLS_FROM_GO] = "its .gopclntab",
		[SYMBOLS_FROM_DYNSYM] = "its .dynsym: exported functions only",
		[SYMBOLS_FROM_VMLINUX] = "the kernel's ELF file",
		[SYMBOLS_FROM_KALLSYMS] = "--kallsyms",
		[SYMBOLS_FROM_KERNEL_MODULE] = "its .ko file: functions in .text only",
	};

	if (module->local)
		return texts[module->local_origin];
	return module->embedded ? "the trace" : NULL;
}

void profile_module_names(const struct profile *profile, uint32_t number,
			  struct profile_module_names *ret_names)
{
	const struct module *module = profile->modules.items.items[number];

	*ret_names = (struct profile_module_names){.from = from_where(module),
						   .path = module->local ? module->local_path : "",
						   .why = account_why(module),
						   .refused = module->refused_path};
	if (module->local_state == SYMBOLS_OTHER_BUILD_ID && !module->refused_path[0] &&
	    !module_was_embedded(module))
		ret_names->refused = module->path;
}
