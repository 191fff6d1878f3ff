# The engine on the epoll loop, driven by its runner.

TESTS += test-engine

.PHONY: test-engine
test-engine: $(RUNNER) tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/engine/phpunit.xml
