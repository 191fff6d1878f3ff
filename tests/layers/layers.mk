# Which files of engine/ include which (docs/architecture.md has the picture), and that replacements have the types of their functions. Two seconds.

.PHONY: check-layers
check-layers: tests/tools/vendor/autoload.php
	@tests/layers/check
	@tests/layers/draw --check
	@CC='$(CC)' CFLAGS='$(CFLAGS) $(ENGINE_CFLAGS)' $(PHPUNIT) --configuration tests/layers/phpunit.xml
