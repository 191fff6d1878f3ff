<?php

declare(strict_types=1);

namespace Howdah\Cli;

/** What a server does beside serving when it is audited: directives in nginx's http block. */
final readonly class Watch
{
    /** Answers of PHP carry it, with the realm's number; nginx leaves out a header whose value is empty. */
    public const REALM_HEADER = 'X-Howdah-Realm';

    /** The number of the worker process: each counts its realms. */
    public const WORKER_HEADER = 'X-Howdah-Worker';

    /** So that realms are born and die under the eyes of the audit, too. */
    private const REQUESTS_OF_A_REALM = 20;

    /**
     * @param string $report file that the engine's audit writes
     * @param int    $seed   of the chaos scheduler; 0: off
     */
    public function __construct(
        private string $report,
        private int $seed,
    ) {
    }

    /** @return list<string> */
    public function lines(): array
    {
        return [
            'howdah_audit ' . NginxString::literal($this->report) . ';',
            'howdah_max_requests ' . self::REQUESTS_OF_A_REALM . ';',
            ...($this->seed === 0 ? [] : ["howdah_chaos {$this->seed};"]),
            'add_header ' . self::REALM_HEADER . ' $howdah_realm always;',
            'add_header ' . self::WORKER_HEADER . ' $pid always;',
        ];
    }
}
