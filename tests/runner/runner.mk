# tests/run itself: what it tries again, and what it tells at the end.

.PHONY: test-run
test-run: tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/runner/phpunit.xml
