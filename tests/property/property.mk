# Random walks over every kind of state, in 16 realms at once.

.PHONY: test-property
test-property: $(RUNNER) tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/property/phpunit.xml

SOAKS += test-property-long

# Four times the steps.
.PHONY: test-property-long
test-property-long: $(RUNNER) tests/tools/vendor/autoload.php
	@HOWDAH_LONG=1 $(PHPUNIT) --configuration tests/property/phpunit.xml --filter '/each_realm_finds/'
