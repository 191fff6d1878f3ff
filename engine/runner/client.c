/* The runner's requests: made up from the command line, answered into memory. */
#include "count.h"
#include "runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct {
  howdah_request request;
  runner_client *client;
  char *query, *body, *expect, *expect_part, *cookie, *headers, *uri;
  size_t body_read;
  int status;
  char *answer;
  size_t answer_len;
  char *head;
  size_t head_len;
  bool ended;
} exchange;

/* "%d" becomes the number. Ends the program when memory is short: it is a test tool. */
static char *fill_in(const char *pattern, unsigned value) {
  char digits[16];
  snprintf(digits, sizeof(digits), "%u", value);
  size_t len = strlen(pattern) + 1;
  for (const char *at = pattern; (at = strstr(at, "%d")); at += 2)
    len += strlen(digits);
  char *text = malloc(len), *to = text;
  if (!text) abort();
  for (const char *at = pattern; *at;)
    if (at[0] == '%' && at[1] == 'd')
      to = stpcpy(to, digits), at += 2;
    else
      *to++ = *at++;
  *to = 0;
  return text;
}

static void append(char **to, size_t *len, const char *data, size_t more) {
  char *longer = realloc(*to, *len + more + 1);
  if (!longer) abort();
  memcpy(longer + *len, data, more);
  *len += more;
  longer[*len] = 0;
  *to = longer;
}

static howdah_str text(const char *zero_terminated) {
  return (howdah_str){zero_terminated, strlen(zero_terminated)};
}

static void variables(howdah_request *request, void (*add)(void *to, howdah_str name, howdah_str value), void *to) {
  exchange *self = (exchange *)request;
  add(to, text("REQUEST_METHOD"), request->method);
  add(to, text("REQUEST_URI"), request->request_uri);
  add(to, text("QUERY_STRING"), request->query_string);
  add(to, text("SCRIPT_NAME"), text("/index.php"));
  add(to, text("SCRIPT_FILENAME"), text(self->client->options->script));
  add(to, text("SERVER_PROTOCOL"), request->protocol);
  add(to, text("SERVER_NAME"), text("localhost"));
  add(to, text("SERVER_PORT"), text("80"));
  add(to, text("REMOTE_ADDR"), text("127.0.0.1"));
  add(to, text("HTTP_HOST"), text("localhost"));
  add(to, text("CONTENT_TYPE"), request->content_type);
  if (request->cookie.len) add(to, text("HTTP_COOKIE"), request->cookie);
  for (const char *line = self->headers, *end; (end = strchr(line, '\n')); line = end + 1) {
    const char *value = strchr(line, '=') + 1;
    add(to, (howdah_str){line, (size_t)(value - line - 1)}, (howdah_str){value, (size_t)(end - value)});
  }
}

static ssize_t read_body(howdah_request *request, char *buffer, size_t size) {
  exchange *self = (exchange *)request;
  size_t left = strlen(self->body) - self->body_read;
  if (size > left) size = left;
  memcpy(buffer, self->body + self->body_read, size);
  self->body_read += size;
  return (ssize_t)size;
}

static int send_head(howdah_request *request, int status, const howdah_header *headers, size_t count) {
  exchange *self = (exchange *)request;
  char line[32];
  self->status = status;
  append(&self->head, &self->head_len, line, (size_t)snprintf(line, sizeof(line), "Status: %d\n", status));
  for (size_t i = 0; i < count; i++) {
    append(&self->head, &self->head_len, headers[i].name.data, headers[i].name.len);
    append(&self->head, &self->head_len, ": ", 2);
    append(&self->head, &self->head_len, headers[i].value.data, headers[i].value.len);
    append(&self->head, &self->head_len, "\n", 1);
  }
  return 0;
}

static int write_answer(howdah_request *request, const char *data, size_t len) {
  exchange *self = (exchange *)request;
  append(&self->answer, &self->answer_len, data, len);
  return 0;
}

static int flush(howdah_request *request) {
  (void)request;
  return 0;
}

static void end_response(howdah_request *request) {
  exchange *self = (exchange *)request;
  const runner_options *options = self->client->options;
  self->ended = true;
  if (options->print_head) printf("%s\n", self->head ? self->head : "");
  if (!options->quiet && self->answer) fwrite(self->answer, 1, self->answer_len, stdout);
}

static void fail(howdah_request *request, int status) {
  exchange *self = (exchange *)request;
  free(self->answer);
  free(self->head);
  self->answer = self->head = NULL;
  self->answer_len = self->head_len = 0;
  send_head(request, status, NULL, 0);
}

static void finish(howdah_request *request) {
  exchange *self = (exchange *)request;
  runner_client *client = self->client;
  client->finished++;
  if (!self->ended) end_response(request);
  if (self->status != 200) client->not_200++;
  const char *answer = self->answer ? self->answer : "";
  bool wrong = (self->expect && strcmp(answer, self->expect) != 0) || (self->expect_part && !strstr(answer, self->expect_part));
  if (wrong && client->wrong++ < 5)
    fprintf(stderr, "howdah-run: wrong answer (status %d): expected \"%s\", got \"%.1500s\"\n", self->status,
            self->expect ? self->expect : self->expect_part, answer);
  free(self->query);
  free(self->uri);
  free(self->body);
  free(self->expect);
  free(self->expect_part);
  free(self->cookie);
  free(self->headers);
  free(self->answer);
  free(self->head);
  free(self);
}

static const howdah_request_ops ops = {.variables = variables,
                                       .read_body = read_body,
                                       .send_head = send_head,
                                       .write = write_answer,
                                       .flush = flush,
                                       .end_response = end_response,
                                       .fail = fail,
                                       .finish = finish};

long runner_resident_kb(void) {
  long pages = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file) return 0;
  if (fscanf(file, "%ld %ld", &pages, &resident) != 2) resident = 0;
  fclose(file);
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

long runner_private_kb(void) {
  char line[256];
  long kb = 0, part;
  FILE *file = fopen("/proc/self/smaps_rollup", "r");
  if (!file) return 0;
  while (fgets(line, sizeof(line), file))
    if (sscanf(line, "Private_Clean: %ld", &part) == 1 || sscanf(line, "Private_Dirty: %ld", &part) == 1) kb += part;
  fclose(file);
  return kb;
}

void runner_client_fill(runner_client *client) {
  const runner_options *options = client->options;
  while (client->begun < options->requests && client->begun - client->finished < options->at_once) {
    if (options->counted && client->begun == options->requests - options->counted) runner_count_begins();
    unsigned value = client->begun++;
    exchange *self = calloc(1, sizeof(*self));
    if (!self) abort();
    self->client = client;
    self->query = fill_in(options->query, value);
    self->body = fill_in(options->body, value);
    self->cookie = fill_in(options->cookie, value);
    self->headers = fill_in(options->headers ? options->headers : "", value);
    self->expect_part = options->expect_part ? fill_in(options->expect_part, value) : NULL;
    self->expect = options->expect ? fill_in(options->expect, value) : NULL;
    self->uri = malloc(strlen(options->path) + strlen(self->query) + 2);
    if (!self->uri) abort();
    sprintf(self->uri, "%s%s%s", options->path, *self->query ? "?" : "", self->query);
    self->request = (howdah_request){.ops = &ops,
                                     .method = text(options->method),
                                     .request_uri = text(self->uri),
                                     .query_string = text(self->query),
                                     .protocol = text("HTTP/1.1"),
                                     .content_type = text(options->content_type),
                                     .cookie = text(self->cookie),
                                     .script_filename = text(options->script),
                                     .content_length = (int64_t)strlen(self->body)};
    howdah_pool_submit(client->pool, &self->request);
    if (!client->early_kb && client->finished >= options->requests / 100) client->early_kb = runner_resident_kb();
  }
}
