# Real clients: curl, Chromium, h2load, a raw socket.

.PHONY: test-clients
test-clients: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/clients/phpunit.xml
