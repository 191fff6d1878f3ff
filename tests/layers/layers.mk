# Which files of engine/ include which. Less than a second.

.PHONY: check-layers
check-layers: tests/tools/vendor/autoload.php
	@tests/layers/check
	@$(PHPUNIT) --configuration tests/layers/phpunit.xml
