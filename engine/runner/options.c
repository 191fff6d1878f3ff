/* The runner's command line. */
#include "runner.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: howdah-run [options] SCRIPT\n"
    "Runs requests in realms without nginx, and prints their bodies in the order in which they finish.\n\n"
    "  --mode=classic|worker   default classic\n"
    "  --realms=N              realms at most (16)\n"
    "  --adaptive=MIN          how many of them serve at once is found out, from so many on (0: all)\n"
    "  --warm=N                realms born at start (0)\n"
    "  --requests=N            requests in all (1)\n"
    "  --at-once=N             under way at a time (1)\n"
    "  --max-requests=N        a realm is replaced after so many (0: never)\n"
    "  --queue=N               requests that may wait for a realm (100000)\n"
    "  --queue-timeout=MS      and for how long (0: no limit)\n"
    "  --request-timeout=MS    a request that takes longer is ended (0: no limit)\n"
    "  --idle-timeout=MS       realms that are idle for so long end, but for the warm ones (0: never)\n"
    "  --realm-memory=MB       a realm with a larger heap is replaced (0: never)\n"
    "  --worker-memory=MB      above it idle realms end, and none is born (0: no ceiling)\n"
    "  --path=/                path of the request\n"
    "  --query=TEXT            query string; %d in it is the request's number\n"
    "  --method=GET --body=TEXT --content-type=TYPE --cookie=TEXT\n"
    "  --header=HTTP_X=TEXT    one more CGI variable (%d as above, also in body and cookie); may be repeated\n"
    "  --ini=KEY=VALUE         over php.ini; may be repeated\n"
    "  --expect=TEXT           each body must be this (%d as above); ends with 1 if one is not\n"
    "  --expect-part=TEXT      each body must contain this (%d as above); ends with 1 if one does not\n"
    "  --head                  print status and headers too\n"
    "  --quiet                 print no bodies\n"
    "  --memory                print resident memory after 1 % of the requests and at the end, and what --warm realms cost\n"
    "  --blocks                print the state blocks and end\n"
    "  --chaos=SEED            realms yield where they need not\n"
    "  --slice=MS              who computes for so long yields (10; 0: never)\n"
    "  --audit[=FILE]          tell which memory changed that no state block holds, as JSON in FILE; ends with 3 if there is "
    "some\n"
    "                          that nothing explains\n"
    "  --extensions            print as JSON what is thought of each PHP extension and end; ends with 1 if one would be "
    "refused\n"
    "  --php-ini=FOLDER        its php.ini and conf.d in the place of the embed SAPI's\n"
    "  --shared-extension=NAME an extension that Howdah does not know may be shared by all requests; may be repeated\n"
    "  --know-none             test mode: judge each extension as if it were not known\n"
    "  --without-block=NAME    leave a state block shared (tests must fail then)\n";

static int number(const char *name, const char *text, unsigned long low, unsigned long high, unsigned long *value) {
  char *end;
  errno = 0;
  *value = strtoul(text, &end, 10);
  if (errno || !*text || *end || *text == '-' || *value < low || *value > high) {
    fprintf(stderr, "howdah-run: --%s=%s: a number from %lu to %lu is needed\n", name, text, low, high);
    return -1;
  }
  return 0;
}

static int add_line(char **lines, const char *name, const char *line) {
  size_t old = *lines ? strlen(*lines) : 0;
  char *longer = realloc(*lines, old + strlen(line) + 2);
  if (!longer) {
    fprintf(stderr, "howdah-run: out of memory for --%s=%s\n", name, line);
    return -1;
  }
  sprintf(longer + old, "%s\n", line);
  *lines = longer;
  return 0;
}

static int add_pair(char **lines, const char *name, const char *pair) {
  if (strchr(pair, '=')) return add_line(lines, name, pair);
  fprintf(stderr, "howdah-run: --%s=%s: NAME=VALUE is needed\n", name, pair);
  return -1;
}

enum {
  MODE,
  REALMS,
  ADAPTIVE,
  WARM,
  REQUESTS,
  AT_ONCE,
  MAX_REQUESTS,
  QUEUE,
  QUEUE_TIMEOUT,
  REQUEST_TIMEOUT,
  IDLE_TIMEOUT,
  REALM_MEMORY,
  WORKER_MEMORY,
  PATH,
  QUERY,
  METHOD,
  BODY,
  CONTENT_TYPE,
  COOKIE,
  INI,
  EXPECT,
  EXPECT_PART,
  HEADER,
  HEAD,
  QUIET,
  MEMORY,
  BLOCKS,
  CHAOS,
  SLICE,
  WITHOUT_BLOCK,
  AUDIT,
  EXTENSIONS,
  SHARED_EXTENSION,
  PHP_INI,
  KNOW_NONE,
  HELP
};

static const struct option known[] = {{"mode", required_argument, NULL, MODE},
                                      {"realms", required_argument, NULL, REALMS},
                                      {"adaptive", required_argument, NULL, ADAPTIVE},
                                      {"warm", required_argument, NULL, WARM},
                                      {"requests", required_argument, NULL, REQUESTS},
                                      {"at-once", required_argument, NULL, AT_ONCE},
                                      {"max-requests", required_argument, NULL, MAX_REQUESTS},
                                      {"queue", required_argument, NULL, QUEUE},
                                      {"queue-timeout", required_argument, NULL, QUEUE_TIMEOUT},
                                      {"request-timeout", required_argument, NULL, REQUEST_TIMEOUT},
                                      {"idle-timeout", required_argument, NULL, IDLE_TIMEOUT},
                                      {"realm-memory", required_argument, NULL, REALM_MEMORY},
                                      {"worker-memory", required_argument, NULL, WORKER_MEMORY},
                                      {"path", required_argument, NULL, PATH},
                                      {"query", required_argument, NULL, QUERY},
                                      {"method", required_argument, NULL, METHOD},
                                      {"body", required_argument, NULL, BODY},
                                      {"content-type", required_argument, NULL, CONTENT_TYPE},
                                      {"cookie", required_argument, NULL, COOKIE},
                                      {"ini", required_argument, NULL, INI},
                                      {"expect", required_argument, NULL, EXPECT},
                                      {"expect-part", required_argument, NULL, EXPECT_PART},
                                      {"header", required_argument, NULL, HEADER},
                                      {"head", no_argument, NULL, HEAD},
                                      {"quiet", no_argument, NULL, QUIET},
                                      {"memory", no_argument, NULL, MEMORY},
                                      {"blocks", no_argument, NULL, BLOCKS},
                                      {"chaos", required_argument, NULL, CHAOS},
                                      {"slice", required_argument, NULL, SLICE},
                                      {"without-block", required_argument, NULL, WITHOUT_BLOCK},
                                      {"audit", optional_argument, NULL, AUDIT},
                                      {"extensions", no_argument, NULL, EXTENSIONS},
                                      {"shared-extension", required_argument, NULL, SHARED_EXTENSION},
                                      {"php-ini", required_argument, NULL, PHP_INI},
                                      {"know-none", no_argument, NULL, KNOW_NONE},
                                      {"help", no_argument, NULL, HELP},
                                      {NULL, 0, NULL, 0}};

static int read_one(int option, int index, runner_options *options) {
  const char *name = known[index].name;
  unsigned long value = 0;
  int bad = 0;
  switch (option) {
  case MODE:
    if (strcmp(optarg, "classic") != 0 && strcmp(optarg, "worker") != 0) {
      fprintf(stderr, "howdah-run: --mode=%s: classic or worker is needed\n", optarg);
      return -1;
    }
    options->mode = strcmp(optarg, "worker") == 0 ? HOWDAH_WORKER : HOWDAH_CLASSIC;
    break;
  case REALMS:
    bad = number(name, optarg, 1, 10000, &value), options->realms = (unsigned)value;
    break;
  case ADAPTIVE:
    bad = number(name, optarg, 0, 10000, &value), options->adaptive_least = (unsigned)value;
    break;
  case WARM:
    bad = number(name, optarg, 0, 10000, &value), options->warm = (unsigned)value;
    break;
  case REQUESTS:
    bad = number(name, optarg, 0, UINT_MAX, &value), options->requests = (unsigned)value;
    break;
  case AT_ONCE:
    bad = number(name, optarg, 1, 100000, &value), options->at_once = (unsigned)value;
    break;
  case MAX_REQUESTS:
    bad = number(name, optarg, 0, ULONG_MAX, &value), options->requests_max = value;
    break;
  case QUEUE:
    bad = number(name, optarg, 0, UINT_MAX, &value), options->queue = (unsigned)value;
    break;
  case IDLE_TIMEOUT:
    bad = number(name, optarg, 0, UINT_MAX, &value), options->idle_timeout_ms = (unsigned)value;
    break;
  case REALM_MEMORY:
    bad = number(name, optarg, 0, 1 << 20, &value), options->realm_memory_mb = (unsigned)value;
    break;
  case WORKER_MEMORY:
    bad = number(name, optarg, 0, 1 << 20, &value), options->worker_memory_mb = (unsigned)value;
    break;
  case QUEUE_TIMEOUT:
    bad = number(name, optarg, 0, UINT_MAX, &value), options->queue_timeout_ms = (unsigned)value;
    break;
  case REQUEST_TIMEOUT:
    bad = number(name, optarg, 0, UINT_MAX, &value), options->request_timeout_ms = (unsigned)value;
    break;
  case CHAOS:
    bad = number(name, optarg, 1, ULONG_MAX, &value), options->chaos_seed = value;
    break;
  case PATH:
    options->path = optarg;
    break;
  case SLICE:
    bad = number(name, optarg, 0, 10000, &value), options->slice_ms = (unsigned)value;
    break;
  case QUERY:
    options->query = optarg;
    break;
  case METHOD:
    options->method = optarg;
    break;
  case BODY:
    options->body = optarg;
    break;
  case CONTENT_TYPE:
    options->content_type = optarg;
    break;
  case COOKIE:
    options->cookie = optarg;
    break;
  case INI:
    return add_pair(&options->ini, name, optarg);
  case EXPECT:
    options->expect = optarg;
    break;
  case EXPECT_PART:
    options->expect_part = optarg;
    break;
  case HEADER:
    return add_pair(&options->headers, name, optarg);
  case HEAD:
    options->print_head = true;
    break;
  case QUIET:
    options->quiet = true;
    break;
  case MEMORY:
    options->memory = true;
    break;
  case BLOCKS:
    options->blocks = true;
    break;
  case WITHOUT_BLOCK:
    options->without_block = optarg;
    break;
  case AUDIT:
    options->audit = optarg ? optarg : "";
    break;
  case EXTENSIONS:
    options->extensions = true;
    break;
  case PHP_INI:
    options->php_ini = optarg;
    break;
  case SHARED_EXTENSION:
    return add_line(&options->shared_extensions, name, optarg);
  case KNOW_NONE:
    options->know_none = true;
    break;
  case HELP:
    fputs(help, stdout);
    return 1;
  default:
    return -1;
  }
  return bad;
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
  int option, index = 0;
  while ((option = getopt_long(argc, argv, "", known, &index)) != -1) {
    int done = read_one(option, index, options);
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
  return 0;
}
