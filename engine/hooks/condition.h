/* Condition variables: see condition.c. */
#ifndef HOWDAH_HOOKS_CONDITION_H
#define HOWDAH_HOOKS_CONDITION_H

/* In a forked child: those who waited are the parent's. */
void howdah_condition_forget(void);

#endif
