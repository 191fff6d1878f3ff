# The bench itself: that it believes no figure of a server that answers wrongly, loses something or dies.

.PHONY: test-bench
test-bench: cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/bench/phpunit.xml
