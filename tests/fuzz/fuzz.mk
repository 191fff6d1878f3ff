# Raw requests that a generator makes up, against a sanitized nginx; 8,000 of them in `make test`, `make fuzz SECONDS=` by hand.

SECONDS ?= 600
# What fuzz takes: --seed=N, --replay=FILE
FUZZ ?=

.PHONY: test-fuzz
test-fuzz: sanitized
	@tests/fuzz/run $(if $(HOWDAH_LONG),--seconds=$(SECONDS),--inputs=8000)

.PHONY: fuzz
fuzz: sanitized ## ask a sanitized server made-up requests for SECONDS=600 (FUZZ='--seed=1')
	@HOWDAH_LONG=1 tests/fuzz/run --seconds=$(SECONDS) $(FUZZ)

.PHONY: test-fuzz-calls
# First without a state block: where that is not found, the rest proves nothing. Debian 12 finds it with the first of these seeds.
test-fuzz-calls: $(RUNNER)
	@told=$$(tests/fuzz/calls/run --seed=20261127 --rounds=20 --without-block=posix 2>&1 || true); [[ $$told == *'found a foreign value'* ]] || \
	  { echo "calls: requests that shared ext/posix's globals did not find each other's values: $$told"; exit 1; }
	@tests/fuzz/calls/run $(if $(HOWDAH_LONG),--seconds=$(SECONDS) --seed=$$RANDOM,--rounds=12)

.PHONY: fuzz-calls
fuzz-calls: $(RUNNER) ## call PHP's functions at random beside requests that look after their values, for SECONDS=600
	@tests/fuzz/calls/run --seconds=$(SECONDS) --seed=$$RANDOM $(FUZZ)
