# PHP's own tests, through realms and beside php-fpm. CHAOS=SEED for another run than the usual one.
# With HOWDAH_LONG php-fpm is asked of all tests, not only of those that Howdah fails, and the audit looks at all of them.

PHPT = status=0; tests/debian-source php$(PHP_SERIES) "$(PHP_VERSION)" $(BUILD)/phpt >/dev/null || status=$$?; \
	if [ $$status -eq 69 ]; then echo "NOT RUN: no mirror of this machine holds PHP's own tests (above)"; exit; fi; \
	[ $$status -eq 0 ] || exit $$status; \
	PHP_CONFIG=$(PHP_CONFIG) tests/phpt/run $(if $(HOWDAH_LONG),--reference=all)

.PHONY: test-phpt
test-phpt: compile cli/vendor/autoload.php
	@$(PHPT) --chaos=$(or $(CHAOS),1) --audit=$(or $(AUDIT),$(if $(HOWDAH_LONG),1,8)) --report=$(BUILD)/phpt/report.json

# In worker mode with rewind, in another order each time: SEED= for one that was told.
.PHONY: test-phpt-rewind
test-phpt-rewind: compile cli/vendor/autoload.php
	@list=tests/phpt/accepted/$(PHP_SERIES)-rewind; \
	[ -e $$list ] || { echo "NOT RUN: which tests differ with rewind is not known of PHP $(PHP_SERIES): $$list is missing"; exit; }; \
	$(PHPT) --rewind=$(or $(SEED),$$RANDOM) --report=$(BUILD)/phpt/rewind.json
