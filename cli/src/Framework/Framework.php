<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

/** One that has, or may have, a worker script: how a project is recognised that is made with it. */
interface Framework
{
    public function name(): string;

    public function isUsed(ProjectFiles $files): bool;

    /**
     * What may be served in worker mode, or why nothing may.
     *
     * @param string   $front       the front controller of classic mode, whether or not it is there
     * @param int|null $maxRequests after which a realm is replaced (--max-requests; 0: never); null: not said
     */
    public function offer(ProjectFiles $files, string $front, ?int $maxRequests): Offer;
}
