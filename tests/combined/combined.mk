# nginx as its users have it, sanitized where Debian's source can be had: with all modules, and with clients that break off.

.PHONY: test-combined
test-combined: sanitized
	@$(PHPUNIT) --configuration tests/combined/phpunit.xml
