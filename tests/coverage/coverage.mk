# How much of nginx/ test-http reaches: `make coverage`.

COVERAGE := build/coverage

# nginx's part alone counts; the engine is the usual one. Workers of another user write their counts, too.
.PHONY: coverage-module
coverage-module: compile
	@mkdir -p $(COVERAGE)/nginx
	@$(SUBMAKE) -j$$(nproc) BUILD=$(COVERAGE) HOWDAH_ARCHIVE=$(LIBHOWDAH) NGINX_TREE=$(NGINX_TREE) NGINX_CONFIGURED=$(NGINX_CONFIGURED) \
	  EXTRA_CFLAGS='-Og --coverage -fprofile-update=atomic' LDFLAGS=--coverage $(COVERAGE)/ngx_http_howdah_module.so >$(COVERAGE).log 2>&1 || \
	  { cat $(COVERAGE).log; false; }
	@ln -sf ../howdah-run $(COVERAGE)/howdah-run
	@find $(COVERAGE) -name '*.gcda' -delete
	@chmod a+rwx $(COVERAGE)/obj/nginx

.PHONY: coverage
coverage: ## run test-http and tell by file which lines and branches of nginx/ it reached
	@HOWDAH_COVERAGE=1 $(SUBMAKE) test-http
