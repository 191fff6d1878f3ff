/* Extensions' globals in a new realm, made as ZTS makes them for a new thread. */
#ifndef HOWDAH_STATE_MODULES_H
#define HOWDAH_STATE_MODULES_H

/* Runs each module's globals constructor, then the on_modify handlers of its ini entries with stage STARTUP. With the realm's
 * tables, blocks and heap in place. A constructor may allocate; Zend ends the process when memory is short, as under ZTS. */
void howdah_modules_birth(void);
/* Runs each module's globals destructor. After the last request shutdown. */
void howdah_modules_death(void);

#endif
