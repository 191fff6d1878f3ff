# The engine on the epoll loop, driven by its runner.

# A library that blocks in every way (tests/engine/calls), for realms and for php-cli. Its symbols are exported, it is never sanitized
# (php-cli loads it, too), and it stays loaded: it has threads. By its name libc takes it for a source of users and groups, too (calls/users.c).
CALLS := build/calls.so
TEST_PROGRAMS += $(CALLS)

$(CALLS): $(wildcard tests/engine/calls/*.[ch])
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -shared -Wl,-z,nodelete,-soname,libnss_calls.so.2 -D_GNU_SOURCE $(filter %.c,$^) -lresolv -lpthread -o $@

# Another process that takes what a call was promised, a file at which who opens it crashes (tests/engine/thief); loaded before libc, so they are not
# sanitized either.
THIEF := build/thief.so build/trap.so
TEST_PROGRAMS += $(THIEF)

$(THIEF): build/%.so: tests/engine/thief/%.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra -Werror -fPIC -shared -D_GNU_SOURCE $< -ldl -o $@

# Extensions that Howdah does not know, each with state of another kind (tests/engine/extension).
EXTENSIONS := $(patsubst %,build/extension/%.so,counter exported made clean setting local lazy lmdb closing ending observer frames gnupg)
TEST_PROGRAMS += $(EXTENSIONS)

$(EXTENSIONS): build/extension/%.so: tests/engine/extension/%.c tests/engine/extension/extension.h
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -shared $(EXTENSION_LDFLAGS) $(PHP_CFLAGS) $< -o $@

build/extension/lazy.so: EXTENSION_LDFLAGS := -Wl,-z,lazy

# In two parts of about the same length, which run side by side: whose memory is whose, and all else. test-engine is both.
ENGINE_PARTS := test-engine-memory test-engine-requests
test-engine-memory: ENGINE_PART := --group memory
test-engine-requests: ENGINE_PART := --exclude-group memory

.PHONY: test-engine $(ENGINE_PARTS)
test-engine $(ENGINE_PARTS): $(RUNNER) $(CALLS) $(THIEF) $(EXTENSIONS) tests/tools/vendor/autoload.php
	@$(PHPUNIT) --configuration tests/engine/phpunit.xml $(ENGINE_PART)

# In the root of another release, where it is about PHP's and the C library's version: not what valgrind, memory, chaos, waits, lives, and requests
# that are ended tell, nor which parts rewind has; and it has no example for an application that is rewound.
.PHONY: test-engine-other
test-engine-other: $(RUNNER) $(CALLS) $(THIEF) $(EXTENSIONS) tests/tools/vendor/autoload.php
	@export HOWDAH_ONLY="$${HOWDAH_ONLY:-/^(?!.*((Memcheck|Memory|Chaos|Wait|Life|Cancel|RewindPart|RewindApplication)Test::|ThatDoesNotEndIsEnded))/}"; \
	$(PHPUNIT) --configuration tests/engine/phpunit.xml --exclude-group clock
