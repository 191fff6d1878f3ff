# Every way to wait, on real components: databases, caches, servers that are slow.

.PHONY: test-waiting
test-waiting: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php \
  tests/waiting/app/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/waiting/phpunit.xml

# In the root of another release: what its C library makes of names, users and numbers; no database, and none of the client libraries.
.PHONY: test-waiting-other
test-waiting-other: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/waiting/phpunit.xml $(OTHER_GROUP)

# The client libraries that rows use.
tests/waiting/app/vendor/autoload.php: tests/waiting/app/composer.json tests/waiting/app/composer.versions
	packaging/composer tests/waiting/app
