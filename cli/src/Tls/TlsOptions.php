<?php

declare(strict_types=1);

namespace Howdah\Cli\Tls;

use Howdah\Cli\DataFolder;
use Howdah\Cli\Failure;
use Howdah\Cli\Listen;
use Howdah\Cli\Nginx;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** Whether a server speaks TLS, and with whose certificate. */
final readonly class TlsOptions
{
    /** @param GivenFiles|null $given null: the local authority signs */
    private function __construct(public bool $isOn, private ?GivenFiles $given)
    {
    }

    public static function define(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $command
            ->addOption('tls', null, InputOption::VALUE_NONE, 'Serve HTTPS and HTTP/2, with a certificate of an authority that'
                . ' is made for you on this machine')
            ->addOption('tls-certificate', null, $value, 'Serve HTTPS with this certificate and its chain, in PEM form')
            ->addOption('tls-key', null, $value, 'The key of --tls-certificate, in PEM form');
    }

    /** A command without these options speaks plain HTTP. */
    public static function fromInput(InputInterface $input): self
    {
        $text = static function (string $name) use ($input): ?string {
            $value = $input->hasOption($name) ? $input->getOption($name) : null;

            return is_string($value) ? $value : null;
        };
        $certificate = $text('tls-certificate');
        $key = $text('tls-key');
        if ($certificate === '' || $key === '') {
            throw new Failure('--tls-' . ($key === '' ? 'key' : 'certificate') . '= is empty: name a file in PEM form');
        }
        if (($certificate === null) !== ($key === null)) {
            [$there, $missing] = $key === null ? ['certificate', 'key'] : ['key', 'certificate'];
            throw new Failure("--tls-$there needs --tls-$missing=FILE, too (it may be the same file); --tls alone makes both");
        }
        $given = $certificate === null || $key === null ? null : new GivenFiles($certificate, $key);

        return new self($given !== null || ($input->hasOption('tls') && $input->getOption('tls') === true), $given);
    }

    /** @return list<string> that mean the same to a command in another folder */
    public function arguments(): array
    {
        return $this->given?->arguments() ?? ($this->isOn ? ['--tls'] : []);
    }

    public function isLocal(): bool
    {
        return $this->isOn && $this->given === null;
    }

    /**
     * What would be served with, where nothing is to be made.
     *
     * @return array{is: string, warnings: list<string>}
     */
    public function told(Listen $listen, Nginx $nginx): array
    {
        self::assertServed($nginx);
        if ($this->given !== null) {
            $files = $this->given->files($listen, time());

            return ['is' => "$files->certificate and its key", 'warnings' => $files->warnings];
        }
        LocalAuthority::assertCanBeMade();

        return ['is' => (new LocalAuthority(DataFolder::ofThisUser()))->told(time()), 'warnings' => []];
    }

    private static function assertServed(Nginx $nginx): void
    {
        if (!$nginx->has('http_ssl_module')) {
            throw new Failure("TLS needs nginx's module ssl, which {$nginx->path} was built without: leave out --tls or install"
                . ' nginx of Debian');
        }
    }

    /** Null: plain HTTP. */
    public function files(Listen $listen, Nginx $nginx): ?TlsFiles
    {
        if (!$this->isOn) {
            return null;
        }
        self::assertServed($nginx);

        return $this->given?->files($listen, time())
            ?? (new LocalAuthority(DataFolder::ofThisUser()))->filesFor($listen, time());
    }
}
