# What a test cannot take away from this machine, for tests/http: what watches files (DevelopmentTest), memory (RelapseTest).
LIMITS := $(patsubst tests/http/limits/%.c,$(BUILD)/%-limits.so,$(wildcard tests/http/limits/*.c))
TEST_PROGRAMS += $(LIMITS)

$(LIMITS): $(BUILD)/%-limits.so: tests/http/limits/%.c
	@mkdir -p $(@D)
	$(call quietly,CC)
	$(Q)$(CC) -std=gnu11 -O2 -g -Wall -Wextra $(if $(STRICT),-Werror) -fPIC -shared -D_GNU_SOURCE $< -ldl -o $@
