# Howdah beside its peers; BENCH='--rounds=5 hello' chooses suites and options (bench/run --help).

SWITCH_COST := $(BUILD)/switch-cost
PROGRAMS += $(SWITCH_COST)

$(SWITCH_COST): $(call object,bench/switch-cost/switch.c) $(HOWDAH_ARCHIVE)
	$(call quietly,LD)
	$(Q)$(CC) $(LDFLAGS) $^ $(HOWDAH_LIBS) -o $@

BENCHES += bench-peers
BENCH ?=

.PHONY: bench-peers
bench-peers: compile cli/vendor/autoload.php
	@bench/run $(BENCH)
