# The examples under the hammer: 2,000 requests each, 10,000 in `make test-long`; HOWDAH_HAMMER_REQUESTS=500 for a quick look.

TESTS += test-frameworks

.PHONY: test-frameworks
test-frameworks: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/frameworks/phpunit.xml --testdox

SOAKS += test-frameworks-long

.PHONY: test-frameworks-long
test-frameworks-long: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@HOWDAH_LONG=1 $(PHPUNIT) --configuration tests/frameworks/phpunit.xml --testdox --filter '/IsolationTest::/'
