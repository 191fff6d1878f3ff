/* Settings given one by one, as text that PHP's parser of php.ini takes. See ini_text.c. */
#ifndef HOWDAH_SAPI_INI_TEXT_H
#define HOWDAH_SAPI_INI_TEXT_H

/* lines: "name=value\n...", or NULL. more: text that comes behind, as it is. The caller's to free; NULL when memory is short. */
char *howdah_ini_text(const char *lines, const char *more);

#endif
