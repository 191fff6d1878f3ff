/* The runner's command line: one row for each option, from which reading, limits and --help all come. */
#include "count.h"
#include "runner.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
  NUMBER,        /* unsigned, between low and high */
  LONG_NUMBER,   /* uint64_t, likewise */
  TEXT,          /* const char *: the argument itself */
  OPTIONAL_TEXT, /* the same, "" where there is none */
  FLAG,          /* bool */
  LINES,         /* char *: one more line for each use */
  PAIRS,         /* the same, NAME=VALUE only */
  MODE,          /* howdah_mode */
  HELP
} option_kind;

typedef struct {
  const char *name;
  const char *argument; /* as --help shows it; NULL: none */
  option_kind kind;
  size_t field; /* of runner_options */
  unsigned long low, high;
  const char *meaning; /* "\n" in it begins a line below */
} option_row;

#define FIELD(name) offsetof(runner_options, name)

static const option_row rows[] = {
    {"mode", "classic|worker", MODE, FIELD(mode), 0, 0, "default classic"},
    {"realms", "N", NUMBER, FIELD(realms), 1, 10000, "realms at most (16)"},
    {"adaptive", "MIN", NUMBER, FIELD(adaptive_least), 0, 10000,
     "how many of them serve at once is found out, from so many on (0: all)"},
    {"warm", "N", NUMBER, FIELD(warm), 0, 10000, "realms born at start (0)"},
    {"requests", "N", NUMBER, FIELD(requests), 0, UINT_MAX, "requests in all (1)"},
    {"at-once", "N", NUMBER, FIELD(at_once), 1, 100000, "under way at a time (1)"},
    {"max-requests", "N", LONG_NUMBER, FIELD(requests_max), 0, ULONG_MAX, "a realm is replaced after so many (0: never)"},
    {"rewind", NULL, FLAG, FIELD(rewinds), 0, 0, "worker mode: each request finds the application as it had booted"},
    {"rewind-without", "PART", LINES, FIELD(rewind_without), 0, 0,
     "do not put back a part of it, or a state block (tests must fail then); may be repeated"},
    {"queue", "N", NUMBER, FIELD(queue), 0, UINT_MAX, "requests that may wait for a realm (100000)"},
    {"queue-timeout", "MS", NUMBER, FIELD(queue_timeout_ms), 0, UINT_MAX, "and for how long (0: no limit)"},
    {"request-timeout", "MS", NUMBER, FIELD(request_timeout_ms), 0, UINT_MAX,
     "a request that takes longer is ended (0: no limit)"},
    {"idle-timeout", "MS", NUMBER, FIELD(idle_timeout_ms), 0, UINT_MAX,
     "realms that are idle for so long end, but for the warm ones (0: never)"},
    {"boot-timeout", "MS", NUMBER, FIELD(boot_timeout_ms), 0, UINT_MAX,
     "worker mode: a boot that takes longer is ended, and has failed (0: no limit)"},
    {"realm-memory", "MB", NUMBER, FIELD(realm_memory_mb), 0, 1 << 20, "a realm with a larger heap is replaced (0: never)"},
    {"worker-memory", "MB", NUMBER, FIELD(worker_memory_mb), 0, 1 << 20,
     "above it idle realms end, and none is born (0: no ceiling)"},
    {"path", "TEXT", TEXT, FIELD(path), 0, 0, "path of the request (/)"},
    {"query", "TEXT", TEXT, FIELD(query), 0, 0, "query string; %d in it is the request's number"},
    {"method", "NAME", TEXT, FIELD(method), 0, 0, "method of the request (GET)"},
    {"body", "TEXT", TEXT, FIELD(body), 0, 0, "its body (%d as above)"},
    {"content-type", "TYPE", TEXT, FIELD(content_type), 0, 0, "and what that is"},
    {"cookie", "TEXT", TEXT, FIELD(cookie), 0, 0, "its cookies (%d as above)"},
    {"header", "HTTP_X=TEXT", PAIRS, FIELD(headers), 0, 0, "one more CGI variable (%d as above); may be repeated"},
    {"ini", "KEY=VALUE", PAIRS, FIELD(ini), 0, 0, "over php.ini; may be repeated"},
    {"expect", "TEXT", TEXT, FIELD(expect), 0, 0, "each body must be this (%d as above); ends with 1 if one is not"},
    {"expect-part", "TEXT", TEXT, FIELD(expect_part), 0, 0,
     "each body must contain this (%d as above); ends with 1 if one does not"},
    {"head", NULL, FLAG, FIELD(print_head), 0, 0, "print status and headers too"},
    {"quiet", NULL, FLAG, FIELD(quiet), 0, 0, "print no bodies"},
    {"memory", NULL, FLAG, FIELD(memory), 0, 0,
     "print resident memory after 1 % of the requests and at the end, and what --warm realms cost"},
    {"count", "N", NUMBER, FIELD(counted), 0, UINT_MAX,
     "let callgrind (--instr-atstart=no) count the last N requests, and nothing else"},
    {"blocks", NULL, FLAG, FIELD(blocks), 0, 0, "print the state blocks and end"},
    {"chaos", "SEED", LONG_NUMBER, FIELD(chaos_seed), 1, ULONG_MAX, "realms yield where they need not"},
    {"slice", "MS", NUMBER, FIELD(slice_ms), 0, 10000, "who computes for so long yields (10; 0: never)"},
    {"audit", "FILE", OPTIONAL_TEXT, FIELD(audit), 0, 0,
     "tell which memory changed that no state block holds, as JSON in FILE;\nends with 3 if nothing explains some of it"},
    {"extensions", NULL, FLAG, FIELD(extensions), 0, 0,
     "print as JSON what is thought of each PHP extension and end;\nends with 1 if one would be refused"},
    {"php-ini", "FOLDER", TEXT, FIELD(php_ini), 0, 0, "its php.ini and conf.d in the place of the embed SAPI's"},
    {"shared-extension", "NAME", LINES, FIELD(shared_extensions), 0, 0,
     "an extension that Howdah does not know may be shared by all requests; may be repeated"},
    {"know-none", NULL, FLAG, FIELD(know_none), 0, 0, "test mode: judge each extension as if it were not known"},
    {"without-block", "NAME", TEXT, FIELD(without_block), 0, 0, "leave a state block shared (tests must fail then)"},
    {"watch", NULL, FLAG, FIELD(watch), 0, 0,
     "SCRIPT is a folder: tell what changes below it, a line each (\"C PATH\"),\nand signal the parent (SIGUSR2) after each; "
     "runs nothing"},
    {"poll", NULL, FLAG, FIELD(poll), 0, 0, "do so without inotify"},
    {"ignore", "NAME", LINES, FIELD(ignored), 0, 0,
     "leave out folders of that name, or /PATH below the folder; may be repeated"},
    {"help", NULL, HELP, 0, 0, 0, "print this and end"},
};

enum { ROWS = sizeof rows / sizeof *rows, MEANING_COLUMN = 26 };

static void print_help(void) {
  puts("usage: howdah-run [options] SCRIPT\n"
       "Runs requests in realms without nginx, and prints their bodies in the order in which they finish.\n");
  for (const option_row *row = rows; row < rows + ROWS; row++) {
    const char *format = row->kind == OPTIONAL_TEXT ? "  --%s[=%s]" : row->argument ? "  --%s=%s" : "  --%s%s";
    int column = printf(format, row->name, row->argument ? row->argument : "");
    const char *line = row->meaning, *end;
    printf("%*s", column < MEANING_COLUMN ? MEANING_COLUMN - column : 1, "");
    while ((end = strchr(line, '\n'))) {
      printf("%.*s\n%*s", (int)(end - line), line, MEANING_COLUMN, "");
      line = end + 1;
    }
    puts(line);
  }
}

static int number(const option_row *row, const char *text, unsigned long *value) {
  char *end;
  errno = 0;
  *value = strtoul(text, &end, 10);
  if (errno || !*text || *end || *text == '-' || *value < row->low || *value > row->high) {
    fprintf(stderr, "howdah-run: --%s=%s: a number from %lu to %lu is needed\n", row->name, text, row->low, row->high);
    return -1;
  }
  return 0;
}

static int add_line(const option_row *row, char **lines, const char *line) {
  size_t old = *lines ? strlen(*lines) : 0;
  char *longer = realloc(*lines, old + strlen(line) + 2);
  if (!longer) {
    fprintf(stderr, "howdah-run: out of memory for --%s=%s\n", row->name, line);
    return -1;
  }
  sprintf(longer + old, "%s\n", line);
  *lines = longer;
  return 0;
}

static int add_pair(const option_row *row, char **lines, const char *pair) {
  if (strchr(pair, '=')) return add_line(row, lines, pair);
  fprintf(stderr, "howdah-run: --%s=%s: NAME=VALUE is needed\n", row->name, pair);
  return -1;
}

static int read_mode(const option_row *row, const char *text, howdah_mode *mode) {
  if (strcmp(text, "classic") != 0 && strcmp(text, "worker") != 0) {
    fprintf(stderr, "howdah-run: --%s=%s: classic or worker is needed\n", row->name, text);
    return -1;
  }
  *mode = strcmp(text, "worker") == 0 ? HOWDAH_WORKER : HOWDAH_CLASSIC;
  return 0;
}

/* 0; 1 for "done, end well"; -1 after a message. */
static int read_one(const option_row *row, const char *text, runner_options *options) {
  void *field = (char *)options + row->field;
  unsigned long value;
  switch (row->kind) {
  case NUMBER:
    if (number(row, text, &value)) return -1;
    *(unsigned *)field = (unsigned)value;
    break;
  case LONG_NUMBER:
    if (number(row, text, &value)) return -1;
    *(uint64_t *)field = value;
    break;
  case TEXT:
    *(const char **)field = text;
    break;
  case OPTIONAL_TEXT:
    *(const char **)field = text ? text : "";
    break;
  case FLAG:
    *(bool *)field = true;
    break;
  case LINES:
    return add_line(row, field, text);
  case PAIRS:
    return add_pair(row, field, text);
  case MODE:
    return read_mode(row, text, field);
  case HELP:
    print_help();
    return 1;
  }
  return 0;
}

int runner_options_read(int argc, char **argv, runner_options *options) {
  *options = (runner_options){.realms = 16,
                              .slice_ms = 10,
                              .requests = 1,
                              .at_once = 1,
                              .queue = 100000,
                              .path = "/",
                              .query = "",
                              .method = "GET",
                              .body = "",
                              .content_type = "",
                              .cookie = ""};
  struct option known[ROWS + 1] = {{NULL, 0, NULL, 0}};
  for (int i = 0; i < ROWS; i++) {
    int wanted = rows[i].kind == OPTIONAL_TEXT ? optional_argument : rows[i].argument ? required_argument : no_argument;
    known[i] = (struct option){.name = rows[i].name, .has_arg = wanted, .val = i};
  }
  int option;
  while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
    int done = option < ROWS ? read_one(rows + option, optarg, options) : -1; /* '?' after getopt's own message */
    if (done) return done;
  }
  if (options->blocks || options->extensions) return 0;
  if (optind != argc - 1) {
    fputs("howdah-run: one SCRIPT is needed; see howdah-run --help\n", stderr);
    return -1;
  }
  options->script = realpath(argv[optind], NULL);
  if (!options->script) {
    fprintf(stderr, "howdah-run: %s: %s; name a PHP file that can be read\n", argv[optind], strerror(errno));
    return -1;
  }
  if (options->warm > options->realms) options->warm = options->realms;
  if (options->counted && !runner_can_count()) {
    fputs("howdah-run: --count: this was built without valgrind's headers: install valgrind and build anew\n", stderr);
    return -1;
  }
  if (options->counted > options->requests) options->counted = options->requests;
  return 0;
}
