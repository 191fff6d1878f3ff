<?php

declare(strict_types=1);

namespace Howdah\Bench\Data;

use Howdah\Bench\Machine\Peer;
use Howdah\Bench\Server\Application;
use Howdah\Cli\Failure;
use Howdah\Cli\Program;
use Howdah\Cli\RuntimeFolder;

/** A copy of a new project of CodeIgniter, which a variable names, with the endpoints of bench/app/codeigniter. */
final class CodeIgniter
{
    public const VARIABLE = 'HOWDAH_BENCH_CODEIGNITER';

    /** What worker mode needs, since 4.7. */
    private const NEEDED = ['spark', 'app/Config/Routes.php', 'app/Config/WorkerMode.php', 'public/index.php'];

    private readonly RuntimeFolder $folder;

    /** @param string $ours bench/app/codeigniter */
    public function __construct(string $ours, Postgres $postgres, Redis $redis)
    {
        $this->folder = new RuntimeFolder();
        self::run(['cp', '-a', (string) Peer::named(self::VARIABLE), $this->path()]);
        self::run(['cp', "$ours/Bench.php", "{$this->path()}/app/Controllers/Bench.php"]);
        self::run(['cp', "$ours/page.php", "{$this->path()}/app/Views/bench.php"]);
        self::write("{$this->path()}/app/Config/Routes.php", self::text("$ours/routes.txt"), FILE_APPEND);
        self::write("{$this->path()}/.env", self::settings($postgres, $redis));
        if (!is_file("{$this->path()}/public/frankenphp-worker.php")) {
            self::run([PHP_BINARY, "{$this->path()}/spark", 'worker:install']);
        }
    }

    /** What this machine lacks, and the way out; null when nothing is. */
    public static function missing(): ?string
    {
        $way = '`git clone --depth=1 --branch=v4.7.2 https://github.com/codeigniter4/CodeIgniter4`'
            . ' or `composer create-project codeigniter4/appstarter` makes one';
        $project = Peer::named(self::VARIABLE);
        if ($project === null) {
            return self::VARIABLE . " names no project of CodeIgniter 4.7 or newer: $way";
        }
        $lacking = array_filter(self::NEEDED, static fn (string $file): bool => !is_file("$project/$file"));

        return $lacking === [] ? null
            : self::VARIABLE . " names $project, which has no " . implode(', no ', $lacking) . ": $way";
    }

    /** What a file of ours says. */
    public static function text(string $file): string
    {
        $text = @file_get_contents($file);

        return $text === false ? throw new Failure("$file cannot be read") : $text;
    }

    public function application(): Application
    {
        $public = "{$this->path()}/public";

        return new Application($public, "$public/index.php", "$public/frankenphp-worker.php");
    }

    public function remove(): void
    {
        $this->folder->remove();
    }

    private function path(): string
    {
        return "{$this->folder->path}/project";
    }

    private static function settings(Postgres $postgres, Redis $redis): string
    {
        $database = $postgres->environment();

        return implode("\n", [
            'CI_ENVIRONMENT = production',
            "app.indexPage = ''",
            'database.default.DBDriver = Postgre',
            "database.default.hostname = {$database['DB_HOST']}",
            "database.default.database = {$database['DB_DATABASE']}",
            "database.default.username = {$database['DB_USERNAME']}",
            "database.default.password = ''",
            'database.default.port = 5432',
            'database.default.charset = utf8',
            'cache.handler = redis',
            "cache.redis.host = {$redis->address()}",
            'cache.redis.port = 0',
            'cache.redis.database = 1',
            'session.driver = CodeIgniter\Session\Handlers\RedisHandler',
            "session.savePath = {$redis->address()}?database=0",
            '',
        ]);
    }

    /** @param list<string> $command */
    private static function run(array $command): void
    {
        $done = Program::run([Program::find($command[0]) ?? $command[0], ...array_slice($command, 1)]);
        if ($done->status !== 0) {
            throw new Failure(implode(' ', $command) . " ended with exit status $done->status: $done->output $done->errors");
        }
    }

    private static function write(string $file, string $text, int $flags = 0): void
    {
        if (@file_put_contents($file, $text, $flags) !== strlen($text)) {
            throw new Failure("$file cannot be written");
        }
    }
}
