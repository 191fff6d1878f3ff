# Tests compare times in one way only.

.PHONY: check-clocks
check-clocks:
	@tests/clock/check
