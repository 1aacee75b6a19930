# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# rwalker: the programs, their installation, the demo. Their tests are in tests/Makefile, which may be missing.
# "make help" lists the targets; V=1 shows the commands, SAN=1 builds with ASan and UBSan.

VERSION := 0.1.0

# ARCH=aarch64 builds the recorder for that machine with Debian's cross compiler. Libraries are those of dpkg's foreign
# architecture, or fetched.
CROSS := $(filter aarch64,$(ARCH))
ifdef CROSS
CC := $(CROSS)-linux-gnu-gcc
OBJCOPY := $(CROSS)-linux-gnu-objcopy
AR := $(CROSS)-linux-gnu-ar
BUILD ?= build/$(CROSS)
CROSS_LIBRARIES := $(if $(filter libbpf.a,$(shell $(CC) -print-file-name=libbpf.a)),build/vm/$(CROSS)/lib)
LDFLAGS += $(addprefix -L,$(CROSS_LIBRARIES))
else
PACK_RELOCS := -Wl,-z,pack-relative-relocs
endif
BUILD ?= build

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
MANDIR ?= $(PREFIX)/share/man
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions)
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSCONFDIR ?= $(if $(filter /usr,$(PREFIX)),/etc,$(PREFIX)/etc)
CLANG ?= clang-14
OBJCOPY ?= objcopy
LLVM_STRIP ?= llvm-strip-14
BPFTOOL ?= bpftool
PKG_CONFIG ?= pkg-config
export PATH := $(PATH):/usr/sbin:/sbin

# What Debian 12 needs to build everything and to run the demo.
DEPS_BUILD := build-essential clang-14 llvm-14 bpftool pkg-config \
	libbpf-dev libelf-dev zlib1g-dev liblz4-dev libiberty-dev libdw-dev liblzma-dev libzstd-dev libsqlite3-dev nettle-dev
# To build and test the recorder for another machine: 52 MB to download.
DEPS_CROSS := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-system-arm

COMMA := ,

# --- flags ---------------------------------------------------------------------------------------

HARDEN := $(if $(SAN),-fPIC,-fPIE) -fstack-protector-strong -ffunction-sections
LINK_HARDEN := -Wl,-z,relro,-z,now -Wl,--gc-sections
for_clang = $(if $(findstring clang,$(notdir $(CC))),$(1))
ifdef SAN
# Built with clang, so that fuzzers can use the same objects. Without optimization they are built in half the time and run at half
# the speed, which pays because "make check" builds more than it runs.
B := $(BUILD)/san
CC := $(CLANG)
CFLAGS ?= $(if $(filter long,$(CHECK_LEVEL)),-O1 -g,-O0 -gline-tables-only)
# "make check" builds no fuzzers. Checks of each pointer, which take a third of the compiler's time, are for the other tiers.
SANITIZE = -fsanitize=address,undefined$(if $(filter check,$(CHECK_LEVEL)),$(call for_clang, -fno-sanitize=null$(COMMA)alignment),$(call for_clang,$(COMMA)fuzzer-no-link)) \
	-fno-sanitize-recover=all -fno-omit-frame-pointer
else
B := $(BUILD)
CFLAGS ?= -O2 -g
HARDEN += $(if $(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif
ERRORS := $(if $(WERROR),-Werror)
WARN := -Wall -Wextra $(ERRORS) -Wstrict-prototypes -Wmissing-prototypes -Wcast-qual -Wvla
# clang also warns of members that an initializer leaves 0, and of a flexible array with room for it in the struct around it.
WARN_CLANG := -Wno-missing-field-initializers -Wno-gnu-variable-sized-type-not-at-end
WARN += $(call for_clang,$(WARN_CLANG))
# The BPF skeletons are the same in every build.
CPPFLAGS_ALL = -I. -I$(BUILD) -D_GNU_SOURCE= -DRWALKER_VERSION='"$(VERSION)"' $(CPPFLAGS)
CFLAGS_ALL = -std=gnu11 $(WARN) $(HARDEN) $(SANITIZE) $(CPPFLAGS_ALL) -MMD -MP $(CFLAGS)
LDFLAGS_ALL = $(or $(1),-pie) $(LINK_HARDEN) $(SANITIZE) $(LDFLAGS)
MULTIARCH := $(or $(shell $(CC) -print-multiarch 2>/dev/null),$(subst -pc-,-,$(shell $(CC) -dumpmachine)))
BPF_CFLAGS ?= -O2
# There are no sources in this compilation directory, so their lines do not get into the BTF, a third of which they would be.
BPF_CFLAGS_ALL = -g -fdebug-compilation-dir=/ -target bpf -mcpu=v3 -std=gnu11 -Wall $(ERRORS) \
	-I. -idirafter /usr/include/$(MULTIARCH) -idirafter /usr/$(MULTIARCH)/include -MMD -MP $(BPF_CFLAGS)

LIBS_RECORD = $(shell $(PKG_CONFIG) --libs libbpf 2>/dev/null || echo -lbpf) -lelf -lz -llz4
LIBS_REPORT = -llz4 -liberty -ldw -lelf -llzma -lzstd -lz -lsqlite3 -lnettle

# --- sources -------------------------------------------------------------------------------------

sources = $(sort $(shell find $(1) -name '*.c'))
# arch_*.c differ by machine: each build uses the file of its own machine, or the generic one.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
ARCH_C := $(shell find common format record report -name 'arch_*.c')
ARCH_BASES := $(sort $(foreach machine,x86_64 aarch64 generic,$(patsubst %_$(machine).c,%,$(filter %_$(machine).c,$(ARCH_C)))))
ARCH_OTHERS := $(filter-out $(foreach base,$(ARCH_BASES),$(firstword $(wildcard $(base)_$(MACHINE).c) $(base)_generic.c)),$(ARCH_C))
SHARED_C := $(filter-out $(ARCH_OTHERS),$(call sources,common format))
RECORD_C := $(filter-out record/main.c $(ARCH_OTHERS),$(call sources,record))
REPORT_C := $(filter-out report/main.c $(ARCH_OTHERS),$(call sources,report))
BPF_C := $(wildcard bpf/*.bpf.c)

SHARED_A := $(B)/shared.a
RECORD_A := $(B)/record.a
REPORT_A := $(B)/report.a
SKELETONS := $(BPF_C:bpf/%.bpf.c=$(BUILD)/bpf/%.skel.h)

objects = $(patsubst %.c,$(B)/%.o,$(1))

# The page's own files, each kind joined into one, which the assembler puts into the reporter: all scripts, the style, the markup.
PAGE_KINDS := js css html
page_sources = $(sort $(shell find report/page -name "*.$(1)"))
PAGE_S := report/page/page_files.S

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-8s %s\n' '$(1)' '$(or $(2),$@)')
JOBS = $(if $(findstring j,$(filter -j% j%,$(MAKEFLAGS))),,-j$(shell nproc))
SUBMAKE = +$(Q)$(MAKE) --no-print-directory $(JOBS)

# --- programs ------------------------------------------------------------------------------------

.DEFAULT_GOAL := all
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:
.SECONDARY:
.PHONY: all record report static demo install install-record install-report uninstall dist deb rpm deps help clean FORCE

all: record report ## build both programs (the default)
	@:
record: $(B)/rwalker-record ## build rwalker-record only (needs clang, bpftool, libbpf)
	@:
report: $(B)/rwalker-report ## build rwalker-report only (needs a C compiler, lz4, libiberty, libdw, lzma, zstd, zlib, sqlite3)
	@:
static: $(B)/static/rwalker-record ## build the recorder as one static file under 2.25 MiB
	@:

# A change of flags rebuilds what depends on them.
FLAGS_NOW = $(CC) $(CFLAGS_ALL) $(LDFLAGS_ALL) $(CLANG) $(BPF_CFLAGS_ALL)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(FLAGS_NOW))' >$@

# Several frames lie on one stack, which may be as small as 128 KB. Sanitizers make them larger.
FRAMES = $(if $(SAN)$(filter tests/%,$<),,-Wframe-larger-than=32768)
$(B)/%.o: %.c $(B)/flags
	$(call say,CC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) $(FRAMES) -include common/banned.h -c $< -o $@

$(call objects,$(RECORD_C) record/main.c): | $(SKELETONS)

define page_rule # kind
$(BUILD)/report/page/all.$(1): $(call page_sources,$(1)) report/page/page_files.sed $(BUILD)/report/page/files
	@mkdir -p $$(@D)
	@cat /dev/null $(call page_sources,$(1)) | sed -f report/page/page_files.sed >$$@
endef
$(foreach kind,$(PAGE_KINDS),$(eval $(call page_rule,$(kind))))
PAGE_ALL := $(PAGE_KINDS:%=$(BUILD)/report/page/all.%)

# Makes the rule above run after a source was removed as well.
PAGE_FILES_NOW := $(foreach kind,$(PAGE_KINDS),$(call page_sources,$(kind)))
$(BUILD)/report/page/files: FORCE
	@mkdir -p $(@D)
	@echo '$(PAGE_FILES_NOW)' | cmp -s - $@ || echo '$(PAGE_FILES_NOW)' >$@

$(B)/%.o: %.S $(B)/flags
	$(call say,AS)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS_ALL) -Wa,-I$(BUILD) -c $< -o $@
$(PAGE_S:%.S=$(B)/%.o): $(PAGE_ALL)

$(SHARED_A): $(call objects,$(SHARED_C))
$(RECORD_A): $(call objects,$(RECORD_C))
$(REPORT_A): $(call objects,$(REPORT_C)) $(PAGE_S:%.S=$(B)/%.o)
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

# Nothing unwinds the static recorder, so its own unwind information is dropped.
$(B)/static/%.a: $(B)/%.a
	@mkdir -p $(@D)
	$(Q)$(OBJCOPY) -R .eh_frame -R .rela.eh_frame $< $@

$(B)/static/rwalker-record: $(B)/record/main.o $(B)/static/record.a $(B)/static/shared.a | $(CROSS_LIBRARIES)
	$(call say,STATIC)
	@mkdir -p $(@D)
	$(Q)$(CC) $(call LDFLAGS_ALL,-static-pie) -s -Wl,-z,noseparate-code -Wl,--no-eh-frame-hdr $(PACK_RELOCS) $^ $(LIBS_RECORD) -o $@
	@! readelf -lW $@ | grep INTERP || { echo "'$@' is not static" >&2; exit 1; }
	@size=$$(stat -c %s $@); [ $$size -lt 2359296 ] || \
		{ echo "'$@' has $$size bytes; the limit is 2359296" >&2; exit 1; }

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c bpf/drop_lines.sh $(BUILD)/bpf/flags
	$(call say,BPF)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS_ALL) -MT $@ -MF $(@:.o=.d) -c $< -o $@.tmp
	$(Q)$(LLVM_STRIP) -g -R .rel.BTF -R .rel.BTF.ext -w -N 'LBB*' $@.tmp # libbpf needs none of these
	$(Q)bpf/drop_lines.sh $@.tmp $(subst llvm-strip,llvm-objcopy,$(LLVM_STRIP)) && mv $@.tmp $@

# Not our code: no warnings about it.
SKELETON_HEAD := \#pragma GCC system_header

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call say,SKEL)
	$(Q){ echo '$(SKELETON_HEAD)' && $(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf; } >$@.tmp && mv $@.tmp $@

BPF_FLAGS_NOW = $(CLANG) $(BPF_CFLAGS_ALL) $(SKELETON_HEAD)
$(BUILD)/bpf/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(BPF_FLAGS_NOW)' | cmp -s - $@ || echo '$(BPF_FLAGS_NOW)' >$@

include $(wildcard tests/Makefile)

# --- what people type ----------------------------------------------------------------------------

demo: ## install what the build needs, record a sample workload, print its tree
	@.ci/deps 'build rwalker and run the demo' $(DEPS_BUILD)
	$(SUBMAKE) all test-samples
	@samples/demo.sh

# The program prints its own completions; one that was built for another machine cannot.
define install_completions
	$(if $(CROSS),,install -d $(DESTDIR)$(BASHDIR) $(DESTDIR)$(ZSHDIR) $(DESTDIR)$(FISHDIR))
	$(if $(CROSS),,$(B)/$(1) --completion=bash >$(DESTDIR)$(BASHDIR)/$(1))
	$(if $(CROSS),,$(B)/$(1) --completion=zsh >$(DESTDIR)$(ZSHDIR)/_$(1))
	$(if $(CROSS),,$(B)/$(1) --completion=fish >$(DESTDIR)$(FISHDIR)/$(1).fish)
endef

# The unit says where the program and its options are. Options that somebody has changed are kept.
SERVICE := contrib/systemd/rwalker-flight.service
CONFIG := $(SYSCONFDIR)/rwalker/flight.conf
define install_service
	install -d $(DESTDIR)$(UNITDIR) $(DESTDIR)$(dir $(CONFIG))
	sed 's|@BINDIR@|$(BINDIR)|; s|@SYSCONFDIR@|$(SYSCONFDIR)|' $(SERVICE) >$(DESTDIR)$(UNITDIR)/$(notdir $(SERVICE))
	[ -e $(DESTDIR)$(CONFIG) ] || install -m 644 contrib/systemd/flight.conf $(DESTDIR)$(CONFIG)
endef

install: install-record install-report ## install programs, manuals and completions under PREFIX (/usr/local)
install-record: record
	install -D -m 755 $(B)/rwalker-record $(DESTDIR)$(BINDIR)/rwalker-record
	install -D -m 644 record/rwalker-record.1 $(DESTDIR)$(MANDIR)/man1/rwalker-record.1
	$(call install_completions,rwalker-record)
	$(install_service)
install-report: report ## install the reporter only
	install -D -m 755 $(B)/rwalker-report $(DESTDIR)$(BINDIR)/rwalker-report
	install -D -m 644 report/rwalker-report.1 $(DESTDIR)$(MANDIR)/man1/rwalker-report.1
	install -D -m 644 report/rwalker-sqlite.5 $(DESTDIR)$(MANDIR)/man5/rwalker-sqlite.5
	install -D -m 644 format/rwk.5 $(DESTDIR)$(MANDIR)/man5/rwk.5
	$(call install_completions,rwalker-report)
uninstall: ## remove what install put there
	rm -f $(foreach program,rwalker-record rwalker-report,$(addprefix $(DESTDIR),$(BINDIR)/$(program) \
		$(MANDIR)/man1/$(program).1 $(BASHDIR)/$(program) $(ZSHDIR)/_$(program) $(FISHDIR)/$(program).fish))
	rm -f $(DESTDIR)$(MANDIR)/man5/rwk.5 $(DESTDIR)$(MANDIR)/man5/rwalker-sqlite.5
	rm -f $(DESTDIR)$(UNITDIR)/$(notdir $(SERVICE))
	! cmp -s contrib/systemd/flight.conf $(DESTDIR)$(CONFIG) || rm -f $(DESTDIR)$(CONFIG)

# What is committed, as others get it.
RELEASE := rwalker-$(VERSION)
dist: $(BUILD)/$(RELEASE).tar.xz ## make the source archive of what is committed
	@echo $<
$(BUILD)/$(RELEASE).tar.xz: FORCE
	@mkdir -p $(@D)
	$(Q)git archive --prefix=$(RELEASE)/ HEAD | xz -9 >$@.tmp && mv $@.tmp $@

# From the archive, so that a file missing there is noticed here. To Debian, debian/ is an addition to the source, not a part of
# it. The programs that build packages are not among our dependencies.
deb: $(BUILD)/$(RELEASE).tar.xz ## build Debian packages of what is committed (needs debhelper)
	$(Q)rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb && tar -xf $< -C $(BUILD)/deb
	$(Q)xz -dc $< | tar --delete $(RELEASE)/debian | xz >$(BUILD)/deb/rwalker_$(VERSION).orig.tar.xz
	$(Q)cd $(BUILD)/deb/$(RELEASE) && dpkg-buildpackage -us -uc
	@ls $(BUILD)/deb/*.deb
rpm: $(BUILD)/$(RELEASE).tar.xz ## build rpm packages of what is committed (needs rpmbuild)
	$(Q)rpmbuild -bb --define '_topdir $(abspath $(BUILD)/rpm)' --define '_sourcedir $(abspath $(BUILD))' \
		--define 'rwalker_version $(VERSION)' $(RPMFLAGS) contrib/rpm/rwalker.spec

deps: ## install what Debian 12 needs to build and for "make check"
	@.ci/deps 'build and test rwalker' $(DEPS_BUILD) --optional $(DEPS_CHECK)

clean: ## remove everything that was built
	rm -rf $(BUILD)

help: ## print this
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(filter %Makefile,$(MAKEFILE_LIST))
	@echo '  Variables: V=1 WERROR=1 SAN=1 ARCH=aarch64 BUILD=dir CC CFLAGS LDFLAGS PREFIX DESTDIR PKG_CONFIG CLANG BPFTOOL'

-include $(shell find /dev/null $(wildcard $(foreach d,$(B) $(BUILD), \
	$(addprefix $(d)/,common format record report bpf tests samples))) -type f -name '*.d')
