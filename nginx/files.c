/* howdah_files: what a request of a location is for. A file, which nginx sends; a script, which PHP runs; a folder, by its
 * index; or nothing that is there: that is the front controller's, or the worker script's.
 *
 * What try_files does with locations of regular expressions beside it, but by what is there instead of by names: a folder
 * "lib.php" is one, a folder without an index is no page, and every method reaches the script. docs/serve.md has the table.
 *
 * Invariants:
 *   1. No source of PHP is sent (source.c).
 *   2. Nothing hidden is served but what is below /.well-known/ (RFC 8615), and nothing that `refused` names.
 *   3. In classic mode only regular files named .php are run. */
#include "module.h"

#include <errno.h>
#include <sys/stat.h>

struct howdah_files {
  ngx_http_complex_value_t *front; /* the URI of classic mode's front controller, with path info or without; NULL: none */
  ngx_str_t scripts; /* worker mode: "@name" of the location that runs PHP files; empty: they are the worker script's */
  ngx_array_t boot;  /* ngx_str_t: paths of scripts that boot, beside the worker script: they are no pages, either */
  bool htaccess;     /* folders' .htaccess files are asked (htaccess.c) */
  ngx_http_complex_value_t *refused; /* of $howdah_file: a status, or "front"; NULL: nothing is */
};

typedef struct {
  ngx_http_request_t *r;
  const howdah_loc_conf *conf;
  ngx_str_t path;     /* the document root, the URI, and room for an index's name */
  size_t root;        /* the length of the document root */
  struct stat status; /* of what was there last */
} visit;

typedef enum { NOTHING, A_FILE, A_FOLDER, SOMETHING_ELSE } kind;

static const ngx_str_t index_php = ngx_string("/index.php"), index_html = ngx_string("/index.html");
enum { LONGEST_INDEX = sizeof "/index.html" };

/* The variable $howdah_file while `refused` is evaluated. */
static ngx_str_t asked;

ngx_int_t howdah_get_file(ngx_http_request_t *r, ngx_http_variable_value_t *value, uintptr_t data) {
  (void)r, (void)data;
  value->not_found = asked.data == NULL;
  value->valid = asked.data != NULL;
  value->no_cacheable = 1;
  value->len = (unsigned)asked.len & 0xfffffff;
  value->data = asked.data;
  return NGX_OK;
}

/* ---- What is there ---- */

/* At the first bytes of the path. What may not be looked at is not there, as with try_files. */
static kind kind_at(visit *at, size_t len) {
  u_char next = at->path.data[len];
  at->path.data[len] = '\0';
  int failed = stat((const char *)at->path.data, &at->status);
  at->path.data[len] = next;
  if (failed) {
    if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
      howdah_say(at->r, NGX_LOG_CRIT, errno, "howdah: stat() \"%V\" failed", &at->path);
    return NOTHING;
  }
  return S_ISREG(at->status.st_mode) ? A_FILE : S_ISDIR(at->status.st_mode) ? A_FOLDER : SOMETHING_ELSE;
}

/* Puts the index's name behind the folder that the URI names; the length of all of it. The path has room for it. */
static size_t name_index(visit *at, const ngx_str_t *index) {
  size_t len = at->root + at->r->uri.len;
  bool has_slash = at->path.data[len - 1] == '/';
  u_char *end = ngx_cpymem(at->path.data + len - has_slash, index->data, index->len);
  *end = '\0';
  return (size_t)(end - at->path.data);
}

/* Back to what the URI names. */
static void drop_index(visit *at) {
  size_t len = at->root + at->r->uri.len;
  at->path.data[len - 1] = at->r->uri.data[at->r->uri.len - 1];
  at->path.data[len] = '\0';
}

static bool is_well_known(const u_char *at, const u_char *end) {
  static const ngx_str_t name = ngx_string("well-known");
  if ((size_t)(end - at) < name.len || ngx_memcmp(at, name.data, name.len) != 0) return false;
  at += name.len;
  return at == end || *at == '/';
}

/* Whether a part of the URI that begins with a dot is there. Where the first is not, nothing below it is. */
static bool is_hidden(visit *at) {
  u_char *begin = at->r->uri.data, *end = begin + at->r->uri.len;
  for (u_char *dot = begin; (dot = ngx_strlchr(dot, end, '.')); dot++) {
    if (dot == begin || dot[-1] != '/' || is_well_known(dot + 1, end)) continue;
    const u_char *slash = ngx_strlchr(dot, end, '/');
    return kind_at(at, at->root + (size_t)((slash ? slash : end) - begin)) != NOTHING;
  }
  return false;
}

/* "/a/script.php" of "/a/script.php/path/info": how much of the path it is; 0: there is no script. A folder may have such a
 * name, too. */
static size_t find_script(visit *at) {
  static const ngx_str_t ending = ngx_string(".php");
  const ngx_str_t *uri = &at->r->uri;
  for (size_t i = 0; i + ending.len <= uri->len; i++) {
    bool is_end = ngx_memcmp(uri->data + i, ending.data, ending.len) == 0 &&
                  (i + ending.len == uri->len || uri->data[i + ending.len] == '/');
    if (is_end && kind_at(at, at->root + i + ending.len) == A_FILE) return at->root + i + ending.len;
  }
  return 0;
}

static bool is_at(const struct stat *file, const ngx_str_t *path) {
  struct stat other;
  return stat((const char *)path->data, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

/* Whether the script that was found is one that boots, also by the name of a link. Each PHP file that is asked for costs a
 * stat() of each of them: kept for a second, where they are would be that of before a deployment's rename(), and what boots now
 * would be a page for so long, by the name of a link. */
static bool boots(const visit *at) {
  const ngx_array_t *boot = &at->conf->files->boot;
  const ngx_str_t *paths = boot->elts;
  bool found = is_at(&at->status, &at->conf->worker_script);
  for (ngx_uint_t i = 0; !found && i < boot->nelts; i++)
    found = is_at(&at->status, &paths[i]);
  return found;
}

/* ---- What becomes of it ---- */

static void granted(void *nothing) {
  (void)nothing;
}

/* The request has no context of ours any more when another location has it. */
ngx_int_t howdah_files_grant(ngx_http_request_t *r) {
  ngx_pool_cleanup_t *mark = ngx_pool_cleanup_add(r->pool, 0);
  if (!mark) return NGX_ERROR;
  mark->handler = granted;
  return NGX_OK;
}

static bool is_granted(const ngx_http_request_t *r) {
  const ngx_pool_cleanup_t *mark = r->internal ? r->pool->cleanup : NULL;
  while (mark && mark->handler != granted)
    mark = mark->next;
  return mark != NULL;
}

/* The front controller of this URI; empty where there is none. */
static ngx_int_t find_front(const visit *at, ngx_str_t *front) {
  ngx_http_complex_value_t *value = at->conf->files->front;
  ngx_str_null(front);
  return value ? ngx_http_complex_value(at->r, value, front) : NGX_OK;
}

/* NGX_OK: it is served; NGX_DECLINED: it is as if it were not there; else the status of the answer. */
static ngx_int_t ask_refused(const visit *at, size_t len) {
  static const ngx_str_t front = ngx_string("front");
  const ngx_http_complex_value_t *refused = at->conf->files->refused;
  ngx_str_t answer, own;
  if (find_front(at, &own) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  bool is_front = len - at->root == own.len && ngx_memcmp(at->path.data + at->root, own.data, own.len) == 0;
  /* The site's own is published where anything is; one of a folder is what the folder is. */
  bool is_sites = is_front && ngx_strlchr(own.data + 1, own.data + own.len, '/') == NULL;
  if (is_sites || is_granted(at->r)) return NGX_OK;
  ngx_int_t rc = NGX_OK;
  if (at->conf->files->htaccess) rc = howdah_ask_htaccess(at->r, &(ngx_str_t){len, at->path.data}, at->root);
  if (rc == NGX_HTTP_FORBIDDEN)
    howdah_say(at->r, NGX_LOG_ERR, 0, "howdah: \"%V\" is there and not published: a .htaccess refuses it", &at->path);
  if (rc != NGX_OK || !refused) return rc;
  asked = (ngx_str_t){len - at->root, at->path.data + at->root};
  rc = ngx_http_complex_value(at->r, (ngx_http_complex_value_t *)refused, &answer);
  asked.data = NULL;
  if (rc != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  if (answer.len == 0 || (answer.len == 1 && answer.data[0] == '0')) return NGX_OK;
  if (answer.len == front.len && ngx_strncmp(answer.data, front.data, front.len) == 0) return is_front ? NGX_OK : NGX_DECLINED;
  ngx_int_t status = ngx_atoi(answer.data, answer.len);
  howdah_say(at->r, NGX_LOG_ERR, 0, "howdah: \"%V\" is there and not published", &at->path);
  return status >= 400 && status <= 599 ? status : NGX_HTTP_FORBIDDEN;
}

static ngx_int_t run(visit *at, size_t len, ngx_str_t *script) {
  if (at->conf->mode == HOWDAH_WORKER) {
    ngx_str_t name = at->conf->files->scripts;
    (void)ngx_http_named_location(at->r, &name);
    return NGX_DONE;
  }
  script->len = len;
  script->data = ngx_pnalloc(at->r->pool, len + 1);
  if (!script->data) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  ngx_memcpy(script->data, at->path.data, len);
  script->data[len] = '\0';
  return NGX_OK;
}

/* As try_files: $uri is the script's, with the path info that it has been given. */
static void name_script(visit *at, size_t len) {
  at->r->uri = (ngx_str_t){len - at->root, at->path.data + at->root};
  ngx_http_set_exten(at->r);
}

static ngx_int_t run_index(visit *at, size_t len, ngx_str_t *script) {
  name_script(at, len);
  return run(at, len, script);
}

/* Nothing is there. */
static ngx_int_t otherwise(visit *at, ngx_str_t *script) {
  ngx_str_t front;
  if (at->conf->mode == HOWDAH_WORKER) return NGX_OK;
  if (find_front(at, &front) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  if (front.len == 0) return NGX_HTTP_NOT_FOUND;
  ngx_str_t path = {at->root + front.len, ngx_pnalloc(at->r->pool, at->root + front.len + 1)};
  if (!path.data) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  ngx_memcpy(ngx_cpymem(path.data, at->path.data, at->root), front.data, front.len);
  path.data[path.len] = '\0';
  at->path = path;
  name_script(at, path.len);
  bool is_in_folder = ngx_strlchr(front.data + 1, front.data + front.len, '/') != NULL;
  if (!at->conf->files->front->lengths && !is_in_folder) return run(at, path.len, script);
  size_t len = find_script(at);
  if (len == 0) return NGX_HTTP_NOT_FOUND;
  ngx_int_t rc = ask_refused(at, len);
  return rc == NGX_OK || rc == NGX_DECLINED ? run(at, len, script) : rc;
}

static ngx_int_t serve_file(visit *at, ngx_str_t *script) {
  ngx_http_request_t *r = at->r;
  bool is_script = r->uri.len > 4 && ngx_memcmp(r->uri.data + r->uri.len - 4, ".php", 4) == 0;
  if (is_script && at->conf->mode == HOWDAH_WORKER) return NGX_OK;
  ngx_int_t rc = ask_refused(at, at->path.len);
  if (rc == NGX_DECLINED) return otherwise(at, script);
  if (rc != NGX_OK) return rc;
  if (!howdah_is_named_as_source(r)) return NGX_DECLINED; /* source.c looks at what nginx opens */
  howdah_say(r, NGX_LOG_ERR, 0, "howdah: \"%V\" is named as PHP's source, and is not sent", &at->path);
  return NGX_HTTP_FORBIDDEN;
}

/* Whether a folder without an index is nginx's to answer. It is where no script has it; and without the slash where another
 * script has it than has it with one: that is the folder's own, and its relative links begin there. A slash at the end of path
 * info makes no other. */
static ngx_int_t is_left_to_nginx(visit *at, bool *left) {
  ngx_http_request_t *r = at->r;
  ngx_str_t uri = r->uri, plain, own;
  if (find_front(at, &plain) != NGX_OK) return NGX_ERROR;
  *left = plain.len == 0;
  if (*left || uri.data[uri.len - 1] == '/') return NGX_OK;
  size_t len = at->root + uri.len;
  at->path.data[len] = '/';
  r->uri = (ngx_str_t){uri.len + 1, at->path.data + at->root};
  ngx_int_t rc = find_front(at, &own);
  r->uri = uri;
  at->path.data[len] = '\0';
  own.len -= own.len && own.data[own.len - 1] == '/';
  *left = rc == NGX_OK && (own.len != plain.len || ngx_memcmp(own.data, plain.data, own.len) != 0);
  return rc;
}

/* nginx redirects to the slash, and finds index.html. Neither of that is for a method with a body. */
static ngx_int_t serve_folder(visit *at, ngx_str_t *script) {
  ngx_http_request_t *r = at->r;
  bool reads = r->method & (NGX_HTTP_GET | NGX_HTTP_HEAD), has_slash = r->uri.data[r->uri.len - 1] == '/';
  if (at->conf->mode == HOWDAH_WORKER) return NGX_OK;
  size_t len = name_index(at, &index_php);
  bool runs = kind_at(at, len) == A_FILE;
  if (!runs && reads) {
    len = name_index(at, &index_html);
    if (kind_at(at, len) != A_FILE) len = 0;
  }
  if (!runs && (!reads || len == 0)) {
    bool left = false;
    drop_index(at);
    if (reads && is_left_to_nginx(at, &left) != NGX_OK) return NGX_HTTP_INTERNAL_SERVER_ERROR;
    return left ? NGX_DECLINED : otherwise(at, script);
  }
  ngx_int_t rc = ask_refused(at, len);
  if (rc == NGX_DECLINED) return otherwise(at, script);
  if (rc != NGX_OK) return rc;
  if (runs && (has_slash || !reads)) return run_index(at, len, script);
  drop_index(at);
  return NGX_DECLINED;
}

ngx_int_t howdah_files_find(ngx_http_request_t *r, const howdah_loc_conf *conf, ngx_str_t *script) {
  visit at = {.r = r, .conf = conf};
  bool worker = conf->mode == HOWDAH_WORKER;
  u_char *last = ngx_http_map_uri_to_path(r, &at.path, &at.root, LONGEST_INDEX);
  if (!last) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  at.path.len = (size_t)(last - at.path.data);
  if (is_hidden(&at)) return NGX_HTTP_FORBIDDEN;
  size_t script_len = worker && conf->files->scripts.len == 0 ? 0 : find_script(&at);
  if (script_len) {
    if (worker && boots(&at)) return NGX_OK;
    ngx_int_t rc = ask_refused(&at, script_len);
    if (rc == NGX_DECLINED) return otherwise(&at, script);
    return rc == NGX_OK ? run(&at, script_len, script) : rc;
  }
  if (worker && r->uri.data[r->uri.len - 1] == '/') return NGX_OK;
  switch (kind_at(&at, at.path.len)) {
  case A_FILE:
    return serve_file(&at, script);
  case A_FOLDER:
    return serve_folder(&at, script);
  case SOMETHING_ELSE:
    return NGX_HTTP_FORBIDDEN;
  case NOTHING:
    break;
  }
  return otherwise(&at, script);
}

/* ---- Configuration ---- */

static ngx_str_t *value_of(ngx_str_t *word, const char *name) {
  size_t len = ngx_strlen(name);
  if (word->len <= len || ngx_strncmp(word->data, name, len) != 0) return NULL;
  word->data += len;
  word->len -= len;
  return word;
}

static ngx_http_complex_value_t *compile(ngx_conf_t *cf, ngx_str_t *word) {
  ngx_http_complex_value_t *value = ngx_pcalloc(cf->pool, sizeof *value);
  ngx_http_compile_complex_value_t compiled = {.cf = cf, .value = word, .complex_value = value};
  return value && ngx_http_compile_complex_value(&compiled) == NGX_OK ? value : NULL;
}

static bool add_boot(ngx_conf_t *cf, struct howdah_files *files, const ngx_str_t *path) {
  if (!files->boot.elts && ngx_array_init(&files->boot, cf->pool, 2, sizeof(ngx_str_t)) != NGX_OK) return false;
  ngx_str_t *added = ngx_array_push(&files->boot);
  if (added) *added = *path;
  return added != NULL;
}

/* howdah_files [htaccess] [front=URI] [scripts=@NAME] [boot=FILE]... [refused=VALUE] */
char *howdah_set_files(ngx_conf_t *cf, ngx_command_t *command, void *conf) {
  howdah_loc_conf *location = conf;
  ngx_str_t *words = cf->args->elts;
  (void)command;
  if (location->files) return "is duplicate";
  struct howdah_files *files = ngx_pcalloc(cf->pool, sizeof *files);
  if (!files) return NGX_CONF_ERROR;
  for (ngx_uint_t i = 1; i < cf->args->nelts; i++) {
    ngx_str_t word = words[i];
    if (word.len == 8 && ngx_strncmp(word.data, "htaccess", word.len) == 0) {
      files->htaccess = true;
    } else if (value_of(&word, "front=") && (word.data[0] == '/' || word.data[0] == '$')) {
      files->front = compile(cf, &word);
      if (!files->front) return NGX_CONF_ERROR;
    } else if (value_of(&word, "scripts=") && word.data[0] == '@') {
      files->scripts = word;
    } else if (value_of(&word, "boot=") && word.data[0] == '/') {
      if (!add_boot(cf, files, &word)) return NGX_CONF_ERROR;
    } else if (value_of(&word, "refused=")) {
      files->refused = compile(cf, &word);
      if (!files->refused) return NGX_CONF_ERROR;
    } else {
      ngx_conf_log_error(
          NGX_LOG_EMERG, cf, 0,
          "\"howdah_files\" takes \"htaccess\", \"front=/index.php\", \"scripts=@name\", \"boot=/worker.php\" and "
          "\"refused=$variable\", not \"%V\"",
          &words[i]);
      return NGX_CONF_ERROR;
    }
  }
  location->files = files;
  return NGX_CONF_OK;
}

char *howdah_check_files(ngx_conf_t *cf, const howdah_loc_conf *conf) {
  const ngx_http_core_loc_conf_t *core = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);
  const char *wrong = NULL;
  if (!conf->files) return NGX_CONF_OK;
  if (conf->mode == HOWDAH_NO_MODE)
    wrong = "needs \"howdah_pass\"";
  else if (core->alias)
    wrong = "needs \"root\": \"alias\" gives a file no address of its own";
  else if (conf->mode == HOWDAH_WORKER && conf->files->front)
    wrong = "has \"front\", which is for \"howdah_pass classic\"";
  else if (conf->mode == HOWDAH_CLASSIC && conf->files->scripts.len)
    wrong = "has \"scripts\", which is for \"howdah_pass worker\"";
  else if (conf->files->boot.nelts && conf->files->scripts.len == 0)
    wrong = "has \"boot\", which is for \"scripts\"";
  if (!wrong) return NGX_CONF_OK;
  ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"howdah_files\" in location \"%V\" %s", &core->name, wrong);
  return NGX_CONF_ERROR;
}
