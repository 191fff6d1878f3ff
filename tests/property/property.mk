# Random walks over every kind of state, in 16 realms at once.

.PHONY: test-property
test-property: $(RUNNER) tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/property/phpunit.xml
