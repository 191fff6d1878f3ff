# Raw requests that a generator makes up, against the module under AddressSanitizer; a minute in `make test`, `make fuzz SECONDS=` by hand.

TESTS += test-fuzz test-fuzz-calls

SECONDS ?= 600
# What fuzz takes: --seed=N, --replay=FILE
FUZZ ?=
FUZZ_BUILD := build/fuzz
FUZZ_PRELOAD := $(FUZZ_BUILD)/preload.so

$(FUZZ_PRELOAD): tests/fuzz/preload.c tests/sanitize/dlopen.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -shared -D_GNU_SOURCE $^ -o $@

.PHONY: fuzz-build
fuzz-build: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php $(FUZZ_PRELOAD)
	@$(SUBMAKE) -j$$(nproc) SANITIZE=address BUILD=$(FUZZ_BUILD) EXTRA_CFLAGS=-fsanitize-coverage=trace-pc \
	  $(FUZZ_BUILD)/ngx_http_howdah_module.so >$(FUZZ_BUILD)/log 2>&1 || { cat $(FUZZ_BUILD)/log; false; }

.PHONY: test-fuzz
test-fuzz: fuzz-build
	@tests/fuzz/run --seconds=60

.PHONY: fuzz
fuzz: fuzz-build ## ask a sanitized server made-up requests for SECONDS=600 (FUZZ='--seed=1')
	@tests/fuzz/run --seconds=$(SECONDS) $(FUZZ)

.PHONY: test-fuzz-calls
# First without a state block: where that is not found, the rest proves nothing.
test-fuzz-calls: $(RUNNER)
	@told=$$(tests/fuzz/calls/run --rounds=20 --without-block=posix 2>&1 || true); [[ $$told == *'found a foreign value'* ]] || \
	  { echo "calls: requests that shared ext/posix's globals did not find each other's values: $$told"; exit 1; }
	@tests/fuzz/calls/run --seconds=120

.PHONY: fuzz-calls
fuzz-calls: $(RUNNER) ## call PHP's functions at random beside requests that look after their values, for SECONDS=600
	@tests/fuzz/calls/run --seconds=$(SECONDS) --seed=$$RANDOM $(FUZZ)
