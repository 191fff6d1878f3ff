<?php

// Writes to the system's log, and says when; also for php-cli.

declare(strict_types=1);

$start = hrtime(true);
if (isset($_GET['begun'])) {
    touch($_GET['begun']);
}
syslog(LOG_INFO, str_repeat('long ', 1000));
openlog('howdah-test', LOG_PID, LOG_LOCAL3);
syslog(LOG_WARNING, "one hundred % of it\ttabbed");
syslog(LOG_DEBUG | LOG_MAIL, 'mail');
closelog();
printf("done %d %d\n", $start, hrtime(true));
