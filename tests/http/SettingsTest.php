<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Opcache;
use PHPUnit\Framework\Attributes\DataProvider;

/** What PHP is told by the configuration of nginx, and several applications in one nginx. */
final class SettingsTest extends DirectiveTestCase
{
    protected const APP = __DIR__ . '/app/nginx';

    #[DataProvider('modes')]
    public function test_php_ini_of_another_folder_is_read_with_its_conf_d(string $mode): void
    {
        mkdir("{$this->folder}/php/conf.d", 0777, true);
        file_put_contents("{$this->folder}/php/php.ini", "precision = 9\nerror_prepend_string = of php.ini\n");
        file_put_contents("{$this->folder}/php/conf.d/10-opcache.ini", implode("\n", Opcache::settings()));
        file_put_contents("{$this->folder}/php/conf.d/20-own.ini", "error_append_string = of conf.d\nprecision = 10\n");

        $client = $this->serve($mode, '', ['howdah_concurrency' => "howdah_php_ini {$this->folder}/php; howdah_concurrency"]);

        $settings = $client->get('/settings?names=precision,error_prepend_string,error_append_string,memory_limit')->body;
        self::assertSame('["10","of php.ini","of conf.d","32M"]', $settings, $this->log());
    }

    public function test_a_folder_without_php_ini_is_refused_by_its_name(): void
    {
        $this->start('classic', '', ['howdah_concurrency' => 'howdah_php_ini /no/such/folder; howdah_concurrency']);

        self::assertTrue($this->ends());
        $said = 'howdah: the settings /no/such/folder/php.ini cannot be read: No such file';
        self::assertStringContainsString($said, $this->log());
    }

    public function test_serve_takes_the_settings_of_a_folder_and_refuses_one_without(): void
    {
        $wrong = Howdah::run(['config', self::APP, "--php-ini={$this->folder}"]);
        touch("{$this->folder}/php.ini");
        $right = Howdah::run(['config', self::APP, "--php-ini={$this->folder}"]);

        self::assertSame(1, $wrong->status);
        self::assertStringContainsString('there is no php.ini in it that can be read', $wrong->errors);
        self::assertStringContainsString("howdah_php_ini \"{$this->folder}\";", $right->output);
    }

    #[DataProvider('modes')]
    public function test_the_environment_has_what_nginx_names(string $mode): void
    {
        $client = $this->serve($mode, '', ['daemon off;' => 'daemon off; env NAMED_IN_NGINX=here;']);

        self::assertSame('["here","here"]', $client->get('/getenv?name=NAMED_IN_NGINX')->body, $this->log());
    }

    /** Both pools have the code; what it keeps is each realm's own. */
    public function test_preloaded_code_is_there_in_every_pool(): void
    {
        $user = posix_getpwuid(posix_geteuid())['name'] ?? '';
        $preload = 'howdah_ini opcache.preload=' . self::APP . "/preload.php; howdah_ini opcache.preload_user=$user;";
        $worker = 'location /preloaded-in-worker { howdah_concurrency 1; howdah_pass worker ' . self::APP . '/worker.php; }';

        $client = $this->serve('classic', $worker, ['howdah_concurrency' => "$preload howdah_concurrency"]);

        $classic = [$client->get('/preloaded')->body, $client->get('/preloaded')->body];
        $kept = [$client->get('/preloaded-in-worker')->body, $client->get('/preloaded-in-worker')->body];
        $names = '["kept","in","memory"]';
        self::assertSame(["[1,1,$names]", "[1,1,$names]"], $classic, $this->log());
        self::assertSame(["[1,1,$names]", "[2,2,$names]"], $kept, $this->log());
    }

    public function test_applications_with_the_same_names_live_side_by_side(): void
    {
        $other = 'location = /other { howdah_concurrency 1; howdah_queue 0; howdah_pass worker ' . self::APP . '/other.php; }';
        $client = $this->serve('worker', $other);

        self::assertSame('the other application', $client->get('/other')->body, $this->log());
        self::assertSame('front page', $client->get('/')->body);

        $door = new Door();
        $slow = (new Http1($this->port))->get("/other?at={$door->path}");
        $door->await();
        [$refused, $first] = $client->all(["/other?at={$door->path}", '/']);
        $door->open();

        self::assertSame('front page', $first->body);
        self::assertSame([503, 200], [$refused->status, $slow->read()?->status], 'one realm, and nobody may wait');
    }
}
