/* howdah-run: the engine on the epoll loop, without nginx. */
#include "count.h"
#include "runner.h"

#include "state/audit/audit.h"
#include "state/image.h"
#include "state/extensions/extensions.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static void log_line(howdah_log_level level, const char *message, size_t len, howdah_request *request) {
  static const char *const names[] = {"error", "warning", "notice", "debug"};
  const struct iovec parts[] = {
      {"[", 1}, {(void *)names[level], strlen(names[level])}, {"] ", 2}, {(void *)message, len}, {"\n", 1}};
  (void)request;
  if (writev(STDERR_FILENO, parts, sizeof(parts) / sizeof(*parts)) < 0) return; /* there is nowhere to say it */
}

static void set(void *flag) {
  *(bool *)flag = true;
}

static void print_blocks(void) {
  size_t count;
  const howdah_block *blocks = howdah_blocks_all(&count);
  printf("%-34s %8s  %s\n", "state block", "bytes", "source");
  for (size_t i = 0; i < count; i++)
    printf("%-34s %8zu  %s\n", blocks[i].name, blocks[i].size, blocks[i].source);
  printf("%zu blocks, an image is %zu bytes\n", count, howdah_image_size());
}

static int print_extensions(void) {
  printf("{\n  \"format\": 1,\n  \"php\": \"%s\",\n  \"extensions\": ", howdah_engine_php_version());
  howdah_extensions_write(stdout);
  printf("\n}\n");
  return howdah_extensions_refused() ? 1 : 0;
}

static int turn(howdah_loop *loop) {
  if (howdah_epoll_loop_turn(loop, -1) == 0) return 0;
  fprintf(stderr, "howdah-run: the loop failed: %s\n", strerror(errno));
  return -1;
}

/* What the warm realms cost: births happen in the loop's first turn. */
static int measure_births(const runner_options *options, howdah_loop *loop) {
  long before_kb = runner_private_kb();
  uint64_t before_us = howdah_loop_now_us();
  if (turn(loop) < 0) return -1;
  printf("warm realms=%u us=%llu private_kb=%ld\n", options->warm, (unsigned long long)(howdah_loop_now_us() - before_us),
         runner_private_kb() - before_kb);
  return 0;
}

static int serve(const runner_options *options, howdah_loop *loop) {
  char error[512];
  howdah_pool_options pool_options = {.mode = options->mode,
                                      .script = options->mode == HOWDAH_WORKER ? options->script : NULL,
                                      .document_root = "",
                                      .realms_max = options->realms,
                                      .realms_warm = options->warm,
                                      .adaptive_least = options->adaptive_least,
                                      .queue_max = options->queue,
                                      .queue_timeout_ms = options->queue_timeout_ms,
                                      .request_timeout_ms = options->request_timeout_ms,
                                      .idle_timeout_ms = options->idle_timeout_ms,
                                      .boot_timeout_ms = options->boot_timeout_ms,
                                      .requests_max = options->requests_max,
                                      .realm_memory = (uint64_t)options->realm_memory_mb << 20,
                                      .rewinds = options->rewinds,
                                      .rewind_without = options->rewind_without};
  runner_client client = {.options = options};
  howdah_pools_limit_memory((uint64_t)options->worker_memory_mb << 20);
  client.pool = howdah_pool_new(&pool_options, error, sizeof(error));
  if (!client.pool) {
    fprintf(stderr, "%s\n", error);
    return -1;
  }
  if (options->warm && options->memory && measure_births(options, loop) < 0) return -1;
  while (client.finished < options->requests) {
    runner_client_fill(&client);
    if (client.finished < options->requests && turn(loop) < 0) return -1;
  }
  if (options->counted) runner_count_ends();
  howdah_pool_stats stats;
  howdah_pool_get_stats(client.pool, &stats);
  if (options->memory)
    printf("resident_kb early=%ld late=%ld requests=%llu births=%llu deaths=%llu switches=%llu loads=%llu\n", client.early_kb,
           runner_resident_kb(), (unsigned long long)stats.requests, (unsigned long long)stats.births,
           (unsigned long long)stats.deaths, (unsigned long long)stats.switches, (unsigned long long)stats.loads);
  /* Boots would be cut off, and PHP's VM loses what is on its way from one instruction to the next then, until its heap ends:
   * valgrind, for which there is no such heap, would report it. */
  while (stats.booting) {
    if (turn(loop) < 0) return -1;
    howdah_pool_get_stats(client.pool, &stats);
  }
  bool drained = false;
  howdah_pool_drain(client.pool, set, &drained);
  while (!drained)
    if (turn(loop) < 0) return -1;
  howdah_pool_free(client.pool);
  if (options->expect || options->expect_part)
    fprintf(stderr, "howdah-run: %u answers, %u wrong\n", client.finished, client.wrong);
  return client.wrong || (options->expect && client.not_200) ? 1 : 0;
}

/* All realms are dead: what their ends changed is seen, too. */
static int audit(int result) {
  howdah_audit_look(HOWDAH_AUDIT_STOP, "", "");
  fflush(stdout);
  howdah_audit_print(stderr);
  return result == 0 && howdah_audit_unexplained() ? 3 : result;
}

int main(int argc, char **argv) {
  runner_options options;
  char error[1536];
  int result = runner_options_read(argc, argv, &options);
  if (result) return result < 0 ? 2 : 0;
  if (options.watch) return runner_watch(&options);
  howdah_engine_options engine_options = {.ini_entries = options.ini,
                                          .log = log_line,
                                          .chaos_seed = options.chaos_seed,
                                          .slice_ms = options.slice_ms,
                                          .without_block = options.without_block,
                                          .audit_report = options.audit,
                                          .at_once = options.extensions ? 1 : options.realms,
                                          .shared_extensions = options.shared_extensions,
                                          .php_ini = options.php_ini,
                                          .know_no_extension = options.know_none};
  howdah_loop *loop = howdah_epoll_loop_new();
  if (!loop) {
    perror("howdah-run: epoll");
    return 1;
  }
  if (howdah_engine_start(&engine_options, error, sizeof(error)) < 0 || howdah_engine_attach(loop, error, sizeof(error)) < 0) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  if (options.blocks)
    print_blocks();
  else if (options.extensions)
    result = print_extensions();
  else
    result = serve(&options, loop);
  if (options.audit && result >= 0) result = audit(result);
  howdah_engine_stop();
  howdah_epoll_loop_free(loop);
  free((char *)options.script);
  free(options.ini);
  free(options.shared_extensions);
  free(options.headers);
  free(options.rewind_without);
  return result < 0 ? 1 : result;
}
