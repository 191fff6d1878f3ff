# The examples under the hammer; HOWDAH_HAMMER_REQUESTS=500 for a quick look.

TESTS += test-frameworks

.PHONY: test-frameworks
test-frameworks: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/frameworks/phpunit.xml --testdox
