<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Control\PassedSocket;
use Howdah\Cli\Tls\TlsOptions;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** Where a server listens, as it is said in one of three ways: --listen, --host and --port, or the variable PORT. */
final readonly class ListenOptions
{
    private const HOST = '127.0.0.1';
    private const PORT = '8080';
    private const TLS_PORT = '8443';

    public static function define(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $command
            ->addOption('listen', null, $value, 'HOST:PORT, PORT, [IPV6]:PORT or unix:/path (default: 127.0.0.1:8080, with'
                . ' TLS 127.0.0.1:8443, or the next port that is free)')
            ->addOption('host', null, $value, 'The address alone, as in --host=0.0.0.0 for everybody (default: ' . self::HOST
                . ')', null, [self::HOST, 'localhost', '0.0.0.0', '[::]'])
            ->addOption('port', 'p', $value, 'The port alone (default: the variable PORT, or ' . self::PORT
                . ', with TLS ' . self::TLS_PORT . ')');
    }

    public static function fromInput(InputInterface $input): Listen
    {
        $isTls = TlsOptions::fromInput($input)->isOn;
        $listen = self::address($input, $isTls ? self::TLS_PORT : self::PORT);

        return $isTls ? $listen->withTls() : $listen;
    }

    private static function address(InputInterface $input, string $usualPort): Listen
    {
        $text = static function (string $name) use ($input): ?string {
            $value = $input->hasOption($name) ? $input->getOption($name) : null;

            return is_string($value) ? $value : null;
        };
        $given = $text('listen');
        if ($given !== null) {
            if ($text('host') !== null || $text('port') !== null) {
                throw new Failure("--listen=$given has host and port in it: leave out --host and --port, or --listen");
            }

            return Listen::parse($given);
        }
        $port = self::port($text('port'));
        $host = $text('host') ?? self::HOST;
        if ($host === '') {
            throw new Failure('--host= is empty: give an address, as in --host=0.0.0.0 for everybody');
        }
        // An IPv6 address as people write it alone.
        $host = str_contains($host, ':') && $host[0] !== '[' ? "[$host]" : $host;
        $listen = Listen::parse("$host:" . ($port ?? $usualPort), "--host=$host");

        return $port === null ? $listen->orNext() : $listen;
    }

    /**
     * Takes the socket that was passed, or another port where nobody has named one and it is in use: the input says so from
     * then on.
     *
     * @return string|null what the user should know
     */
    public static function settle(InputInterface $input, ?PassedSocket $passed = null): ?string
    {
        if ($passed !== null) {
            self::take($input, $passed->address);

            return null;
        }
        $asked = self::fromInput($input);
        $status = StatusAddress::named($input);
        $free = $asked->free($status);
        if ($free === $asked) {
            return null;
        }
        self::name($input, $free->toNginx());

        $why = $status?->overlaps($asked) === true ? 'that of --status' : 'in use by another program';

        return "port {$asked->port()} is $why: {$free->toUrl()} instead (--port= says which)";
    }

    private static function name(InputInterface $input, string $address): void
    {
        $input->setOption('listen', $address);
        $input->setOption('host', null);
        $input->setOption('port', null);
    }

    private static function take(InputInterface $input, string $address): void
    {
        $isNamed = array_filter(array_map($input->getOption(...), ['listen', 'host', 'port']), is_string(...)) !== [];
        $passed = Listen::parse($address, "systemd's socket $address");
        if ($isNamed && !self::address($input, self::PORT)->isSame($passed)) {
            throw new Failure("systemd passes a socket that listens on $address, and the options name another address: leave"
                . ' out --listen, --host and --port, or change ListenStream= of the .socket unit');
        }
        self::name($input, $address);
    }

    /** null: nobody names one. */
    private static function port(?string $option): ?string
    {
        $variable = (string) getenv('PORT');
        $port = $option ?? ($variable === '' ? null : $variable);
        if ($port !== null && (preg_match('/^\d{1,5}$/D', $port) !== 1 || (int) $port < 1 || (int) $port > 65535)) {
            $source = $option !== null ? "--port=$port" : "PORT=$port (a variable of the environment)";
            throw new Failure("$source is no port: give a number from 1 to 65535");
        }

        return $port;
    }
}
