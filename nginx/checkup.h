/* What a script of the application says of its health, for howdah_health. */
#ifndef HOWDAH_NGINX_CHECKUP_H
#define HOWDAH_NGINX_CHECKUP_H

#include "module.h"

typedef struct howdah_checkup howdah_checkup;

/* Of a URI of this server, which begins with a slash and may have a query; limit is in ms. NULL when memory is short. */
howdah_checkup *howdah_checkup_make(ngx_conf_t *cf, const ngx_str_t *uri, ngx_msec_t limit);
/* A content handler's work for a request that is ready but for the script: answers with what is known, or when the script has. */
ngx_int_t howdah_checkup_serve(howdah_checkup *checkup, ngx_http_request_t *r);

#endif
