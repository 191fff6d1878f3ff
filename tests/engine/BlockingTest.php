<?php

declare(strict_types=1);

namespace Howdah\Tests\Engine;

use PHPUnit\Framework\TestCase;

/**
 * What blocks is hooked, or docs/waiting.md says what happens: the list of blocking functions, the hook table and the document
 * agree.
 */
final class BlockingTest extends TestCase
{
    /**
     * The cancellation points of pthreads(7): those that must be (man-pages 6.03, without getmsg and its like, which glibc does
     * not have), and of those that may be the ones that wait for more than a disk; and what Linux and glibc have besides.
     */
    private const BLOCKING = <<<'NAMES'
        accept aio_suspend clock_nanosleep close connect creat fcntl fdatasync fsync lockf mq_receive mq_send
        mq_timedreceive mq_timedsend msgrcv msgsnd msync nanosleep open openat pause poll pread pselect
        pthread_cond_timedwait pthread_cond_wait pthread_join pwrite read readv recv recvfrom recvmsg select
        sem_timedwait sem_wait send sendmsg sendto sigpause sigsuspend sigtimedwait sigwait sigwaitinfo sleep system
        tcdrain usleep wait waitid waitpid write writev

        dlopen dprintf fclose fflush fgetc fgets fopen fprintf fputc fputs fread freopen fscanf ftw fwrite getaddrinfo
        getc getdelim getgrent getgrgid getgrgid_r getgrnam getgrnam_r gethostbyaddr gethostbyname getline getlogin
        getlogin_r getnameinfo getnetbyaddr getnetbyname getprotobyname getprotobynumber getpwent getpwnam getpwnam_r
        getpwuid getpwuid_r getservbyname getservbyport glob ioctl mkstemp nftw pclose popen printf
        pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock pthread_rwlock_wrlock syslog
        tcsetattr tmpfile vdprintf vfprintf wordexp

        accept4 call_once cnd_timedwait cnd_wait copy_file_range dup2 dup3 epoll_pwait epoll_pwait2 epoll_wait flock
        ftruncate gai_suspend getgrouplist gethostbyaddr_r gethostbyname2 gethostbyname2_r gethostbyname_r getpass
        getprotobyname_r getprotobynumber_r getrandom getservbyname_r getservbyport_r getspnam innetgr lio_listio
        mtx_lock mtx_timedlock ppoll preadv pthread_barrier_wait pthread_clockjoin_np pthread_cond_clockwait
        pthread_mutex_clocklock pthread_mutex_lock pthread_mutex_timedlock pthread_once pthread_rwlock_clockrdlock
        pthread_rwlock_clockwrlock pthread_spin_lock pthread_timedjoin_np pwritev recvmmsg res_nquery res_nquerydomain
        res_nsearch res_query res_querydomain res_search sem_clockwait semop semtimedop sendfile sendmmsg splice sync
        syncfs syscall tee thrd_join thrd_sleep vmsplice vsyslog wait3 wait4 __cxa_guard_acquire

        getaliasbyname getaliasent getgrent_r gethostent getnetent getnetgrent getprotoent getpwent_r getrpcbyname getrpcent
        getservent getspent
        NAMES;

    /** In both: what yields for some descriptors, and not for others. */
    private const SPLIT = [
        'clock_nanosleep', 'creat', 'dlopen', 'fopen', 'fread', 'fwrite', 'open', 'openat', 'select', 'semop',
    ];

    /** Not the C library's. */
    private const OTHERS = ['mdb_env_open'];

    public function testEachFunctionThatBlocksIsHookedOrItsEffectIsWrittenDown(): void
    {
        $hooked = self::hooks();
        $listed = self::names('## What does not yield');
        foreach (self::blocking() as $name) {
            self::assertTrue(
                isset($hooked[$name]) || in_array($name, $listed, true),
                "{$name}() can block: hook it, or say in docs/waiting.md, \"What does not yield\", what happens",
            );
        }
    }

    public function testWhatIsSaidNotToYieldDoesNot(): void
    {
        foreach (array_diff(self::names('## What does not yield'), self::SPLIT) as $name) {
            self::assertArrayNotHasKey($name, self::hooks(), "docs/waiting.md says that {$name}() does not yield; it does");
        }
    }

    public function testWhatYieldsIsInTheDocumentAndInTheList(): void
    {
        $said = self::names('And below PHP, function by function:');
        foreach (self::hooks() as $name => $kind) {
            if ($kind === 'NOTE') {
                continue;
            }
            $found = array_filter($said, static fn (string $pattern): bool => fnmatch($pattern, $name));
            self::assertNotSame([], $found, "{$name}() yields: docs/waiting.md has to say so");
            self::assertContains($name, [...self::blocking(), ...self::OTHERS], "{$name}() yields: put it on the list here");
        }
    }

    public function testWhatIsSaidToYieldDoes(): void
    {
        foreach (self::names('And below PHP, function by function:') as $pattern) {
            $hooked = array_filter(
                array_keys(self::hooks()),
                static fn (string $name): bool => fnmatch($pattern, $name),
            );
            self::assertNotSame([], $hooked, "docs/waiting.md has {$pattern}() in its table: there is no hook of that name");
        }
    }

    /** @return list<string> */
    private static function blocking(): array
    {
        return preg_split('/\s+/', trim(self::BLOCKING)) ?: [];
    }

    /**
     * Kinds by names; the names that _FORTIFY_SOURCE and large files make of a function are the function's.
     *
     * @return array<string, string>
     */
    private static function hooks(): array
    {
        $table = (string) file_get_contents(dirname(__DIR__, 2) . '/engine/hooks/list.h');
        preg_match_all('/^HOOKED\w*\((\w+), \w+, (\w+)/m', $table, $hooks, PREG_SET_ORDER);
        self::assertGreaterThan(100, count($hooks));
        $kinds = [];
        foreach ($hooks as [, $name, $kind]) {
            $plain = (string) preg_replace(['/^__(\w+)_chk$/', '/^__(\w+)_2$/', '/64$/'], ['$1', '$1', ''], $name);
            if (($kinds[$plain] ?? 'NOTE') === 'NOTE') {
                $kinds[$plain] = $kind;
            }
        }

        return $kinds;
    }

    /**
     * The functions, or patterns of them, in the first column of the table that follows.
     *
     * @param non-empty-string $heading
     *
     * @return list<string>
     */
    private static function names(string $heading): array
    {
        $text = (string) file_get_contents(dirname(__DIR__, 2) . '/docs/waiting.md');
        $after = explode($heading, $text, 2)[1] ?? '';
        $found = preg_match('/^\|.*?(?=\n(?!\|))/ms', $after, $table);
        self::assertSame(1, $found, "docs/waiting.md has no table after {$heading}");
        $names = [];
        foreach (explode("\n", $table[0]) as $line) {
            preg_match_all('/`([a-z_][a-z0-9_*]*)(?:\(\))?`/', explode(' | ', $line)[0], $found);
            array_push($names, ...$found[1]);
        }

        return array_values(array_diff($names, ['stdio']));
    }
}
