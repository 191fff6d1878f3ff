# Howdah: build, serve, test, install. `make help` lists the targets.
#
# Fragments (nginx/nginx.mk, tests/*/*.mk, engine/*/*.mk) extend this file. They append to
#   PROGRAMS       what `make build` makes beside the library, as paths below $(BUILD)
#   UNIT_PROGRAMS  cmocka programs, run without arguments: plainly and under valgrind (they need no nginx)
#   BENCHES        names of phony targets, each run once by `make bench`
#   TEST_PROGRAMS  what has to be built before tests run
# Which targets are tests, and where each runs, is in tests/suites.
#
# and use BUILD, CC, CFLAGS, PHP_CFLAGS, LIBHOWDAH (the archive), HOWDAH_LIBS (what it links with), and Q and quietly.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SUBMAKE = $(MAKE) --no-print-directory

# ---- What may be set on the command line ----------------------------------------------------------------------------------

LISTEN ?= 127.0.0.1:8080
APP ?= examples/laravel
PREFIX ?= /usr/local
DESTDIR ?=
# V=1 prints each command.
V ?=
# address, undefined, ... : builds into build/<name> beside the normal build.
SANITIZE ?=
EXTRA_CFLAGS ?=
# STRICT=1: a warning of the compiler ends the build, as the tests want it. Whoever builds to use it may have a newer compiler with new warnings.
STRICT ?=
# On Debian the versioned name says which PHP we mean; elsewhere there is one.
PHP_CONFIG ?= $(firstword $(shell command -v php-config8.2 php-config8.4 php-config 2>/dev/null) php-config)

# Declared where the command has it; engine/howdah.h has to agree (packaging/debian/rules).
VERSION := $(shell sed -nE "s/.*const VERSION = '([^']+)'.*/\\1/p" cli/src/Installation.php)

# ---- The C toolchain ------------------------------------------------------------------------------------------------------

BUILD := build$(if $(SANITIZE),/$(SANITIZE))
# make's own default for CC is `cc`; the flags below are gcc's and clang's.
ifeq ($(origin CC),default)
CC := gcc
endif

# What php-config says is asked once, and only where it exists: `make deps` runs before it is installed.
PHP_VERSION := $(shell $(PHP_CONFIG) --version 2>/dev/null)
PHP_SERIES := $(word 1,$(subst ., ,$(PHP_VERSION))).$(word 2,$(subst ., ,$(PHP_VERSION)))
# As system headers: our -Wextra is not for PHP's headers.
PHP_CFLAGS := $(patsubst -I%,-isystem %,$(shell $(PHP_CONFIG) --includes 2>/dev/null))

HARDENING := $(if $(SANITIZE),,-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) $(HARDENING) -fPIC -fvisibility=hidden -D_GNU_SOURCE -Iengine \
  $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -DHOWDAH_CHECKED) $(EXTRA_CFLAGS)
LDFLAGS := $(if $(SANITIZE),-fsanitize=$(SANITIZE))
# Reads the machine code of extensions (engine/state/extensions/instruction.h).
ZYDIS := $(if $(filter x86_64%,$(shell $(CC) -dumpmachine 2>/dev/null)),-lZydis)
# The archive, not the shared object, and before libphp, which exports copies of its functions: a context switch must not go
# through the PLT, and users need no boost.
HOWDAH_LIBS := -l:libboost_context.a -lphp$(PHP_SERIES) $(ZYDIS) -ldl -lpthread -lm

LIBHOWDAH := $(BUILD)/libhowdah.a
HOWDAH_ARCHIVE := $(LIBHOWDAH)
PHP_LIBRARY := php$(PHP_SERIES)
RUNNER := $(BUILD)/howdah-run

ENGINE_SOURCES := $(filter-out engine/runner/%,$(shell find engine -name '*.c' | LC_ALL=C sort))
RUNNER_SOURCES := $(sort $(wildcard engine/runner/*.c))
object = $(patsubst %.c,$(BUILD)/obj/%.o,$(1))

# $(call quietly,CC) and $(Q) before the command: one short line for each file.
Q := $(if $(V),,@)
quietly = $(if $(V),,@printf '  %-3s %s\n' '$(1)' '$@')

PROGRAMS :=
UNIT_PROGRAMS :=
TEST_PROGRAMS :=
BENCHES :=

ifneq ($(RUNNER_SOURCES),)
PROGRAMS += $(RUNNER)
endif

-include nginx/nginx.mk
-include $(sort $(wildcard engine/*/*.mk tests/*/*.mk bench/*.mk))

ifneq ($(SANITIZE),)
SANITIZE_OBJECTS := $(call object,tests/sanitize/dlopen.c)
LDFLAGS += -rdynamic $(SANITIZE_OBJECTS)
$(PROGRAMS) $(UNIT_PROGRAMS) $(TEST_PROGRAMS): | $(SANITIZE_OBJECTS)
endif

# ---- Targets for people ---------------------------------------------------------------------------------------------------
# Those that need packages install them first and then start make anew: it reads php-config while it parses.

.PHONY: help
help: ## list the targets
	@echo "Howdah: an application server for PHP inside stock nginx."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "Variables: LISTEN=$(LISTEN) APP=$(APP) PREFIX=$(PREFIX) DESTDIR= SANITIZE=address PHP_CONFIG=$(PHP_CONFIG) STRICT=1 V=1"

# The demo once more, for the page's table of leaks (LeakController). It ends with the server that it is beside.
SERVE_REWOUND = export DEMO_REWIND=$(CURDIR)/$(BUILD)/rewind-$$$$.sock; setpriv --pdeathsig TERM \
	bin/howdah serve $(APP) --rewind --listen=unix:$$DEMO_REWIND --workers=1 --concurrency=4 --quiet --no-access-log

.PHONY: serve
serve: ## install what is missing, build, and serve the demo on http://127.0.0.1:8080 (LISTEN=, APP=)
	@packaging/deps serve
	@$(SUBMAKE) -j$$(nproc) compile cli/vendor/autoload.php
	@if [ -x $(APP)/bin/setup ]; then $(APP)/bin/setup; fi
	@if [ $(APP) = examples/laravel ]; then $(SERVE_REWOUND) & fi; exec bin/howdah serve $(APP) --listen=$(LISTEN) $(SERVE_OPTIONS)

.PHONY: build
build: ## install what is missing and build the engine, the nginx module and the command line
	@packaging/deps build
	@$(SUBMAKE) -j$$(nproc) compile cli/vendor/autoload.php

# What these build, and what they start.
test test-long test-other test-ready: export STRICT := 1

.PHONY: test-ready
test-ready:
	@packaging/deps $(or $(TEST_PURPOSE),test)
	@$(SUBMAKE) -j$$(nproc) compile test-tools

.PHONY: test
test: test-ready ## install what is missing, build, and run what a landing waits for, on both releases of Debian (a quarter of an hour)
	@tests/run gate

.PHONY: test-long
test-long: test-ready ## all there is, in full depth, with PHP's own tests, on both releases (hours)
	@tests/run long

# In a root of another release: what this machine's cannot tell. Without debug information a fifth less is compiled, and nothing there reads it.
.PHONY: test-other
test-other: export EXTRA_CFLAGS := -g0
test-other:
	@$(SUBMAKE) TEST_PURPOSE=other test-ready
	@tests/run other

OTHER_RELEASE := $(if $(filter trixie,$(shell . /etc/os-release && echo $$VERSION_CODENAME)),bookworm,trixie)

.PHONY: test-other-release
test-other-release:
	@if [ -n "$${HOWDAH_ALONE:-}" ]; then echo "NOT RUN: $(OTHER_RELEASE): this is a root made by that release"; exit; fi; \
	if [ $$(id -u) -ne 0 ] || ! tests/fresh-machine/run --dry-run; then \
	  echo "NOT RUN: $(OTHER_RELEASE): only root makes a root for it, where mount namespaces are allowed"; exit; fi; \
	tests/fresh-machine/run --release=$(OTHER_RELEASE) --alone=build/ci/alone $(if $(HOWDAH_LONG),test-long,test-other)

.PHONY: test-packages
test-packages: ## install, serve with, upgrade and remove the Debian packages in a new root of this release (as root; some 8 minutes)
	@if [ $$(id -u) -ne 0 ] || ! tests/fresh-machine/run --dry-run; then \
	  echo "NOT RUN: only root makes a root for the packages, where mount namespaces are allowed"; exit; fi; \
	tests/packages/run

.PHONY: bench
bench: ## install what is missing, build, and compare with nginx, php-fpm and others (several minutes)
	@packaging/deps bench
	@$(SUBMAKE) -j$$(nproc) compile cli/vendor/autoload.php
	@for bench in $(BENCHES); do $(SUBMAKE) $$bench; done

# `bench/run counts --write` keeps new ones.
.PHONY: test-counts
test-counts: compile $(STILL) cli/vendor/autoload.php examples ## fail where a request costs 2 % more than it did (bench/README.md: counts)
	@bench/run counts

.PHONY: install
install: ## copy what `make build` made to $(DESTDIR)$(PREFIX)
	@packaging/install '$(BUILD)' '$(DESTDIR)' '$(PREFIX)'

.PHONY: uninstall
uninstall: ## remove what `make install` copied
	rm -rf '$(DESTDIR)$(PREFIX)/lib/howdah' '$(DESTDIR)$(PREFIX)/share/howdah'
	rm -f '$(DESTDIR)$(PREFIX)/bin/howdah'

.PHONY: version
version:
	@echo '$(VERSION)'

.PHONY: dist
dist: ## make build/dist/howdah-VERSION.tar.xz: the last commit with all that Composer would fetch
	@packaging/dist '$(VERSION)' build/dist

.PHONY: packages
packages: ## install what is missing and build the Debian packages of this release in build/packages
	@packaging/deps packages
	@$(SUBMAKE) dist
	@packaging/packages '$(VERSION)' 'build/dist/howdah-$(VERSION).tar.xz' build/packages

.PHONY: deps
deps: ## install the packages that building, serving and testing need
	@packaging/deps test

.PHONY: clean
clean: ## remove what was built (not what was downloaded)
	rm -rf build

# ---- The engine -----------------------------------------------------------------------------------------------------------

.PHONY: compile
compile: check-php $(LIBHOWDAH) $(PROGRAMS)

.PHONY: check-php
check-php:
	@if [ -z '$(PHP_VERSION)' ]; then \
	  echo "howdah: $(PHP_CONFIG) does not run: PHP's headers are missing; run 'make deps' or set PHP_CONFIG=/path/to/php-config" >&2; \
	  exit 1; fi

# What the engine's files share has a prototype in a header: so a replacement has the type that engine/hooks/hooked.h gives it.
ENGINE_CFLAGS := -Werror=missing-prototypes
$(BUILD)/obj/engine/%.o: CFLAGS += $(ENGINE_CFLAGS)
# libc's headers promise that some arguments are not NULL: a replacement is given what its callers give, whatever that is.
$(BUILD)/obj/engine/hooks/%.o: CFLAGS += -fno-delete-null-pointer-checks

$(BUILD)/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) $(CFLAGS) $(PHP_CFLAGS) -MMD -MP -c $< -o $@

# Where nearly every file includes PHP's headers they are most of what the compiler reads: it does so once, as for nginx (nginx/nginx.mk).
# The file itself is made without that help: private.
PHP_HEADERS := $(BUILD)/obj/engine/php_headers.h

$(PHP_HEADERS).gch: engine/state/php_headers.h
	@mkdir -p $(@D)
	@: >$(PHP_HEADERS)
	$(call quietly,CC)
	$(Q)$(CC) $(CFLAGS) $(PHP_CFLAGS) -MMD -MP -MF $(PHP_HEADERS).d -x c-header -c $< -o $@

PHP_OBJECTS := $(call object,$(filter engine/sapi/% engine/state/hidden/% $(wildcard engine/state/*.c),$(ENGINE_SOURCES)))
$(PHP_OBJECTS): private CFLAGS += -include $(PHP_HEADERS)
$(PHP_OBJECTS): $(PHP_HEADERS).gch

$(LIBHOWDAH): $(call object,$(ENGINE_SOURCES))
	@mkdir -p $(@D)
	@rm -f $@
	$(call quietly,AR)
	$(Q)ar rcs $@ $^

$(RUNNER): $(call object,$(RUNNER_SOURCES)) $(LIBHOWDAH)
	$(call quietly,LD)
	$(Q)$(CC) $(LDFLAGS) -rdynamic $^ $(HOWDAH_LIBS) -o $@

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)

# ---- PHP packages ---------------------------------------------------------------------------------------------------------
# What the command needs (installed with it), and the tools of the tests (never installed); tests/waiting has its own. composer.versions names
# the version of each.

cli/vendor/autoload.php: cli/composer.json cli/composer.versions
	packaging/composer cli --optimize-autoloader --no-dev

tests/tools/vendor/autoload.php: tests/tools/composer.json tests/tools/composer.versions
	packaging/composer tests/tools

# ---- Tests ----------------------------------------------------------------------------------------------------------------

# tests/run asks for records, and, when it tries again, for some tests only. Rules are checked (engine/check.h) in all that they start.
# Tests of the group "clock" want a machine that does nothing else: test-clocks-* run them, or who asks for them by name.
# Rewind is refused with other releases of PHP (engine/state/version.h); tests/engine/WorkerTest looks at that.
WITHOUT_REWIND = $(if $(filter 8.2 8.4,$(PHP_SERIES)),,--exclude-group rewind)
PHPUNIT = $(PHPUNIT_WITH_CLOCKS) $$([ -n "$${HOWDAH_ONLY:-}" ] || echo --exclude-group clock)
PHPUNIT_WITH_CLOCKS = HOWDAH_CHECKS=1 php tests/tools/vendor/bin/phpunit $(WITHOUT_REWIND) \
  $${HOWDAH_RECORD:+--log-junit "$$HOWDAH_RECORD.xml" --log-events-text "$$HOWDAH_RECORD.events"} $${HOWDAH_ONLY:+--filter "$$HOWDAH_ONLY"}

# No suite that runs in the other release's root serves them.
SERVED_PACKAGES := $(if $(filter other,$(TEST_PURPOSE)),,tests/waiting/app/vendor/autoload.php examples)

.PHONY: test-tools
test-tools: cli/vendor/autoload.php tests/tools/vendor/autoload.php $(SERVED_PACKAGES) $(UNIT_PROGRAMS) $(TEST_PROGRAMS)

# Several suites serve them, perhaps at the same time.
.PHONY: examples
examples:
	@for setup in examples/*/bin/setup; do $$setup; done

.PHONY: test-unit
test-unit: $(UNIT_PROGRAMS)
	@for program in $(UNIT_PROGRAMS); do echo "-- $$program"; $$program; done

# Errors in our code only: what PHP and libc are known to do is in tests/valgrind.supp, each with its reason.
# USE_ZEND_ALLOC is left alone: a realm's heap is what we test. Extensions stay loaded: what their statics hold would count as lost.
# Without those that compute with numbers and have no memory: the pool and its limit run under valgrind in tests/engine/MemcheckTest.
.PHONY: test-valgrind
test-valgrind: $(UNIT_PROGRAMS)
	@for program in $(filter-out %/limit_test %/policy_test,$(UNIT_PROGRAMS)); do echo "-- valgrind $$program"; \
	  HOWDAH_VALGRIND=1 ZEND_DONT_UNLOAD_MODULES=1 valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
	    --suppressions=tests/valgrind.supp $$program; done

.PHONY: test-cli
test-cli: $(NGINX_MODULE) cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration cli/phpunit.xml

# In the root of another release: tests of the group "other", which say so themselves.
OTHER_GROUP := --group other --exclude-group clock

# What its OpenSSL, and PHP's extension for it, make of certificates; what is published.
.PHONY: test-cli-other
test-cli-other: cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration cli/phpunit.xml $(OTHER_GROUP)

# In three parts of about the same length, which run side by side: classes of two groups, and all others. test-http is all of them.
HTTP_PARTS := test-http-flow test-http-realms test-http-requests
test-http-flow: HTTP_PART := --group flow
test-http-realms: HTTP_PART := --group realms
test-http-requests: HTTP_PART := --exclude-group flow --exclude-group realms

.PHONY: test-http $(HTTP_PARTS)
test-http $(HTTP_PARTS): compile $(EXTENSIONS) $(REFUSING_MODULE) $(LIMITS) cli/vendor/autoload.php tests/tools/vendor/autoload.php $(if $(HOWDAH_COVERAGE),coverage-module)
	@$(if $(HOWDAH_COVERAGE),HOWDAH_BUILD=$(CURDIR)/$(COVERAGE)) $(PHPUNIT) --configuration tests/http/phpunit.xml $(HTTP_PART)
	@$(if $(HOWDAH_COVERAGE),tests/coverage/report $(COVERAGE))

# What nginx's version makes of addresses, ends, bodies and headers, and PHP's of a request's end, its children, the functions it is given, and the command's own.
.PHONY: test-http-other
test-http-other: compile $(EXTENSIONS) cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/http/phpunit.xml $(OTHER_GROUP)

.PHONY: test-clocks-engine test-clocks-http
test-clocks-engine test-clocks-http: test-clocks-%: compile test-tools
	@$(PHPUNIT_WITH_CLOCKS) --configuration tests/$*/phpunit.xml --group clock

C_FILES = $(shell git ls-files '*.c' '*.h')

# Releases of clang-format make different things of the same style: the tree is what Debian 12's makes of it.
CLANG_FORMAT_RELEASE := 14

.PHONY: check-format
check-format:
	@release=$$(clang-format --version | sed -nE 's/.* version ([0-9]+).*/\1/p'); \
	  if [ "$$release" != $(CLANG_FORMAT_RELEASE) ]; then \
	    echo "clang-format: NOT CHECKED: this is release $$release, whose LLVM style differs from release $(CLANG_FORMAT_RELEASE)'s"; \
	    exit; \
	  fi; \
	  clang-format --dry-run --Werror $(C_FILES); \
	  echo "clang-format: $(words $(C_FILES)) files"

# TIDY='--checks=clang-analyzer-*' follows each path through a function, which takes minutes: by hand.
TIDY ?=
.PHONY: check-tidy
check-tidy: $(NGINX_CONFIGURED)
	@release=$$(clang-tidy --version | sed -nE 's/.* version ([0-9]+).*/\1/p'); \
	  if [ "$$release" != $(CLANG_FORMAT_RELEASE) ]; then \
	    echo "NOT RUN: this is clang-tidy $$release; the checks were chosen for $(CLANG_FORMAT_RELEASE)"; \
	    exit; \
	  fi; \
	  printf '%s\0' $(filter engine/%.c nginx/%.c,$(C_FILES)) | xargs -0 -n 12 -P $$(nproc) sh -c 'clang-tidy --quiet $(TIDY) "$$@" -- \
	    $(filter-out -f% -W% -O% -g -U% -D_FORTIFY%,$(CFLAGS)) $(PHP_CFLAGS) $(NGINX_CFLAGS) 2>&1' _ | \
	    { grep -vE 'warnings? (generated|treated as errors)|^$$' || true; }; \
	  echo "clang-tidy: $(words $(filter engine/%.c nginx/%.c,$(C_FILES))) files"

.PHONY: check-spelling
check-spelling:
	@git ls-files | grep -vE '\.(svg|png|lock|json|csv)$$|^bench/results' | tr '\n' '\0' | \
	  xargs -0 codespell --ignore-words-list=statics,exten,fro,atleast,allright,te,hel
	@echo "codespell: nothing misspelt"

# What is larger is no source: a core file, a build, an archive. Each clone would have it for ever.
LARGEST_FILE := 1048576

.PHONY: check-sizes
check-sizes:
	@large=$$(git ls-files -z | xargs -0 stat -c '%s %n' | awk '$$1 > $(LARGEST_FILE)') && \
	  if [ -n "$$large" ]; then echo "check-sizes: no source is this large (bytes):"; echo "$$large"; exit 1; fi; \
	  echo "check-sizes: no file above $(LARGEST_FILE) bytes"

.PHONY: format
format: ## let clang-format and phpcbf rewrite the sources
	@clang-format -i $(C_FILES)
	@php tests/tools/vendor/bin/phpcbf -q || test $$? -eq 1

.PHONY: check-style
check-style: tests/tools/vendor/autoload.php
	@php tests/tools/vendor/bin/phpcs -q && echo "phpcs: no deviation from PSR-12"

.PHONY: check-types
check-types: cli/vendor/autoload.php tests/tools/vendor/autoload.php tests/waiting/app/vendor/autoload.php
	@php tests/tools/vendor/bin/phpstan analyse --no-progress --memory-limit=1G
