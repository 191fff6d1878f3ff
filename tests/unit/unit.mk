# Unit tests in C (cmocka), one program per part of the engine.

UNIT_PROGRAMS += $(BUILD)/unit/check_test $(BUILD)/unit/code_test $(BUILD)/unit/hidden_test $(BUILD)/unit/image_test $(BUILD)/unit/limit_test $(BUILD)/unit/local_test $(BUILD)/unit/environment_test $(BUILD)/unit/policy_test $(BUILD)/unit/poll_test $(BUILD)/unit/stack_test $(BUILD)/unit/wait_test $(BUILD)/unit/written_test

$(BUILD)/unit/hidden_test: $(call object,tests/unit/hidden_test.c engine/state/loaded.c engine/state/segments.c engine/state/audit/objects.c engine/state/audit/shared.c $(wildcard engine/state/hidden/*.c))
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -lphp$(PHP_SERIES) -ldl -o $@

$(BUILD)/unit/check_test: $(call object,tests/unit/check_test.c engine/check.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

$(BUILD)/unit/code_test: $(call object,tests/unit/code_test.c engine/state/loaded.c engine/state/segments.c engine/state/extensions/code.c engine/state/extensions/instruction.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -lphp$(PHP_SERIES) $(ZYDIS) -o $@

$(BUILD)/unit/limit_test: $(call object,tests/unit/limit_test.c engine/realm/limit.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -lm -o $@

$(BUILD)/unit/local_test: $(call object,tests/unit/local_test.c engine/hooks/local.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

$(BUILD)/unit/image_test: $(call object,tests/unit/image_test.c engine/state/image.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

$(BUILD)/unit/environment_test: $(call object,tests/unit/environment_test.c engine/state/process/environment.c engine/state/process/retired.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -lpthread -o $@

$(BUILD)/unit/stack_test: $(call object,tests/unit/stack_test.c engine/coroutine/stack.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

# The policy itself is included: each act is taken away from it.
$(BUILD)/unit/policy_test: $(call object,tests/unit/policy_test.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

$(BUILD)/unit/poll_test: $(call object,tests/unit/poll_test.c engine/hooks/poll.c engine/hooks/originals.c engine/hooks/duration.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

$(BUILD)/unit/wait_test: $(call object,tests/unit/wait_test.c engine/coroutine/wait.c engine/hooks/pause.c engine/hooks/duration.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@

$(BUILD)/unit/written_test: $(call object,tests/unit/written_test.c engine/state/written.c)
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) $^ -lcmocka -o $@
