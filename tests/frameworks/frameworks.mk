# The examples under the hammer: 500 requests each, 10,000 in `make test-long`; HOWDAH_HAMMER_REQUESTS=500 for a quick look.

.PHONY: test-frameworks
test-frameworks: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/frameworks/phpunit.xml --testdox

