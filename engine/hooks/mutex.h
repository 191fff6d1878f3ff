/* Mutexes, for those who take them with a time limit. */
#ifndef HOWDAH_HOOKS_MUTEX_H
#define HOWDAH_HOOKS_MUTEX_H

#include <pthread.h>
#include <stdbool.h>

/* Whether the original refuses what its thread holds already. */
bool howdah_mutex_is_checked(const pthread_mutex_t *mutex);

#endif
