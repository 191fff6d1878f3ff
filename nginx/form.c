/* howdah_max_form: a form that PHP would not take is refused before it is read, as nginx refuses what is above
 * client_max_body_size.
 *
 * PHP's post_max_size binds what PHP parses, which is a POST of a form; whatever else a client sends PHP reads as it is,
 * through php://input (sapi_activate(), sapi_read_post_data(), main/SAPI.c, 8.2 and 8.4). */
#include "module.h"

/* As PHP reads it: up to what follows the type, in any case. */
static bool is_form(const ngx_str_t *type) {
  static const ngx_str_t forms[] = {ngx_string("application/x-www-form-urlencoded"), ngx_string("multipart/form-data")};
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const ngx_str_t *form = &forms[i];
    if (type->len < form->len || ngx_strncasecmp(type->data, form->data, form->len) != 0) continue;
    if (type->len == form->len || ngx_strchr(";, ", type->data[form->len])) return true;
  }
  return false;
}

bool howdah_form_is_too_large(ngx_http_request_t *r, off_t limit) {
  const ngx_table_elt_t *type = r->headers_in.content_type;
  if (!limit || r->headers_in.content_length_n <= limit) return false;
  /* The page that error_page names for 413. */
  if (r->method != NGX_HTTP_POST || !type || !is_form(&type->value) || r->error_page) return false;
  howdah_say(r, NGX_LOG_ERR, 0, "client intended to send too large form: %O bytes, and howdah_max_form is %O",
             r->headers_in.content_length_n, limit);
  return true;
}
