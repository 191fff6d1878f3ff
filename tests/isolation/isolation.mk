# The probe's own tests: it must be right alone, and notice shared state.

.PHONY: test-probe
test-probe: tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/isolation/phpunit.xml
