# A kernel that has no more of what watches files, for tests/http/DevelopmentTest.php.
INOTIFY_LIMITS := $(BUILD)/inotify-limits.so
TEST_PROGRAMS += $(INOTIFY_LIMITS)

$(INOTIFY_LIMITS): tests/http/limits/inotify.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -shared -D_GNU_SOURCE $< -ldl -o $@
