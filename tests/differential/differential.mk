# The same raw requests to php-fpm behind nginx and to Howdah.

.PHONY: test-differential
test-differential: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@PHP_CONFIG=$(PHP_CONFIG) $(PHPUNIT) --configuration tests/differential/phpunit.xml
