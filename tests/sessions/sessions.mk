# Sessions, in all ways to keep them.

.PHONY: test-sessions
test-sessions: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/sessions/phpunit.xml
