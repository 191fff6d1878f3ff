<?php

declare(strict_types=1);

namespace Howdah\BenchTests;

use Howdah\Bench\Load\Answer;
use Howdah\Bench\Machine\Process;
use Howdah\Bench\Rules\Traffic;
use Howdah\Bench\Server\Running;
use Howdah\Cli\RuntimeFolder;

/** The server that breaks a rule where its path says which (rules.php, arena.php), and what a database would have counted of it. */
final class RulesServer extends Running implements Traffic
{
    public function __construct(private readonly string $script = 'rules.php')
    {
    }

    public function statements(string $verb): int
    {
        return $this->ask('counts')[$verb] ?? -1;
    }

    public function rows(string $verb): int
    {
        return $this->ask('counts')["rows $verb"] ?? -1;
    }

    public function contents(): array
    {
        /** @var array<int, int> $worlds */
        $worlds = $this->ask('contents');

        return $worlds;
    }

    protected function launch(RuntimeFolder $folder, int $port): array
    {
        return [Process::start('rules', [PHP_BINARY, '-n', __DIR__ . "/$this->script", (string) $port], $folder)];
    }

    /** @return array<int> */
    private function ask(string $what): array
    {
        /** @var array<int> $numbers */
        $numbers = json_decode(Answer::get($this->port(), "/none/$what")->body ?? '[]', true);

        return $numbers;
    }
}
