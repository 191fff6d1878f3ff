# Debian's own PHP applications, unchanged, under Howdah and under php-fpm.

.PHONY: test-applications
test-applications: compile tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/applications/phpunit.xml
