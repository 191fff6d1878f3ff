<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * A page for people that shows what the server does: one file, which asks for JSON once a second.
 *
 * It shows what clients ask for, so it is for this machine alone: the address must be of it, the name in the request too (a
 * page of somebody else's may have a name that leads here: DNS rebinding), and nothing may say that a proxy has passed it on.
 * Proxies that say nothing, as nginx unless it is told to, speak HTTP/1.0, as no browser does.
 */
final readonly class LivePage
{
    public const FILE = 'live.html';

    private const PATH = '/_howdah';

    /** Headers that proxies add. */
    private const FORWARDED = ['x_forwarded_for', 'x_forwarded_host', 'x_real_ip', 'forwarded', 'via'];

    private function __construct(
        private Listen $listen,
        public bool $isAskedFor,
        public bool $isServed,
    ) {
    }

    public static function define(Command $command): void
    {
        $command->addOption('live-page', null, InputOption::VALUE_NEGATABLE, 'A page at ' . self::PATH . ', for this machine'
            . ' alone, that shows what the server does (default: with --dev, without --user and --trusted-proxy)');
    }

    /** @param bool $isUsual it is served where nobody has said anything, and nobody else reaches it */
    public static function fromInput(InputInterface $input, Listen $listen, bool $isUsual): self
    {
        $asked = $input->hasOption('live-page') ? $input->getOption('live-page') : false;

        return new self($listen, $asked === true, $asked === true || ($asked === null && $isUsual && $listen->isLoopback()));
    }

    /** As a person would open it; null: there is none, or no browser gets there. */
    public function url(): ?string
    {
        return $this->isServed && $this->listen->host() !== '' ? $this->listen->toUrl() . self::PATH : null;
    }

    /** @return list<string> of nginx's http block */
    public function maps(): array
    {
        $asked = '$host|' . implode('|', array_map(static fn (string $name): string => "\$http_$name", self::FORWARDED));
        $names = implode('|', $this->listen->ownNames());
        $nobody = str_repeat('\|', count(self::FORWARDED));

        return [
            '# The live page: who asks for it by a name of this machine, through nobody else.',
            "map \"$asked|\$server_protocol\" \$howdah_live_page {",
            '    default 0;',
            '    ' . NginxString::literal("~*^($names)$nobody\\|HTTP/(1\\.1|2\\.0|3\\.0)\$") . ' 1;',
            '}',
            '',
        ];
    }

    /**
     * @param  string|null  $log below nginx's prefix; null: the page has none to show
     * @return list<string> of nginx's server block
     */
    public function locations(string $file, ?string $log): array
    {
        return [
            ...$this->location('', [
                'alias ' . NginxString::withoutVariables($file) . ';',
                'types { }',
                'add_header Cache-Control no-store;',
                'default_type "text/html; charset=utf-8";',
                'add_header Content-Security-Policy ' . NginxString::literal($this->policy($file)) . ';',
                'add_header X-Frame-Options DENY;',
            ]),
            ...$this->location('/requests', ['howdah_top;']),
            ...$this->location('/status', ['howdah_status json;']),
            ...$this->location('/log', $log === null ? ['return 404;'] : [
                "alias $log;",
                'types { }',
                'default_type "text/plain; charset=utf-8";',
                'add_header Cache-Control no-store;',
                'etag off;',
                'if_modified_since off;',
            ]),
            '',
        ];
    }

    /**
     * @param  list<string> $lines
     * @return list<string>
     */
    private function location(string $path, array $lines): array
    {
        $common = [
            'if ($howdah_live_page = 0) { return 403; }',
            'allow 127.0.0.0/8;',
            'allow ::1;',
            ...($this->listen->host() === '' ? ['allow unix:;'] : []),
            'deny all;',
            'access_log off;',
            'add_header X-Content-Type-Options nosniff;',
            'add_header Referrer-Policy no-referrer;',
            'add_header Cross-Origin-Resource-Policy same-origin;',
        ];
        $all = array_map(static fn (string $line): string => "    $line", [...$common, ...$lines]);

        return ['location = ' . self::PATH . "$path {", ...$all, '}'];
    }

    /** What the page has is in the file: its script and its style, by their digests, and nothing else. */
    private function policy(string $file): string
    {
        $text = @file_get_contents($file);
        if ($text === false) {
            throw new Failure("the live page cannot be read ($file): install Howdah again, or give --no-live-page");
        }
        $digest = static function (string $element) use ($text): string {
            preg_match("~<$element>(.*?)</$element>~s", $text, $match);

            return "'sha256-" . base64_encode(hash('sha256', $match[1] ?? '', true)) . "'";
        };

        return "default-src 'none'; script-src {$digest('script')}; style-src {$digest('style')}; connect-src 'self';"
            . " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    }
}
