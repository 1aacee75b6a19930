/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* Real files of this machine, also read by readelf; hand-made ones are in test_elf_forged.c. */
#include "common/elf/elf_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/array.h"
#include "common/cleanup.h"
#include "tests/test.h"

struct named_symbol {
	uint64_t address, size;
	unsigned int type, binding;
	char *name;
};

typedef ARRAY(struct named_symbol) symbol_list;

struct section {
	uint64_t address, size;
	bool is_code;
};

typedef ARRAY(struct section) section_list;

static void symbol_list_deinit(symbol_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->items[i].name);
	array_free(list);
}

static int compare(const void *left, const void *right)
{
	const struct named_symbol *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return strcmp(a->name, b->name);
}

static FILE *run_readelf(const char *options, const char *path)
{
	char command[8192];

	(void)snprintf(command, sizeof(command), "LC_ALL=C readelf %s '%s' 2>/dev/null", options, path);
	return popen(command, "r");
}

/* readelf's words for the types and bindings that we keep; 255: any other. */
static unsigned int number_of(const char *word)
{
	static const struct {
		const char *word;
		unsigned int number;
	} words[] = {{"FUNC", STT_FUNC},   {"IFUNC", STT_GNU_IFUNC}, {"NOTYPE", STT_NOTYPE}, {"LOCAL", STB_LOCAL},
		     {"GLOBAL", STB_GLOBAL}, {"WEAK", STB_WEAK},	      {"UNIQUE", STB_GNU_UNIQUE}};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i].word, word))
			return words[i].number;
	return 255;
}

static void readelf_sections(const char *path, section_list *sections)
{
	FILE *readelf = run_readelf("-SW", path);
	char line[4096];

	while (readelf && fgets(line, sizeof(line), readelf)) {
		char *end = strchr(line, ']'), flags[16] = "";
		unsigned long long address, size;

		/* name may be empty: the fields are counted from "TYPE ADDRESS OFFSET SIZE ES" at any place */
		for (char *at = end ? end + 1 : NULL; at; at = strchr(at + 1, ' '))
			if (sscanf(at, " %*[A-Za-z0-9_+:] %16llx %*6x %llx %*2x %15[A-Zxop]",
				   &address, &size, flags) >= 2 &&
			    strspn(at + strcspn(at, "0123456789"), "0123456789abcdef") >= 8) {
				(void)array_push(sections, (struct section){address, size, strchr(flags, 'X')});
				break;
			}
	}
	if (readelf)
		(void)pclose(readelf);
}

static bool is_kept(const section_list *sections, unsigned int type, const char *index, uint64_t address)
{
	size_t number = strtoul(index, NULL, 10);
	const struct section *section = number && number < sections->count ? &sections->items[number] : NULL;

	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return strcmp(index, "UND") != 0;
	return type == STT_NOTYPE && section && section->is_code && address >= section->address &&
	       address < section->address + section->size;
}

/* A name of an old version, "NAME@VERSION", is weak for us. */
static unsigned int binding_of(const char *word, const char *name)
{
	const char *at = strchr(name, '@');

	return at && at[1] != '@' ? STB_WEAK : number_of(word);
}

/* What readelf prints for both tables, without the versions that it appends to dynamic names. */
static void readelf_symbols(const char *path, symbol_list *list)
{
	_cleanup_free_ char *line = NULL;
	section_list sections = {0};
	FILE *readelf = run_readelf("-sW", path);
	bool dynamic = false;
	size_t room = 0;

	readelf_sections(path, &sections);
	while (readelf && getline(&line, &room, readelf) > 0) {
		char type[16], binding[16], visibility[16], index[16], size[32];
		unsigned long long address;
		unsigned int bound;
		int name = 0;

		if (strstr(line, "Symbol table '"))
			dynamic = strstr(line, "'.dynsym'");
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, " %*u: %llx %31s %15s %15s %15s %15s %n", &address, size, type,
			   binding, visibility, index, &name) < 6 || !name || !line[name] ||
		    !is_kept(&sections, number_of(type), index, address))
			continue;
		bound = binding_of(binding, line + name);
		if (dynamic)
			line[name + strcspn(line + name, "@")] = '\0';
		(void)array_push(list, (struct named_symbol){address, strtoull(size, NULL, 0), number_of(type),
							      bound, strdup(line + name)});
	}
	if (readelf)
		(void)pclose(readelf);
	array_free(&sections);
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
}

static void drop_same(symbol_list *list)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (kept && !compare(&list->items[kept - 1], &list->items[i]))
			free(list->items[i].name);
		else
			list->items[kept++] = list->items[i];
	}
	list->count = kept;
}

static void our_symbols(struct test *t, const struct elf_file *file, symbol_list *list)
{
	struct elf_symbols symbols = {0};

	CHECK_INT(t, elf_file_symbols(file, &symbols), 0);
	for (size_t i = 0; i < symbols.count; i++) {
		const struct elf_symbol *symbol = &symbols.items[i];

		if (CHECK(t, symbol->name < symbols.names_size))
			(void)array_push(list, (struct named_symbol){
						 symbol->address, symbol->size, symbol->type,
						 symbol->binding, strdup(symbols.names + symbol->name)});
	}
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
	elf_symbols_deinit(&symbols);
}

static void compare_symbols_of(struct test *t, const char *path, const struct elf_file *file)
{
	_cleanup_(symbol_list_deinit) symbol_list ours = {0};
	_cleanup_(symbol_list_deinit) symbol_list theirs = {0};
	size_t doubled = 0;

	our_symbols(t, file, &ours);
	readelf_symbols(path, &theirs);
	drop_same(&theirs);
	test_check(t, ours.count == theirs.count, "%s: %zu symbols, readelf has %zu", path, ours.count, theirs.count);
	for (size_t i = 0; i < ours.count && i < theirs.count; i++) {
		const struct named_symbol *a = &ours.items[i], *b = &theirs.items[i];

		bool same = !compare(a, b) && a->type == b->type && a->binding == b->binding;

		doubled += i && !compare(a - 1, a);
		/* If the file gives no size, it is at most the rest of the section. */
		if (!test_check(t, same && (a->size == b->size || !b->size),
				"%s: %llx %s, readelf has %llx %s", path, (unsigned long long)a->address, a->name,
				(unsigned long long)b->address, b->name))
			break;
	}
	CHECK_INT(t, doubled, 0);
	printf("# %s: %zu symbols\n", path, ours.count);
}

static void compare_build_id(struct test *t, const char *path, const struct elf_file *file)
{
	char line[4096], theirs[2 * BUILD_ID_MAX + 1] = "", ours[2 * BUILD_ID_MAX + 1] = "";
	FILE *readelf = run_readelf("-nW", path);
	struct build_id id;

	while (readelf && fgets(line, sizeof(line), readelf)) {
		const char *found = strstr(line, "Build ID: ");

		if (found && !theirs[0])
			(void)sscanf(found, "Build ID: %128[0-9a-f]", theirs);
	}
	if (readelf)
		(void)pclose(readelf);
	elf_file_build_id(file, &id);
	for (size_t i = 0; i < id.length; i++)
		(void)snprintf(ours + 2 * i, 3, "%02x", id.bytes[i]);
	test_check(t, !strcmp(ours, theirs), "%s: build-id %s, readelf has %s", path, ours, theirs);
}

static uint32_t flags_of(const char *words)
{
	return (strchr(words, 'R') ? PF_R : 0) | (strchr(words, 'W') ? PF_W : 0) | (strchr(words, 'E') ? PF_X : 0);
}

static void compare_segments(struct test *t, const char *path, const struct elf_file *file)
{
	const struct elf_segment *segments;
	size_t count = elf_file_segments(file, &segments), at = 0;
	FILE *readelf = run_readelf("-lW", path);
	char line[4096], flags[4];

	while (readelf && fgets(line, sizeof(line), readelf)) {
		unsigned long long offset, address, file_size, memory_size;

		if (sscanf(line, " LOAD %llx %llx %*x %llx %llx %3[RWE ]", &offset, &address, &file_size, &memory_size,
			   flags) != 5)
			continue;
		test_check(t,
			   at < count && segments[at].file_offset == offset && segments[at].address == address &&
				   segments[at].file_size == file_size && segments[at].memory_size == memory_size &&
				   segments[at].flags == flags_of(flags),
			   "%s: segment %zu differs from: %s", path, at, line);
		at++;
	}
	if (readelf)
		(void)pclose(readelf);
	CHECK_INT(t, at, count);
	CHECK(t, count > 0);
}

static bool compare_file(struct test *t, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_file *file;
	int r;

	if (fd < 0)
		return false;
	r = elf_file_create(fd, &file);
	if (!test_check(t, !r, "%s: %s", path, strerror(-r)))
		return true;
	compare_build_id(t, path, file);
	compare_segments(t, path, file);
	compare_symbols_of(t, path, file);
	elf_file_destroy(file);
	return true;
}

static bool no_readelf(void)
{
	return system("readelf --version >/dev/null 2>&1") != 0;
}

/* Variants of one program, made by the compiler and by objcopy. */
static void agrees_with_readelf_on_what_is_made(struct test *t)
{
	static const struct {
		const char *name, *command;
	} makes[] = {
		{"plain", "cc -O1 -g program.c -o plain"},
		{"no-pie", "cc -O1 -no-pie program.c -o no-pie"},
		{"static", "cc -O1 -static program.c -o static"},
		{"library", "cc -O1 -fPIC -shared -DLIBRARY program.c -o library"},
		{"stripped", "objcopy --strip-all plain stripped"},
		{"debug", "objcopy --only-keep-debug plain debug"},
		{"short-id", "cc program.c -Wl,--build-id=0x0102030405060708 -o short-id"},
		{"no-id", "cc program.c -Wl,--build-id=none -o no-id"},
		{"narrow", "cc -m32 -O1 -nostdlib -shared -fPIC -Wl,--build-id program.c -o narrow"},
		{"narrow-stripped", "objcopy --strip-all narrow narrow-stripped"},
		{"sections", "cc -O1 -ffunction-sections -Wl,-z,separate-code program.c -o sections"},
	};
	static const char program[] =
		"__asm__(\".text\\nby_hand: nop\\n.size by_hand,1\\nlabel: nop\\n\");\n"
		"static int inner(int a) { return a * 3; }\n"
		"__attribute__((noinline, weak)) int outer(int a) { return inner(a) + 1; }\n"
		"static int (*choose(void))(int) { return outer; }\n"
		"int chosen(int) __attribute__((ifunc(\"choose\")));\n"
		"int data = 4;\n"
		"int main(void) { return chosen(data); }\n";
	char folder[] = "/tmp/rwalker-elf-XXXXXX", command[512];
	FILE *source;

	if (no_readelf() || system("cc --version >/dev/null 2>&1"))
		SKIP(t, "no readelf or no C compiler");
	REQUIRE(t, mkdtemp(folder));
	(void)snprintf(command, sizeof(command), "%s/program.c", folder);
	source = fopen(command, "w");
	REQUIRE(t, source);
	CHECK(t, fputs(program, source) >= 0);
	CHECK_INT(t, fclose(source), 0);
	for (size_t i = 0; i < sizeof(makes) / sizeof(*makes); i++) {
		char path[128];

		(void)snprintf(command, sizeof(command), "cd %s && %s", folder, makes[i].command);
		test_check(t, !system(command), "%s failed", makes[i].command);
		(void)snprintf(path, sizeof(path), "%s/%s", folder, makes[i].name);
		CHECK(t, compare_file(t, path));
	}
	(void)snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK_INT(t, system(command), 0);
}

static uint64_t size_of(const char *path, const char *name, uint64_t *ret_address)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_symbols symbols = {0};
	struct elf_file *file = NULL;
	uint64_t size = UINT64_MAX;

	if (fd >= 0 && !elf_file_create(fd, &file) && !elf_file_symbols(file, &symbols))
		for (size_t i = 0; i < symbols.count; i++)
			if (!strcmp(symbols.names + symbols.items[i].name, name)) {
				size = symbols.items[i].size;
				*ret_address = symbols.items[i].address;
			}
	elf_symbols_deinit(&symbols);
	elf_file_destroy(file);
	return size;
}

/* An exported symbol without a size, of one byte, followed by functions whose names were stripped. */
static void sizeless_symbols_end_where_another_function_begins(struct test *t)
{
	static const char program[] =
		"__asm__(\".text\\n.globl sizeless\\n.type sizeless,@function\\nsizeless: ret\\n\");\n"
		"__attribute__((visibility(\"hidden\"), noinline)) int unnamed(int a) { return a * 3; }\n"
		"__attribute__((noinline)) int last(int a) { return unnamed(a) + unnamed(a + 1); }\n";
	static const char *const compile = "cc -O1 -x c -shared -fPIC -nostdlib -o %s %s - <<'END'\n%s\nEND\n%s %s\n";
	static const struct {
		const char *options, *then;
		uint64_t most; /* bytes of the symbol */
		bool reaches; /* to the next symbol */
	} cases[] = {
		{"", "strip -s", 15, false}, /* up to the alignment of the function behind it */
		{"-fno-asynchronous-unwind-tables", "strip -s", 1, false},
		{"-fno-asynchronous-unwind-tables", "true", 15, true}, /* the next one has a name */
	};
	char path[] = "/tmp/rwalker-elf-XXXXXX", command[2048];
	int fd = mkstemp(path);

	REQUIRE(t, fd >= 0);
	(void)close(fd);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t from = 0, to = 0, size;

		(void)snprintf(command, sizeof(command), compile, path, cases[i].options, program, cases[i].then, path);
		CHECK_INT(t, system(command), 0);
		size = size_of(path, "sizeless", &from);
		CHECK(t, size_of(path, "last", &to) > 1 && to > from);
		test_check(t, size <= cases[i].most && (cases[i].reaches || size), "case %zu: %llu bytes", i,
			   (unsigned long long)size);
		CHECK(t, size < to - from);
	}
	CHECK_INT(t, unlink(path), 0);
}

static void build_ids_are_compared_in_full(struct test *t)
{
	static const struct {
		const char *one, *other;
		size_t one_length, other_length;
		bool equal;
	} cases[] = {
		{"abcd", "abcd", 4, 4, true},  {"abcd", "abce", 4, 4, false}, {"bbcd", "abcd", 4, 4, false},
		{"abcd", "abcd", 4, 3, false}, {"abcd", "abcd", 3, 4, false}, {"", "", 0, 0, true},
		{"a", "", 1, 0, false},	       {"\0\0", "\0\0\0", 2, 3, false},
	};
	uint8_t longest[BUILD_ID_MAX + 1] = {1};
	struct build_id full = build_id_of(longest, BUILD_ID_MAX), none = build_id_of(longest, BUILD_ID_MAX + 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct build_id one = build_id_of(cases[i].one, cases[i].one_length);
		struct build_id other = build_id_of(cases[i].other, cases[i].other_length);

		test_check(t, build_id_equal(&one, &other) == cases[i].equal, "case %zu", i);
	}
	CHECK_INT(t, full.length, BUILD_ID_MAX);
	CHECK_MEM(t, full.bytes, longest, BUILD_ID_MAX);
	CHECK_INT(t, none.length, 0);
	CHECK_INT(t, build_id_of(NULL, 0).length, 0);
}

TEST_MAIN(TEST(agrees_with_readelf_on_what_is_made),
	  TEST(sizeless_symbols_end_where_another_function_begins),
	  TEST(build_ids_are_compared_in_full))
