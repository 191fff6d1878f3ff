# Every way to wait, on real components: databases, caches, servers that are slow.

TESTS += test-waiting

.PHONY: test-waiting
test-waiting: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/waiting/phpunit.xml
