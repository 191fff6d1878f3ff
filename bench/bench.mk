# Howdah beside its peers; BENCH='--rounds=5 hello' chooses suites and options (bench/run --help).

SWITCH_COST := $(BUILD)/switch-cost
PROGRAMS += $(SWITCH_COST)

$(SWITCH_COST): $(call object,bench/switch-cost/switch.c) $(HOWDAH_ARCHIVE)
	$(call quietly,LD)
	$(Q)$(CC) $(LDFLAGS) $^ $(HOWDAH_LIBS) -o $@

STILL := $(BUILD)/still.so
TEST_PROGRAMS += $(STILL)

$(STILL): bench/counts/still.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -shared -D_GNU_SOURCE $< -o $@

BENCHES += bench-peers
BENCH ?=

.PHONY: bench-peers
bench-peers: compile cli/vendor/autoload.php
	@bench/run $(BENCH)

# The goals beside FrankenPHP, where that is: HOWDAH_BENCH_FRANKENPHP=, HOWDAH_BENCH_ROADRUNNER=.
.PHONY: bench-goals
bench-goals: compile cli/vendor/autoload.php
	@packaging/deps bench
	@bench/run goals --output=build/bench/goals $(BENCH)

# A run worth keeping: nothing left out, on a machine that has nothing else to do.
.PHONY: bench-results
bench-results: compile cli/vendor/autoload.php
	@packaging/deps bench
	@bench/run --full --quiet-machine --output=bench/results $(BENCH)
