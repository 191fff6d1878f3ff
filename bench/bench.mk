# Howdah beside its peers; BENCH='--rounds=5 hello' chooses suites and options (bench/run --help).

BENCHES += bench-peers
BENCH ?=

.PHONY: bench-peers
bench-peers: compile cli/vendor/autoload.php
	@bench/run $(BENCH)
