# Sessions, in all ways to keep them.

TESTS += test-sessions
SOAKS += test-sessions-long

.PHONY: test-sessions
test-sessions: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/sessions/phpunit.xml

.PHONY: test-sessions-long
test-sessions-long: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@HOWDAH_LONG=1 $(PHPUNIT) --configuration tests/sessions/phpunit.xml --filter /CrowdTest::/
