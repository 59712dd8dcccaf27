# SPDX-License-Identifier: GPL-2.0-or-later
# make            optimised build, leaves build/blkgate
# make check      bootstrap, build, every test; nonzero when one fails
# make demo       pass, accept, pass again, red: in under a minute, on a scratch folder
# make asan|tsan|clang|fuzz   the same tree in a folder of its own, with its tests
# make prove-io   the interleaved verdict on real I/O (root, minutes)
# make prove-gate the error rates of the verdicts, simulated with the shipped code (minutes)
# make install PREFIX=...
# V=1 shows the commands. DEV=0 drops -Werror (packagers).
B ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
OPT ?= -O2
DEV ?= 1
SAN ?=

ROOMS := base json model suite host plan run measure gate session report
CMD_SRC := $(wildcard src/cmd/*.c)
LIB_SRC := $(foreach r,$(ROOMS),$(wildcard src/$(r)/*.c)) $(wildcard engines/*.c)
TEST_SRC := $(wildcard tests/unit/*/test_*.c) $(wildcard tests/conformance/test_*.c)
SPEED := $(B)/tests/speed/one_job
FUZZ_SRC := $(wildcard tests/fuzz/fuzz_*.c)

PKGS := liburing yaml-0.1 jansson libxml-2.0 blkid mount libisal
ifneq ($(filter all $(B)/%,$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell pkg-config --exists $(PKGS) 2>/dev/null && echo yes),yes)
$(warning libraries are missing: ci/bootstrap installs them)
endif
endif
WARN := -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wvla \
	-Wwrite-strings -Wpointer-arith -Wshadow -Wundef -Wformat=2 -Wno-format-nonliteral \
	-Wno-missing-field-initializers -fno-common
ifeq ($(DEV),1)
WARN += -Werror
endif
# Never -ffast-math, and no fused multiply-add: the same integers give the same verdict on every machine.
CPPFLAGS += -D_GNU_SOURCE -DMATHLIB_STANDALONE -Isrc -I. $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
CFLAGS += -std=gnu17 -ffp-contract=off -g $(OPT) $(WARN) -pthread $(SAN)
LDLIBS += $(shell pkg-config --libs $(PKGS) 2>/dev/null) -laio -lnvme -lRmath -lm -pthread
LDFLAGS += $(SAN)

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-6s %s\n'
endif

LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(B)/%.o)
TESTS := $(TEST_SRC:%.c=$(B)/%)
FUZZERS := $(FUZZ_SRC:%.c=$(B)/%)

.PHONY: all
all: $(B)/blkgate

$(B)/blkgate: $(CMD_OBJ) $(B)/libblkgate.a
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $(CMD_OBJ) $(B)/libblkgate.a $(LDLIBS)

$(B)/libblkgate.a: $(LIB_OBJ)
	$(say) AR $@
	$(Q)rm -f $@ && ar rcs $@ $(LIB_OBJ)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/%: tests/%.c $(B)/libblkgate.a
	@mkdir -p $(@D)
	$(say) TEST $@
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes -MMD -MP -MF $@.d $(LDFLAGS) -o $@ $< $(B)/libblkgate.a $(LDLIBS) -lcmocka

PROVE_OBJ := $(patsubst %.c,$(B)/%.o,$(wildcard tests/prove/*.c))
$(B)/tests/prove/prove: $(PROVE_OBJ) $(B)/libblkgate.a
	$(say) LINK $@
	$(Q)$(CC) $(LDFLAGS) -o $@ $(PROVE_OBJ) $(B)/libblkgate.a $(LDLIBS)
# The error rates of the rules by simulation, with the bounds they must keep; `tests` takes a short form.
.PHONY: prove-gate
prove-gate: $(B)/tests/prove/prove
	$(Q)$(B)/tests/prove/prove

.PHONY: tests unit
tests: $(TESTS) $(SPEED) $(B)/tests/prove/prove
unit: tests
	$(Q)tests/run-unit $(TESTS)

# Workers have no stderr: their reports go to files, which run-unit prints when a test failed.
.PHONY: asan tsan clang
asan: export SANLOG = build-asan/report
asan: export ASAN_OPTIONS = log_path=$(CURDIR)/$(SANLOG)
asan: export UBSAN_OPTIONS = print_stacktrace=1:log_path=$(CURDIR)/$(SANLOG)
asan:
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) B=build-asan OPT=-O1 \
		SAN='-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer' all unit
tsan: export SANLOG = build-tsan/report
tsan: export TSAN_OPTIONS = log_path=$(CURDIR)/$(SANLOG)
tsan:
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) B=build-tsan OPT=-O1 SAN='-fsanitize=thread' $(TSAN_TESTS)
	$(Q)tests/run-unit $(TSAN_TESTS)
clang:
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) B=build-clang CC=clang all tests

# TSan where threads meet: the runner and the engines.
TSAN_TESTS = $(filter build-tsan/tests/unit/run/% build-tsan/tests/conformance/%,$(TEST_SRC:%.c=build-tsan/%))

FUZZ_RUNS ?= 20000
.PHONY: fuzz
fuzz:
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) B=build-fuzz CC=clang OPT=-O1 \
		SAN='-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=undefined' fuzzers
	$(Q)for f in $(FUZZ_SRC:%.c=build-fuzz/%); do n=$$(basename $$f); echo "  FUZZ   $$n"; \
		mkdir -p build-fuzz/corpus/$$n && $$f -runs=$(FUZZ_RUNS) -max_len=65536 -seed=1 -verbosity=0 \
			build-fuzz/corpus/$$n $$(ls -d tests/fuzz/corpus/$$n 2>/dev/null) || exit 1; done
.PHONY: fuzzers
fuzzers: $(FUZZERS)
$(B)/tests/fuzz/%: tests/fuzz/%.c $(B)/libblkgate.a
	@mkdir -p $(@D)
	$(say) FUZZ $@
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-missing-prototypes $(LDFLAGS) -fsanitize=fuzzer -o $@ $< $(B)/libblkgate.a $(LDLIBS)

.PHONY: check demo
check:
	$(Q)ci/bootstrap --tests
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all tests
	$(Q)tests/check
demo:
	$(Q)ci/bootstrap
	$(Q)$(MAKE) --no-print-directory -j$$(nproc) all
	$(Q)ci/demo

.PHONY: bench
bench: all
	$(Q)ci/bench
.PHONY: truth
truth: all
	$(Q)ci/truth
.PHONY: prove-io
prove-io: all
	$(Q)ci/prove-io

PREFIX ?= /usr/local
.PHONY: install
install: all
	install -D -m 755 $(B)/blkgate $(DESTDIR)$(PREFIX)/bin/blkgate

.PHONY: clean
clean:
	$(Q)rm -rf build/ build-asan build-tsan build-clang build-fuzz

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(TESTS:=.d) $(SPEED).d $(PROVE_OBJ:.o=.d)
