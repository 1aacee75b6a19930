# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# rwalker. "make help" lists the targets; V=1 shows the commands, SAN=1 builds with ASan and UBSan.

VERSION := 0.1.0

# ARCH=aarch64: the recorder for that machine, by Debian's cross compiler; the libraries are those of dpkg's foreign
# architecture, or fetched.
CROSS := $(filter aarch64,$(ARCH))
ifdef CROSS
CC := $(CROSS)-linux-gnu-gcc
AR := $(CROSS)-linux-gnu-ar
BUILD ?= build/$(CROSS)
CROSS_LIBRARIES := $(if $(filter libbpf.a,$(shell $(CC) -print-file-name=libbpf.a)),build/vm/$(CROSS)/lib)
LDFLAGS += $(addprefix -L,$(CROSS_LIBRARIES))
GUEST_FLAGS := -mbranch-protection=standard -fomit-frame-pointer
else
PACK_RELOCS := -Wl,-z,pack-relative-relocs
endif
BUILD ?= build

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
CLANG ?= clang-14
LLVM_STRIP ?= llvm-strip-14
BPFTOOL ?= bpftool
PKG_CONFIG ?= pkg-config
FUZZ_SECONDS ?= 60
export PATH := $(PATH):/usr/sbin:/sbin

# What Debian 12 needs. DEPS_BUILD builds everything and runs the demo; DEPS_TEST is for the tests.
DEPS_BUILD := build-essential clang-14 llvm-14 bpftool pkg-config \
	libbpf-dev libelf-dev zlib1g-dev liblz4-dev libiberty-dev libdw-dev liblzma-dev libzstd-dev libdeflate-dev libsqlite3-dev
DEPS_TEST := libclang-rt-14-dev clang-format-14 universal-ctags mandoc shellcheck python3 gdb strace \
	linux-perf libbpf-tools qemu-system-x86 busybox-static cpio xz-utils dwz \
	debuginfod elfutils zstd gron lld-14
# For the recorder of another machine and its test: 52 MB to fetch.
DEPS_CROSS := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm

# --- flags ---------------------------------------------------------------------------------------

HARDEN := -fPIE -fstack-protector-strong -ffunction-sections
LINK_HARDEN := -Wl,-z,relro,-z,now -Wl,--gc-sections
ifdef SAN
B := $(BUILD)/san
CFLAGS ?= -O1 -g
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
else
B := $(BUILD)
CFLAGS ?= -O2 -g
HARDEN += $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif
WARN := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wvla
# The skeletons of the BPF programs are the same in every build.
CPPFLAGS_ALL = -I. -I$(BUILD) -D_GNU_SOURCE= -DRWALKER_VERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(WARN) $(HARDEN) $(SANITIZE) $(CPPFLAGS_ALL) -MMD -MP $(CFLAGS)
LDFLAGS_ALL = $(or $(1),-pie) $(LINK_HARDEN) $(SANITIZE) $(LDFLAGS)
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS ?= -O2
BPF_CFLAGS_ALL = -g -target bpf -mcpu=v3 -std=gnu11 -Wall -Werror \
	-I. -idirafter /usr/include/$(MULTIARCH) -idirafter /usr/$(MULTIARCH)/include -MMD -MP $(BPF_CFLAGS)
# Programs that are measured: frames as they were written.
WORKLOAD_FLAGS := -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -pthread \
	-Wall -MMD -MP

LIBS_RECORD = $(shell $(PKG_CONFIG) --libs libbpf 2>/dev/null || echo -lbpf) -lelf -lz -llz4
LIBS_REPORT = -llz4 -liberty -ldw -lelf -llzma -lzstd -ldeflate -lsqlite3

# --- sources -------------------------------------------------------------------------------------

SHARED_C := $(wildcard common/*.c format/*.c)
RECORD_C := $(filter-out record/main.c,$(wildcard record/*.c))
REPORT_C := $(filter-out report/main.c,$(wildcard report/*.c report/*/*.c))
BPF_C := $(wildcard bpf/*.bpf.c)
UNIT_C := $(wildcard tests/unit/test_*.c)
FUZZ_C := $(wildcard tests/fuzz/fuzz_*.c)
ORACLE_C := $(wildcard tests/oracle/*.c)
TOOL_C := $(wildcard tests/fault/*.c tests/bench/*.c tests/golden/*.c)
WORKLOAD_C := $(wildcard tests/live/workloads/*.c samples/*/workload.c)
WORKLOAD_CXX := $(wildcard tests/live/workloads/*.cpp samples/*/workload.cpp)
GUEST_C := $(if $(CROSS),$(addprefix tests/vm/guest/,frames.c signals.c stopwatch.c),$(wildcard tests/vm/guest/*.c))

SHARED_A := $(B)/shared.a
RECORD_A := $(B)/record.a
REPORT_A := $(B)/report.a
SKELETONS := $(BPF_C:bpf/%.bpf.c=$(BUILD)/bpf/%.skel.h)
UNITS := $(UNIT_C:%.c=$(B)/%)
TOOLS := $(TOOL_C:%.c=$(B)/%)
ORACLE_MAINS := unwind against_perf against_gdb lines
ORACLE_PARTS := $(filter-out $(ORACLE_MAINS:%=tests/oracle/%.c),$(ORACLE_C))
ORACLE := $(ORACLE_MAINS:%=$(B)/tests/oracle/%)
SAMPLES := $(patsubst %/,$(BUILD)/%,$(dir $(filter samples/%,$(WORKLOAD_C) $(WORKLOAD_CXX))))
WORKLOADS := $(patsubst %,$(BUILD)/%,$(basename $(filter tests/%,$(WORKLOAD_C) $(WORKLOAD_CXX)))) \
	$(SAMPLES)
GUESTS := $(GUEST_C:%.c=$(BUILD)/%)
FUZZERS := $(FUZZ_C:%.c=$(BUILD)/fuzz/%)

objects = $(patsubst %.c,$(B)/%.o,$(1))
fuzz_objects = $(patsubst %.c,$(BUILD)/fuzz/%.o,$(1))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(or $(2),$@)')
JOBS = $(if $(findstring j,$(filter -j% j%,$(MAKEFLAGS))),,-j$(shell nproc))
SUBMAKE = +$(Q)$(MAKE) --no-print-directory $(JOBS)

# --- programs ------------------------------------------------------------------------------------

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all record report static guests demo check check-run check-long check-vm bench fuzz test-programs \
	fuzz-programs install install-record install-report uninstall deps deps-test help clean FORCE

all: record report ## build both programs (the default)
	@:
record: $(B)/rwalker-record ## build rwalker-record only (needs clang, bpftool, libbpf)
	@:
report: $(B)/rwalker-report ## build rwalker-report only (needs a C compiler, lz4, libiberty, libdw, lzma, zstd, libdeflate, sqlite3)
	@:
static: $(B)/static/rwalker-record ## build the recorder as one static file under 2 MB
	@:

# A change of flags rebuilds what they touch.
FLAGS_NOW = $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(CLANG) $(BPF_CFLAGS_ALL)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' >$@

$(B)/%.o: %.c $(B)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -include common/banned.h -c $< -o $@

$(call objects,$(RECORD_C) record/main.c): | $(SKELETONS)
$(patsubst %.c,$(B)/%.o,$(filter tests/unit/test_record_%,$(UNIT_C))): | $(SKELETONS)

$(SHARED_A): $(call objects,$(SHARED_C))
$(RECORD_A): $(call objects,$(RECORD_C))
$(REPORT_A): $(call objects,$(REPORT_C))
$(SHARED_A) $(RECORD_A) $(REPORT_A):
	$(call say,AR)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/rwalker-record: $(B)/record/main.o $(RECORD_A) $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ $(LIBS_RECORD) -o $@

$(B)/rwalker-report: $(B)/report/main.o $(REPORT_A) $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ $(LIBS_REPORT) -o $@

build/vm/$(CROSS)/lib:
	$(Q)tests/vm/fetch.sh $(CROSS)

$(B)/static/rwalker-record: $(B)/record/main.o $(RECORD_A) $(SHARED_A) | $(CROSS_LIBRARIES)
	$(call say,STATIC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(call LDFLAGS_ALL,-static-pie) -s -Wl,--no-eh-frame-hdr $(PACK_RELOCS) $^ $(LIBS_RECORD) -o $@
	@! readelf -lW $@ | grep INTERP || { echo "'$@' is not static" >&2; exit 1; }
	@size=$$(stat -c %s $@); [ $$size -lt 2000000 ] || \
		{ echo "'$@' has $$size bytes; the limit is 2000000" >&2; exit 1; }

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(BUILD)/bpf/flags
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS_ALL) -MT $@ -MF $(@:.o=.d) -c $< -o $@.tmp
	$(Q)$(LLVM_STRIP) -g $@.tmp && mv $@.tmp $@

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call say,SKEL)
	$(Q)$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf >$@.tmp && mv $@.tmp $@

BPF_FLAGS_NOW = $(CLANG) $(BPF_CFLAGS_ALL)
$(BUILD)/bpf/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(BPF_FLAGS_NOW)' | cmp -s - $@ || echo '$(BPF_FLAGS_NOW)' >$@

# --- test programs -------------------------------------------------------------------------------

guests: $(GUESTS)
	@:

test-programs: $(UNITS) $(TOOLS) $(WORKLOADS) $(GUESTS) $(ORACLE)
	@:

# A unit test may use the shared objects, and those of the program that its name begins with.
$(B)/tests/unit/test_record_%: $(B)/tests/unit/test_record_%.o $(RECORD_A) $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ $(LIBS_RECORD) -pthread -o $@

$(B)/tests/unit/test_report_%: $(B)/tests/unit/test_report_%.o $(REPORT_A) $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) $(filter %.o,$^) $(filter %.a,$^) $(LIBS_REPORT) -pthread -o $@

# It looks for every function that nm lists in itself: all are linked, called or not.
$(B)/tests/unit/test_report_symbols: private LDFLAGS += -Wl,--no-gc-sections

# The unwinder's cases are assembly.
$(B)/tests/unit/unwind/%.o: tests/unit/unwind/%.S $(B)/flags
	$(call say,AS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -MMD -MP -c $< -o $@
$(B)/tests/unit/test_report_unwind_cases: $(addprefix $(B)/,$(addsuffix .o,$(basename $(wildcard tests/unit/unwind/*.[cS]))))

# Some in shared objects, each linked in its own way.
UNWIND_DIR := $(B)/tests/unit/unwind/shared
UNWIND_CASE08 := $(addprefix $(UNWIND_DIR)/case08_,zlib.so zstd.so split.so)
UNWIND_CASES := $(addprefix $(UNWIND_DIR)/case,09_segments.so 13_pointers.so 19_hostile.so)
UNWIND_SHARED := $(UNWIND_CASE08) $(UNWIND_CASES)
$(B)/tests/unit/test_report_unwind_cases: $(UNWIND_SHARED)
$(UNWIND_DIR)/case08_zlib.so: LINK_AS := -Wl,--compress-debug-sections=zlib
$(UNWIND_DIR)/case08_zstd.so: LINK_AS := -Wl,--compress-debug-sections=zstd
$(UNWIND_DIR)/case09_segments.so: LINK_AS := -Wl,--section-start=.text=0x501000
$(UNWIND_DIR)/case19_hostile.so: LINK_AS := -Wl,--traditional-format
$(B)/tests/unit/test_report_unwind_aarch64: $(if $(shell command -v ld.lld-14),$(UNWIND_DIR)/case18_aarch64.so)
$(UNWIND_DIR)/case18_aarch64.so: tests/unit/unwind/shared/case18_aarch64.S tests/unit/unwind/fixture.inc
	$(call say,AS)
	@mkdir -p $(@D)
	$(Q)$(CLANG) --target=aarch64-linux-gnu $(CPPFLAGS_ALL) -c $< -o $(@:.so=.o)
	$(Q)ld.lld-14 -shared $(@:.so=.o) -o $@
$(UNWIND_CASE08): tests/unit/unwind/shared/case08_compressed.S
$(UNWIND_CASES): $(B)/%.so: %.S
$(UNWIND_SHARED): tests/unit/unwind/fixture.inc
	$(call say,AS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) -shared -nostdlib $(LINK_AS) $(filter %.S,$^) -o $@
	$(Q)case $@ in *_split.so) objcopy --only-keep-debug $@ $(@:.so=.debug) && objcopy --strip-debug $@ ;; esac

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ -llz4 -pthread -o $@

# Programs that drive the product's objects; the linker takes the ones they name.
$(TOOLS): $(B)/%: $(B)/%.o $(REPORT_A) $(RECORD_A) $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) -Wl,--as-needed $^ $(LIBS_RECORD) $(LIBS_REPORT) -pthread -o $@

# Our unwinder beside libdw's call frame engine, perf's and gdb's.
$(ORACLE): $(B)/tests/oracle/%: $(B)/tests/oracle/%.o $(call objects,$(ORACLE_PARTS)) $(REPORT_A) $(SHARED_A)
	$(call say,LINK)
	$(Q)$(CC) $(LDFLAGS_ALL) $^ $(LIBS_REPORT) -o $@

define workload_rule # source, compiler
$(BUILD)/$(if $(filter samples/%,$(1)),$(patsubst %/,%,$(dir $(1))),$(basename $(1))): $(1)
	$$(call say,WORKLOAD)
	@mkdir -p $$(@D)
	$(Q)$(2) $(WORKLOAD_FLAGS) -MT $$@ -MF $$@.d $$< -o $$@
endef
$(foreach c,$(WORKLOAD_C),$(eval $(call workload_rule,$(c),$(CC) -D_GNU_SOURCE=)))
$(foreach c,$(WORKLOAD_CXX),$(eval $(call workload_rule,$(c),$(CXX))))

$(GUESTS): $(BUILD)/%: %.c
	$(call say,GUEST)
	@mkdir -p $(@D)
	$(Q)$(CC) -O1 -g -static -pthread -D_GNU_SOURCE= $(GUEST_FLAGS) -Wall -MMD -MP -MT $@ -MF $@.d $< -o $@

FUZZ_FLAGS = -std=gnu11 -O1 -g -Wall -Wextra -I. -D_GNU_SOURCE= -DRWALKER_VERSION='"$(VERSION)"' \
	-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
$(BUILD)/fuzz/%.o: %.c
	$(call say,FUZZCC)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -include common/banned.h \
		-MMD -MP -c $< -o $@

$(BUILD)/fuzz/all.a: $(call fuzz_objects,$(SHARED_C) $(REPORT_C) record/jit_log.c)
	$(call say,AR)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(FUZZERS): $(BUILD)/fuzz/%: $(BUILD)/fuzz/%.o $(BUILD)/fuzz/all.a
	$(call say,LINK)
	$(Q)$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer $^ $(LIBS_REPORT) -o $@

fuzz-programs: $(FUZZERS)
	@:

# --- what people type ----------------------------------------------------------------------------

demo: ## install what the build needs, record a sample workload, print its tree
	@.ci/deps 'build rwalker and run the demo' $(DEPS_BUILD)
	$(SUBMAKE) all test-samples
	@samples/demo.sh

.PHONY: test-samples
test-samples: $(SAMPLES)
	@:

# One run of tests/run.sh, so that there is one tally. SAN=1 is a second build of the same sources.
LINT := $(wildcard tests/lint/*.sh)
SCRIPTS = $(foreach kind,$(1),$(wildcard tests/$(kind)/test_*.sh))
SAN_UNITS = $(UNIT_C:%.c=$(BUILD)/san/%)
FUZZ_SHORT = $(foreach f,$(FUZZ_C),'tests/fuzz/run.sh $(f:tests/fuzz/%.c=%) 2')

# What the scripts may take: together, and one that names no limit of its own, in seconds.
LIMITS_check := CHECK_LEVEL=check TOTAL_LIMIT=1080 TIME_LIMIT=240
LIMITS_long := CHECK_LEVEL=long TIME_LIMIT=14400

check: CHECK_LEVEL := check
check: check-run ## run every test this machine allows (at most 20 minutes)
check-long: CHECK_LEVEL := long
check-long: check-run ## run all of it: every fault, every kernel (hours)
check-vm: CHECK_LEVEL := long
check-vm: deps-test ## run the tests in virtual machines, on every kernel
	$(SUBMAKE) all static test-programs
	@$(LIMITS_$(CHECK_LEVEL)) tests/run.sh $(call SCRIPTS,vm)

check-run: deps-test
	$(SUBMAKE) all static test-programs fuzz-programs
	$(SUBMAKE) SAN=1 all test-programs
	@$(LIMITS_$(CHECK_LEVEL)) tests/run.sh --together $(LINT) tests/test_run.sh $(UNITS) $(SAN_UNITS) \
		$(call SCRIPTS,golden oracle fault) $(FUZZ_SHORT) --alone $(call SCRIPTS,live vm)

bench: deps-test ## measure against perf; writes BENCH.md
	$(SUBMAKE) all static test-programs
	@tests/bench/run.sh

fuzz: fuzz-programs ## fuzz each target for FUZZ_SECONDS (60)
	@TIME_LIMIT=$$(($(FUZZ_SECONDS) + 120)) tests/run.sh $(FUZZ_C:tests/fuzz/%.c='tests/fuzz/run.sh % $(FUZZ_SECONDS)')

install: install-record install-report ## install programs and man pages under PREFIX (/usr/local)
install-record: record
	install -D -m 755 $(B)/rwalker-record $(DESTDIR)$(BINDIR)/rwalker-record
	install -D -m 644 record/rwalker-record.1 $(DESTDIR)$(MANDIR)/man1/rwalker-record.1
install-report: report ## install the reporter only
	install -D -m 755 $(B)/rwalker-report $(DESTDIR)$(BINDIR)/rwalker-report
	install -D -m 644 report/rwalker-report.1 $(DESTDIR)$(MANDIR)/man1/rwalker-report.1
	install -D -m 644 format/rwk.5 $(DESTDIR)$(MANDIR)/man5/rwk.5
uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(BINDIR)/rwalker-record $(DESTDIR)$(BINDIR)/rwalker-report
	rm -f $(DESTDIR)$(MANDIR)/man1/rwalker-record.1 $(DESTDIR)$(MANDIR)/man1/rwalker-report.1
	rm -f $(DESTDIR)$(MANDIR)/man5/rwk.5

deps: ## install what Debian 12 needs to build and to test
	@.ci/deps 'build and test rwalker' $(DEPS_BUILD) $(DEPS_TEST) --optional $(DEPS_CROSS)
deps-test:
	@.ci/deps 'build and test rwalker' $(DEPS_BUILD) --optional $(DEPS_TEST) $(DEPS_CROSS)

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo '  Variables: V=1 SAN=1 ARCH=aarch64 BUILD=dir CC CFLAGS LDFLAGS PREFIX DESTDIR PKG_CONFIG CLANG BPFTOOL'

-include $(wildcard $(foreach d,$(B) $(BUILD)/fuzz $(BUILD), \
	$(addprefix $(d)/,common/*.d format/*.d record/*.d report/*.d report/*/*.d bpf/*.d \
	tests/*/*.d tests/*/*/*.d samples/*.d)))
