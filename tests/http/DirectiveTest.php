<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;

/** nginx's own directives, in a configuration that `howdah config` printed and somebody edited. */
final class DirectiveTest extends DirectiveTestCase
{
    /** What was sent at once must not be the end of it: the second write finds the connection delayed. */
    #[DataProvider('modes')]
    public function test_limit_rate_slows_a_response_down_and_sends_all_of_it(string $mode): void
    {
        $client = $this->serve($mode, 'limit_rate 200k;');

        $response = $client->get('/output?bytes=300000');

        self::assertSame([200, 300000], [$response->status, strlen($response->body)], $this->log());
        Clock::assertAtLeast(0.5, $response->seconds, '300,000 bytes at 200 KB a second');
    }

    #[DataProvider('modes')]
    public function test_a_param_is_a_variable_of_its_request(string $mode): void
    {
        $client = $this->serve($mode, 'howdah_param FROM_NGINX "for $arg_who"; howdah_param EMPTY $arg_none if_not_empty;');

        $answers = array_map(static fn (string $url): string => $client->get($url)->body, [
            '/environment?name=FROM_NGINX&who=one',
            '/environment?name=FROM_NGINX&who=two',
            '/environment?name=EMPTY',
        ]);

        self::assertSame(['"for one"', '"for two"', 'false'], $answers, $this->log());
    }

    public function test_the_environment_array_has_the_request_s_variables_too(): void
    {
        $client = $this->serve('classic', 'howdah_param FROM_NGINX here; howdah_param PHP_VALUE "variables_order=EGPCS";');

        self::assertSame('["here","GET"]', $client->get('/environment-array')->body, $this->log());
    }

    /** Where error_page gives the refusal to PHP, PHP answers, though it is the same form. */
    #[DataProvider('modes')]
    public function test_a_form_that_is_too_large_is_refused_once(string $mode): void
    {
        $script = self::APP . ($mode === 'worker' ? '/worker.php' : '/public/index.php');
        $client = $this->serve($mode, 'howdah_max_form 10; error_page 413 = @large;'
            . " location @large { howdah_max_form 10; howdah_pass $mode $script; }"
            . " location = /cgi-status { howdah_max_form 0; howdah_pass $mode $script; }"
            . " location /plain { error_page 413 /413.html; howdah_pass $mode $script; }");

        self::assertSame(200, $client->post('/echo', 'a=12345678')->status, $this->log());
        self::assertStringNotContainsString('too large form', $this->log());
        self::assertSame('front page', $client->post('/', 'a=123456789')->body, $this->log());
        self::assertStringContainsString('too large form: 11 bytes, and howdah_max_form is 10', $this->log());
        self::assertSame(410, $client->post('/cgi-status', 'a=123456789')->status, $this->log());
        self::assertSame(413, $client->post('/plain', 'a=123456789')->status, $this->log());
    }

    /** The front controller of a site is published where anything is. */
    public function test_a_front_controller_in_a_folder_is_refused_where_the_folder_is(): void
    {
        mkdir("{$this->folder}/app");
        file_put_contents("{$this->folder}/app/index.php", "<?php echo 'own';");
        $client = $this->serve('classic', "location /own/ { root {$this->folder}; howdah_files htaccess front=/app/index.php;"
            . ' howdah_pass classic $document_root$uri; }');

        self::assertSame('own', $client->get('/own/x')->body, $this->log());
        file_put_contents("{$this->folder}/app/.htaccess", 'Require all denied');
        self::assertSame(403, $client->get('/own/x')->status, $this->log());
    }

    /** As under php-fpm: PHP parses no form of what it is told is a PUT. */
    #[DataProvider('modes')]
    public function test_php_obeys_the_variables_that_it_reads_itself(string $mode): void
    {
        $client = $this->serve($mode, 'howdah_param REQUEST_METHOD $arg_method if_not_empty;'
            . ' howdah_param QUERY_STRING "from=nginx"; howdah_param HTTP_COOKIE "one=1; two=$arg_two";');

        $put = $client->post('/echo?method=PUT&two=2', ['field' => 'value'])->json();
        $post = $client->post('/echo?two=3', ['field' => 'value'])->json();

        self::assertSame([], $put['post'], $this->log());
        self::assertSame(['field' => 'value'], $post['post']);
        self::assertSame([['from' => 'nginx'], ['from' => 'nginx']], [$put['get'], $post['get']]);
        self::assertSame([['one' => '1', 'two' => '2'], ['one' => '1', 'two' => '3']], [$put['cookie'], $post['cookie']]);
        assert(is_array($put['server']));
        self::assertSame('PUT', $put['server']['REQUEST_METHOD']);
    }

    /** As php-fpm takes them, but for this request only: php-fpm's child keeps them. */
    public function test_php_values_are_settings_of_their_request(): void
    {
        $client = $this->serve('classic', 'howdah_param PHP_VALUE "precision=$arg_digits\nno.such=1";'
            . ' howdah_param PHP_ADMIN_VALUE "memory_limit=77M";');
        $setting = static fn (string $name, string $query = ''): string => $client->get("/setting?name=$name$query")->body;

        $five = $setting('precision', '&digits=5');
        $nine = $setting('precision', '&digits=9');

        self::assertSame(['"5"', '"9"', '"77M"'], [$five, $nine, $setting('memory_limit')], $this->log());
        self::assertStringContainsString('PHP has no setting "no.such"', $this->log());
    }

    /** What PHP_VALUE changes, a request without it must not see, though it is the same realm's. */
    public function test_a_php_value_ends_with_its_request(): void
    {
        $client = $this->serve('classic', 'howdah_concurrency 1; howdah_param PHP_VALUE $arg_set if_not_empty;');
        $before = $client->get('/setting?name=precision')->body;

        $changed = $client->get('/setting?name=precision&set=precision=3')->body;
        // A realm whose request has disabled a function ends with it: before that, the same one is asked again.
        $after = $client->get('/setting?name=precision')->body;
        $without = $client->get('/setting?name=precision&set=disable_functions=parse_url')->status;

        self::assertSame(['"3"', $before, 500], [$changed, $after, $without], $this->log());
        self::assertSame($before, $client->get('/setting?name=precision')->body);
    }

    /** PHP keeps it in a static: requests at once must not read the other's, nor those without one find any. */
    public function test_each_request_has_its_own_browscap_file(): void
    {
        $client = $this->serve('classic', 'howdah_param PHP_ADMIN_VALUE $arg_set if_not_empty;');
        foreach (['one', 'two'] as $name) {
            $options = "[DefaultProperties]\nbrowser=\"$name\"\n[*]\nParent=DefaultProperties\n";
            file_put_contents("$this->folder/$name.ini", $options);
        }
        $asked = [];
        for ($number = 0; $number < 24; ++$number) {
            $file = [null, 'one', 'two'][$number % 3];
            $asked[] = '/browser' . ($file === null ? '' : "?set=browscap=$this->folder/$file.ini");
        }

        $answers = array_map(static fn (Response $response): string => $response->body, $client->all($asked));

        $expected = ['[false,false]', '["one","one"]', '["two","two"]'];
        self::assertSame(array_merge(...array_fill(0, 8, $expected)), $answers, $this->log());
    }

    /** As php-fpm does behind nginx, also where opcache has the script in memory. */
    public function test_a_script_that_open_basedir_refuses_is_not_found(): void
    {
        $client = $this->serve('classic', 'howdah_param PHP_ADMIN_VALUE $arg_set if_not_empty;');
        self::assertSame(200, $client->get('/')->status);

        $answer = $client->get('/?set=open_basedir=/usr/share/php');

        self::assertSame([404, "No input file specified.\n"], [$answer->status, $answer->body]);
        self::assertTrue($this->logs('open_basedir restriction in effect'));
        self::assertTrue($this->logs('open_basedir refuses the script "' . static::APP . '/public/index.php"'));
        self::assertSame(200, $client->get('/')->status, 'for that request alone');
    }

    public function test_a_setting_that_cannot_be_made_for_one_request_is_refused(): void
    {
        $client = $this->serve('classic', 'howdah_param PHP_ADMIN_VALUE $arg_set if_not_empty;');

        $response = $client->get('/setting?name=precision&set=disable_classes=ArrayObject');

        self::assertSame(500, $response->status);
        self::assertStringContainsString('disable_classes cannot be set for one request', $this->log());
    }

    /**
     * opcache has the code with calls that do not ask whether their function exists. Those who are allowed to call it go on
     * doing so, beside and afterwards.
     */
    public function test_a_function_that_is_disabled_for_one_request_is_so_in_code_that_is_cached(): void
    {
        $client = $this->serve('classic', 'howdah_param PHP_ADMIN_VALUE $arg_set if_not_empty;');
        $right = $client->get('/functions')->body;
        $pairs = ['/functions?set=disable_functions=md5,strrev', '/functions'];

        $answers = $client->all([...$pairs, ...$pairs, ...$pairs, ...$pairs]);

        self::assertSame('["d41d8cd98f00b204e9800998ecf8427e","cba",true,""]', $right, $this->log());
        $undefined = '["Call to undefined function md5()","Call to undefined function strrev()",false,"md5,strrev"]';
        $expected = array_merge(...array_fill(0, 4, [$undefined, $right]));
        self::assertSame($expected, array_column($answers, 'body'), $this->log());
        self::assertSame($right, $client->get('/functions')->body);
        self::assertStringNotContainsString('crash', $this->log());
    }

    /** What is preloaded calls them, too, and is everybody's. */
    public function test_functions_cannot_be_disabled_for_one_request_where_code_is_preloaded(): void
    {
        $user = posix_getpwuid(posix_geteuid())['name'] ?? '';
        $preload = 'howdah_ini opcache.preload=' . __DIR__ . "/app/nginx/preload.php; howdah_ini opcache.preload_user=$user;";
        $directive = 'howdah_param PHP_ADMIN_VALUE $arg_set if_not_empty;';
        $client = $this->serve('classic', $directive, ['howdah_concurrency' => "$preload howdah_concurrency"]);

        $response = $client->get('/functions?set=disable_functions=md5');

        self::assertSame(500, $response->status, $this->log());
        self::assertStringContainsString('disable_functions cannot be set for one request where code is', $this->log());
    }

    public function test_php_values_are_refused_in_worker_mode(): void
    {
        $this->start('worker', 'howdah_param PHP_VALUE "precision=5";');

        self::assertTrue($this->ends());
        self::assertStringContainsString('"howdah_param PHP_VALUE" needs "howdah_pass classic"', $this->log());
    }

    #[TestWith(['0'])]
    #[TestWith(['25h'])]
    public function test_a_boot_has_a_limit_that_a_reload_can_wait_for(string $limit): void
    {
        $this->start('worker', "howdah_boot_timeout $limit;");

        self::assertTrue($this->ends());
        self::assertStringContainsString('"howdah_boot_timeout" in location "/" must be from 1ms to 24h', $this->log());
    }

    /** @return iterable<string, array{string, string}> */
    public static function filesOfNoUse(): iterable
    {
        $pass = 'howdah_pass classic $document_root$uri;';
        yield 'unknown word' => ["howdah_files front=index.php; $pass", 'takes "htaccess", "front=/index.php"'];
        yield 'without PHP' => ['howdah_files;', 'needs "howdah_pass"'];
        yield 'alias' => ["alias /srv/; howdah_files; $pass", 'needs "root"'];
        yield 'what boots, where no script runs' => ["howdah_files boot=/x.php; $pass", 'has "boot", which is for "scripts"'];
        yield 'what boots, by a relative path' => ["howdah_files boot=x.php; $pass", '"boot=/worker.php" and'];
        yield 'scripts in classic mode' => ["howdah_files scripts=@x; $pass", 'has "scripts", which is for'];
        $pass = 'howdah_pass worker ' . __FILE__ . ';';
        yield 'a front controller in worker mode' => ["howdah_files front=/index.php; $pass", 'has "front", which is for'];
    }

    #[DataProvider('filesOfNoUse')]
    public function test_files_that_cannot_be_served_are_refused_with_a_reason(string $location, string $message): void
    {
        $this->start('classic', "location /wrong/ { $location }");

        self::assertTrue($this->ends());
        self::assertStringContainsString('"howdah_files"', $this->log());
        self::assertStringContainsString($message, $this->log());
    }

    public function test_settings_of_a_host_in_php_ini_are_of_its_requests(): void
    {
        file_put_contents("{$this->folder}/host.ini", "[HOST=Named.example]\nerror_prepend_string = \"by name\"\n");
        putenv("PHP_INI_SCAN_DIR=:{$this->folder}");
        $client = $this->serve('classic', 'server_name Named.example;');
        putenv('PHP_INI_SCAN_DIR');

        self::assertSame('"by name"', $client->get('/setting?name=error_prepend_string')->body, $this->log());
    }
}
