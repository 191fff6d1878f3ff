/* howdah_files htaccess: folders that a .htaccess refuses to everybody, as it is at this moment.
 *
 * `howdah serve` follows what such files say when it starts (cli/src/Htaccess). Installers and plugins write some later, beside
 * what they protect: those are nearly always a few lines for a whole folder. Whatever has sections for some files only is left
 * to the next start. */
#include "module.h"

#include <errno.h>
#include <fcntl.h>

enum { LONGEST = 4096, WORDS = 4 };

typedef struct {
  ngx_str_t words[WORDS]; /* in lower case; what is left is empty */
} directive;

typedef struct {
  bool some, denied, granted, nots, deny_all, allow_all, allows_first, has_sections;
  bool negates; /* in a <RequireNone> */
} said;

static bool is_blank(u_char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static directive read_line(u_char *at, u_char *end) {
  directive line = {0};
  for (size_t i = 0; i < WORDS; i++) {
    while (at < end && is_blank(*at))
      at++;
    line.words[i].data = at;
    while (at < end && !is_blank(*at)) {
      *at = ngx_tolower(*at);
      at++;
    }
    line.words[i].len = (size_t)(at - line.words[i].data);
  }
  return line;
}

static bool is_word(const directive *line, size_t i, const char *word) {
  size_t len = ngx_strlen(word);
  return line->words[i].len == len && ngx_strncmp(line->words[i].data, word, len) == 0;
}

/* A section that says for which Apache its lines are; or that all of several lines have to hold. */
static bool is_transparent(const directive *line) {
  static const char *const names[] = {"<if", "</if", "<require", "</require"};
  static const char *const not_these[] = {"<if", "</if", "<elseif", "<ifrequest"};
  const ngx_str_t *name = &line->words[0];
  for (size_t i = 0; i < sizeof not_these / sizeof *not_these; i++)
    if (is_word(line, 0, not_these[i])) return false;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (name->len > ngx_strlen(names[i]) && ngx_strncmp(name->data, names[i], ngx_strlen(names[i])) == 0) return true;
  return false;
}

static void hear_require(said *all, const directive *line) {
  bool has_not = is_word(line, 1, "not"), negated = has_not || all->negates;
  size_t who = has_not ? 2 : 1;
  bool about_all = is_word(line, who, "all");
  bool granted = about_all && is_word(line, who + 1, "granted"), denied = about_all && is_word(line, who + 1, "denied");
  all->denied = all->denied || (negated ? granted : denied);
  all->granted = all->granted || (granted && !negated);
  all->some = all->some || (!granted && !denied && !negated);
  all->nots = all->nots || (negated && !granted);
}

static void hear(said *all, const directive *line) {
  bool from_all = is_word(line, 1, "from") && is_word(line, 2, "all");
  if (line->words[0].len && line->words[0].data[0] == '<') {
    all->has_sections = all->has_sections || !is_transparent(line);
    if (is_word(line, 0, "<requirenone>") || is_word(line, 0, "</requirenone>")) all->negates = line->words[0].data[1] != '/';
  } else if (is_word(line, 0, "require")) {
    hear_require(all, line);
  } else if (is_word(line, 0, "deny")) {
    all->deny_all = all->deny_all || from_all;
  } else if (is_word(line, 0, "allow")) {
    all->allow_all = all->allow_all || from_all;
  } else if (is_word(line, 0, "order")) {
    all->allows_first = is_word(line, 1, "allow,deny") || is_word(line, 1, "mutual-failure");
  }
}

/* As Access::isRefused() (cli/src/Htaccess). NGX_DECLINED: nothing is said. */
static ngx_int_t conclude(const said *all) {
  if (all->has_sections) return NGX_DECLINED;
  if (all->some || all->denied) return NGX_HTTP_FORBIDDEN;
  if (all->granted) return NGX_OK;
  if (all->nots) return NGX_HTTP_FORBIDDEN;
  if (all->deny_all) return all->allows_first || !all->allow_all ? NGX_HTTP_FORBIDDEN : NGX_OK;
  if (all->allow_all) return NGX_OK;
  return all->allows_first ? NGX_HTTP_FORBIDDEN : NGX_DECLINED;
}

/* NGX_OK: the folder is published; NGX_HTTP_FORBIDDEN; NGX_DECLINED: there is no such file, or it says neither. */
static ngx_int_t ask(const char *path) {
  u_char text[LONGEST];
  said all = {0};
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return errno == EACCES ? NGX_HTTP_FORBIDDEN : NGX_DECLINED; /* what it forbids is not known */
  ssize_t len = pread(file, text, sizeof text, 0);
  (void)close(file);
  if (len <= 0 || len == sizeof text) return NGX_DECLINED;
  if (memchr(text, 0, (size_t)len)) return NGX_HTTP_FORBIDDEN; /* no text (UTF-16, say), nor is it known what it forbids */
  static const u_char mark[] = {0xef, 0xbb, 0xbf};             /* of UTF-8: Apache passes over it */
  bool has_mark = len >= (ssize_t)sizeof mark && ngx_memcmp(text, mark, sizeof mark) == 0;
  u_char *end = text + len;
  for (u_char *at = has_mark ? text + sizeof mark : text; at < end;) {
    u_char *next = ngx_strlchr(at, end, '\n');
    while (next && next > at && next[-1] == '\\') { /* it goes on */
      next[-1] = *next = ' ';
      next = ngx_strlchr(next, end, '\n');
    }
    if (!next) next = end;
    directive line = read_line(at, next);
    hear(&all, &line);
    at = next + 1;
  }
  return conclude(&all);
}

/* The innermost folder that says something counts. That of the document root is for whoever starts nginx: the whole site cannot
 * be refused later. */
ngx_int_t howdah_ask_htaccess(ngx_http_request_t *r, const ngx_str_t *file, size_t root) {
  static const ngx_str_t name = ngx_string(".htaccess");
  u_char *path = ngx_pnalloc(r->pool, file->len + name.len + 1);
  if (!path) return NGX_HTTP_INTERNAL_SERVER_ERROR;
  ngx_memcpy(path, file->data, file->len);
  for (size_t at = file->len; at > root + 1; at--) {
    if (path[at - 1] != '/') continue;
    ngx_memcpy(path + at, name.data, name.len + 1);
    ngx_int_t answer = ask((const char *)path);
    if (answer != NGX_DECLINED) return answer;
  }
  return NGX_OK;
}
