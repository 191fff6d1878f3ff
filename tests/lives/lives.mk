# The lives of realms and pools, at random: the engine checks its rules meanwhile.

WALK := $(BUILD)/lives/walk
TEST_PROGRAMS += $(WALK)

$(WALK): $(call object,tests/lives/walk.c) $(HOWDAH_ARCHIVE)
	@mkdir -p $(@D)
	$(call quietly,LD)
	$(Q)$(CC) $(LDFLAGS) -rdynamic -Wl,--wrap=howdah_loop_now_us $^ $(HOWDAH_LIBS) -o $@

# 80 rounds of random lives: some 15 s.
.PHONY: test-lives
test-lives: $(WALK) $(EXTENSIONS) tests/tools/vendor/autoload.php
	@HOWDAH_BUILD=$(BUILD) $(PHPUNIT) --configuration tests/lives/phpunit.xml --testsuite walk

# Builds the walk with each legal move taken away, and each counter off by one: some 4 minutes.
.PHONY: test-mutants
test-mutants: $(WALK) $(EXTENSIONS) tests/tools/vendor/autoload.php
	@HOWDAH_BUILD=$(BUILD) $(PHPUNIT) --configuration tests/lives/phpunit.xml --testsuite mutants

# For MutantTest.php: the walk with one changed source, MUTANT, of the folder FOLDER; beside that source. The library's own object is not linked then.
.PHONY: lives-mutant
lives-mutant:
	@$(CC) $(CFLAGS) -w -iquote $(FOLDER) $(PHP_CFLAGS) -c $(MUTANT) -o $(MUTANT:.c=.o)
	@$(CC) $(LDFLAGS) -rdynamic -Wl,--wrap=howdah_loop_now_us $(call object,tests/lives/walk.c) $(MUTANT:.c=.o) $(LIBHOWDAH) $(HOWDAH_LIBS) -o $(dir $(MUTANT))walk
