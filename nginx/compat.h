/* nginx, and all that differs between the versions that Howdah is built for (1.22 in Debian 12, 1.26 in Debian 13). */
#ifndef HOWDAH_NGINX_COMPAT_H
#define HOWDAH_NGINX_COMPAT_H

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_http.h>

#include <stdbool.h>
#include <stdint.h>

#if (nginx_version < 1018000)
#error "howdah: nginx is older than 1.18; build against the packaged sources of a newer one"
#endif

#endif
