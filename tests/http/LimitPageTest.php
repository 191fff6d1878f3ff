<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\Group;

/** The page that error_page names for a time limit, where the script ends in time, but the worker has no time for it. */
#[Group('realms')]
final class LimitPageTest extends DirectiveTestCase
{
    /** Longer than a script is given to end. No PHP code runs meanwhile that would let others in. */
    private const COMPUTES = '<?php hash_pbkdf2("sha256", "password", "salt", 120_000);';

    public function test_it_is_sent_though_other_requests_keep_the_script_from_its_end(): void
    {
        file_put_contents("{$this->folder}/computes.php", self::COMPUTES);
        file_put_contents("{$this->folder}/waits.php", '<?php sleep(60);');
        $this->serve('classic', " location = /page { return 200 page; } location = / { {$this->pass('computes')} }"
            . " location = /late { error_page 504 =200 /page; howdah_request_timeout 100ms; {$this->pass('waits')} }");
        // In each turn of the worker's loop another one has come.
        $crowd = new Crowd($this->port, 3, 0);
        $crowd->turn();
        for ($time = 0; $time < 3; ++$time) {
            $late = (new Http1($this->port))->get('/late');
            $answered = $crowd->answered;
            while ($crowd->answered < $answered + 5) {
                $crowd->turn();
            }

            self::assertSame('page', $late->read()?->body);
        }
        $crowd->rest();
        self::assertSame([], $crowd->lost);
    }

    private function pass(string $script): string
    {
        return "howdah_pass classic {$this->folder}/$script.php;";
    }
}
