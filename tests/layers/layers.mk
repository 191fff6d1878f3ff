# Which files of engine/ include which, and that replacements have the types of their functions. Two seconds.

.PHONY: check-layers
check-layers: tests/tools/vendor/autoload.php
	@tests/layers/check
	@CC='$(CC)' CFLAGS='$(CFLAGS) $(ENGINE_CFLAGS)' $(PHPUNIT) --configuration tests/layers/phpunit.xml
