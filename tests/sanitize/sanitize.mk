# nginx and the module under AddressSanitizer and UndefinedBehaviorSanitizer; coverage of the module.

SANITIZED := build/sanitized
SANITIZED_NGINX := $(SANITIZED)/bin/nginx
SANITIZED_PIECES := $(patsubst %.c,$(SANITIZED)/pieces/%.o,dlopen.c options.c reached.c)

$(SANITIZED)/pieces/%.o: tests/sanitize/%.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -D_GNU_SOURCE -c $< -o $@

# Once for each version of nginx. What cannot be downloaded is no failure: those who need it look whether it is there.
.PHONY: sanitized-nginx
sanitized-nginx: $(SANITIZED_PIECES)
	@if [ "$$(cat $(SANITIZED)/built 2>/dev/null)" = "$$($(NGINX_BINARY) -V 2>&1 | cksum) $$(cat tests/sanitize/{nginx,*.c} | cksum)" ]; then exit; fi; \
	rm -f $(SANITIZED_NGINX) $(SANITIZED)/built; status=0; tests/sanitize/nginx $(SANITIZED) $(SANITIZED_PIECES) || status=$$?; \
	if [ $$status -eq 69 ]; then echo "sanitized-nginx: no mirror of this machine holds nginx's source: the packaged nginx is tested, with our module sanitized"; exit; fi; \
	[ $$status -eq 0 ] || exit $$status; \
	echo "$$($(NGINX_BINARY) -V 2>&1 | cksum) $$(cat tests/sanitize/{nginx,*.c} | cksum)" > $(SANITIZED)/built

# The module, which tells what it reaches, and for an nginx that is not sanitized what has to be preloaded. Two suites may ask for it at once.
# Not optimized it is compiled in half of the time, and the sanitizers look at no less. NULL needs no check of its own: who reads or writes there is
# ended by the processor, and AddressSanitizer says where.
.PHONY: sanitized
sanitized: compile cli/vendor/autoload.php tests/tools/vendor/autoload.php
	@mkdir -p $(SANITIZED)
	@flock $(SANITIZED)/lock $(SUBMAKE) sanitized-build

.PHONY: sanitized-build
sanitized-build: sanitized-nginx $(SANITIZED)/preload.so
	@$(SUBMAKE) -j$$(nproc) SANITIZE=address,undefined BUILD=$(SANITIZED) EXTRA_CFLAGS='-fsanitize-coverage=trace-pc -fno-sanitize=null -O0 -g1' \
	  $(SANITIZED)/ngx_http_howdah_module.so >$(SANITIZED)/log 2>&1 || { cat $(SANITIZED)/log; false; }
	@ln -sf ../howdah-run $(SANITIZED)/howdah-run

$(SANITIZED)/preload.so: $(SANITIZED)/pieces/dlopen.o $(SANITIZED)/pieces/reached.o
	$(call quietly,LD)
	$(Q)$(CC) -shared $^ -o $@
