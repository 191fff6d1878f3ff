# Which files of engine/ include and call which (docs/architecture.md has the picture), and that replacements have the types of their functions. Two seconds.

LAYERS_OBJECTS := $(call object,$(ENGINE_SOURCES) $(RUNNER_SOURCES))

.PHONY: check-layers
check-layers: $(LAYERS_OBJECTS) tests/tools/vendor/autoload.php
	@tests/layers/check $(LAYERS_OBJECTS)
	@tests/layers/draw --check
	@CC='$(CC)' CFLAGS='$(CFLAGS) $(ENGINE_CFLAGS)' $(PHPUNIT) --configuration tests/layers/phpunit.xml
