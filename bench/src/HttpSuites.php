<?php

declare(strict_types=1);

namespace Howdah\Bench;

use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\Page;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Server\Content;
use Howdah\Bench\Server\Fpm;
use Howdah\Bench\Server\Realms;
use Howdah\Bench\Server\StaticFile;
use Howdah\Bench\Suite\Multiplexed;
use Howdah\Bench\Suite\Speed;
use Howdah\Bench\Suite\Streams;
use Howdah\Bench\Suite\Suite;
use Howdah\Bench\Suite\Uploads;

/** Bodies in both directions, streams and files: what is nginx's and what passes through PHP. */
final readonly class HttpSuites extends SuiteKit
{
    private const ALONE = 'nginx alone';
    private const BESIDE = 'nginx with Howdah';

    private const STREAMS = 1000;

    /** A child for each stream: a thousand children would be the machine that is measured. */
    private const FPM_STREAMS = 100;

    /** @return list<Suite> */
    public function all(): array
    {
        return [
            $this->bodies('http-10kb', 10),
            $this->bodies('http-1mb', 1024),
            $this->file(),
            $this->uploads('http-upload', 10, 4, 0),
            $this->uploads('http-upload-1gb', 1024, 1, 1),
            $this->streams(),
            $this->multiplexed(),
        ];
    }

    private function bodies(string $name, int $kilobytes): Suite
    {
        $page = Page::saying("/?kb=$kilobytes", str_repeat('0123456789abcdef', $kilobytes * 64));
        $title = "responses of $kilobytes KB, " . self::CONNECTIONS . ' connections';

        return new Speed($name, $title, $this->load(), $this->three('body', $page), [
            Goal::atLeast(1, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::atLeast(1, 'classic mode / php-fpm', Metric::Rate, self::CLASSIC, self::FPM),
        ]);
    }

    private function file(): Suite
    {
        $folder = "$this->root/bench/app";
        $page = Page::saying('/', (string) file_get_contents("$folder/hello.php"));

        return new Speed('http-file', 'a file, ' . self::CONNECTIONS . ' connections', $this->load(), [
            $this->contender(self::ALONE, new StaticFile($folder), $page),
            $this->contender(self::BESIDE, new StaticFile($folder, $this->tools->module), $page),
        ], [
            Goal::atLeast(0.97, 'with Howdah / nginx alone', Metric::Rate, self::BESIDE, self::ALONE),
        ]);
    }

    /** @param int<1, 1024> $megabytes */
    private function uploads(string $name, int $megabytes, int $connections, int $most): Suite
    {
        $title = "bodies of $megabytes MB, $connections at a time";

        return new Uploads($name, $title, $megabytes, $connections, $most, $this->three('upload', Page::saying('/', "0\n")), [
            Goal::atLeast(1, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::below(20, 'worker mode: extra memory, MiB', Metric::ExtraMemory, self::WORKER),
            Goal::below(20, 'classic mode: extra memory, MiB', Metric::ExtraMemory, self::CLASSIC),
        ]);
    }

    private function streams(): Suite
    {
        $page = Page::saying('/', "data: 0\n\n");
        $counts = [self::WORKER => self::STREAMS, self::CLASSIC => self::STREAMS, self::FPM => self::FPM_STREAMS];
        $title = 'event streams that are open at once, five events a second in each';

        $contenders = $this->three('events', $page, self::STREAMS + 8, self::FPM_STREAMS);

        return new Streams('http-events', $title, 20, $counts, $contenders, [
            Goal::below(700, 'worker mode: memory of a stream, KB', Metric::ParkedMemory, self::WORKER),
            Goal::atLeastOf(0.9, 'worker mode / ideal (5 events a second)', Metric::Rate, self::WORKER, self::STREAMS * 5),
        ]);
    }

    private function multiplexed(): Suite
    {
        $page = Page::saying('/?kb=1', str_repeat('0123456789abcdef', 64));
        $sockets = [];
        foreach ([self::WORKER, self::CLASSIC, self::FPM] as $number => $name) {
            $sockets[$name] = sys_get_temp_dir() . '/howdah-h2-' . getmypid() . "-$number.sock";
        }
        $contenders = $this->three('body', $page, sockets: $sockets);

        return new Multiplexed('http2', 'HTTP/2: 4 connections with 32 streams at once in each', $sockets, $contenders, [
            Goal::atLeast(1, 'worker mode / php-fpm', Metric::Rate, self::WORKER, self::FPM),
            Goal::atLeast(1, 'classic mode / php-fpm', Metric::Rate, self::CLASSIC, self::FPM),
        ]);
    }

    /**
     * @param array<string, string> $sockets by the contender's name
     *
     * @return list<Contender>
     */
    private function three(string $script, Page $page, int $realms = 16, int $children = 1, array $sockets = []): array
    {
        $application = $this->own($script);
        $contents = [
            self::WORKER => Realms::worker($this->tools->module, $application, $realms),
            self::CLASSIC => Realms::classic($this->tools->module, $application, $realms),
            self::FPM => new Fpm($this->tools, $application, $children),
        ];
        $contender = fn (string $name, Content $content): Contender =>
            $this->contender($name, $content, $page, http2: $sockets[$name] ?? null);

        return array_map($contender, array_keys($contents), $contents);
    }
}
