# PHP's own tests, through realms and beside php-fpm. CHAOS=SEED for another run than the usual one; AUDIT=1 for an audit of all tests, REFERENCE=all to ask php-fpm of all.

.PHONY: test-phpt
test-phpt: compile cli/vendor/autoload.php
	@status=0; tests/debian-source php$(PHP_SERIES) "$(PHP_VERSION)" $(BUILD)/phpt >/dev/null || status=$$?; \
	if [ $$status -eq 75 ]; then echo "NOT RUN: no mirror of this machine holds PHP's own tests (above)"; exit; fi; \
	PHP_CONFIG=$(PHP_CONFIG) tests/phpt/run --chaos=$(or $(CHAOS),1) --audit=$(or $(AUDIT),8) $(if $(REFERENCE),--reference=$(REFERENCE)) --report=$(BUILD)/phpt/report.json

