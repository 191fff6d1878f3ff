/* The stand-alone runner: shared by its files. */
#ifndef HOWDAH_RUNNER_H
#define HOWDAH_RUNNER_H

#include "howdah.h"

typedef struct {
  howdah_mode mode;
  const char *script; /* absolute */
  unsigned realms, adaptive_least, warm;
  unsigned requests;     /* in all */
  unsigned counted;      /* the last ones, by callgrind */
  unsigned at_once;      /* submitted and not finished */
  uint64_t requests_max; /* a realm is replaced after so many */
  bool rewinds;
  char *rewind_without; /* "part\n..." */
  unsigned queue;
  unsigned queue_timeout_ms, request_timeout_ms, idle_timeout_ms, boot_timeout_ms;
  unsigned realm_memory_mb, worker_memory_mb;
  uint64_t chaos_seed;
  unsigned slice_ms;
  const char *without_block;
  char *shared_extensions; /* "name\n..." */
  const char *php_ini;     /* a folder; NULL: the embed SAPI's */
  bool know_none;
  bool extensions;   /* print what is thought of each extension and end */
  const char *audit; /* the report's file, "" for none; NULL: no audit */
  const char *path;
  const char *query; /* "%d" in it becomes the request's number */
  const char *method;
  const char *body; /* "%d" as well */
  const char *content_type;
  const char *cookie;      /* "%d" as well */
  char *headers;           /* CGI variables more, "HTTP_X=value" lines; "%d" as well */
  char *ini;               /* "key=value\n..." */
  bool print_head;         /* status and headers before each body */
  bool quiet;              /* no bodies */
  const char *expect;      /* each body must be this, with "%d" replaced */
  const char *expect_part; /* each body must contain this; "%d" as well */
  bool memory;             /* print resident memory at the end and at a hundredth */
  bool watch;              /* tell what changes below the folder `script` */
  bool poll;               /* without inotify */
  char *ignored;           /* folders there that are not looked at, "name\n/path\n..." */
  bool blocks;             /* print the table of state blocks and end */
} runner_options;

/* 0; 1 for "done, end well" (--help); -1 after a message. */
int runner_options_read(int argc, char **argv, runner_options *options);

/* Tells which files change, until the parent has gone. The exit status. */
int runner_watch(const runner_options *options);

typedef struct {
  const runner_options *options;
  howdah_pool *pool;
  unsigned begun, finished, wrong, not_200;
  long early_kb; /* resident memory after 1 % of the requests */
} runner_client;

/* Submits requests until at_once are under way. */
void runner_client_fill(runner_client *client);

/* Resident memory of this process in KiB. */
long runner_resident_kb(void);
/* Of it, what no other process has (opcache's shared memory is not counted once another process maps it). */
long runner_private_kb(void);

#endif
