# PHP in the place of the upstreams of nginx's own tests.

.PHONY: test-upstream
test-upstream: compile tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/upstream/phpunit.xml
