<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

use DateTimeImmutable;
use DateTimeZone;
use Howdah\Bench\Load\Answer;

/**
 * TechEmpower's rules for the head of an answer: its toolset's verify_headers(). Who sends neither Content-Length nor
 * Transfer-Encoding is no whole answer before it comes here (Load\Answer).
 */
enum Headers: string
{
    case Json = '~^application/json(; ?charset=(UTF|utf)-8)?$~D';
    case Html = '~^text/html; ?charset=(UTF|utf)-8$~D';
    case Plain = '~^text/plain(; ?charset=(UTF|utf)-8)?$~D';

    /** Seconds: of a Date that is older somebody has kept it. */
    private const OLDEST = 3;

    public function verify(Asking $asking, string $path, Answer $answer): void
    {
        foreach (['Server', 'Date', 'Content-Type'] as $name) {
            $asking->demand(isset($answer->headers[strtolower($name)]), $path, "the header $name is missing");
        }
        $type = $answer->headers['content-type'];
        $asking->demand(preg_match($this->value, $type) === 1, $path, "Content-Type is \"$type\"");
    }

    /** Date has to change: theirs asks twice, three seconds apart; here it may change sooner, and not later. */
    public function verifyDate(Asking $asking, string $path): void
    {
        $first = $asking->for($path)->headers['date'] ?? '';
        $format = 'D, d M Y H:i:s \G\M\T';
        do {
            $date = $asking->for($path)->headers['date'] ?? '';
            $time = DateTimeImmutable::createFromFormat($format, $date, new DateTimeZone('UTC'));
            if ($time === false) {
                $asking->demand(false, $path, "Date is \"$date\"");
                break;
            }
            $age = time() - $time->getTimestamp();
            $asking->demand(abs($age) <= self::OLDEST, $path, "Date is cached: \"$date\" is $age s old");
            usleep(50_000);
        } while ($date === $first);
    }
}
