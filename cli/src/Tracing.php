<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Control\LogicalPath;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/** Where requests and their waits are told of as traces. */
final readonly class Tracing
{
    private const URL = 'trace';
    private const SAMPLE = 'trace-sample';
    private const SERVICE = 'trace-service';
    private const SERVICE_MOST = 255;

    /** @param string $sample as nginx reads it */
    private function __construct(private string $url, private string $sample, private string $service)
    {
    }

    public static function define(Command $command): void
    {
        $value = InputOption::VALUE_REQUIRED;
        $command->addOption(self::URL, null, $value, 'Send requests and waits as OpenTelemetry traces to this collector, as'
            . ' http://127.0.0.1:4318')
            ->addOption(self::SAMPLE, null, $value, 'With --trace: of the traces that begin here record this part, 0 to 1'
                . ' (default: 1, all)')
            ->addOption(self::SERVICE, null, $value, "With --trace: the service's name (default: the project folder's name)");
    }

    /** Null: there are none. */
    public static function fromInput(InputInterface $input, string $project): ?self
    {
        [$url, $sample, $service] = array_map(static function (string $name) use ($input): ?string {
            $value = $input->hasOption($name) ? $input->getOption($name) : null;

            return is_string($value) ? $value : null;
        }, [self::URL, self::SAMPLE, self::SERVICE]);
        if ($url === null) {
            foreach ([self::SAMPLE => $sample, self::SERVICE => $service] as $name => $value) {
                if ($value !== null) {
                    throw new Failure("--$name=$value: say where traces go, as in --trace=http://127.0.0.1:4318");
                }
            }

            return null;
        }
        $form = '~^http://(?!unix:)[^\s/$@?#]+:[1-9]\d{0,4}(/[!-\~]*)?$~D';
        if (preg_match($form, $url) !== 1 || strpbrk($url, '$#') !== false || parse_url($url, PHP_URL_PORT) === false) {
            throw new Failure("--trace=$url is no collector's URL: give http, a host and a port, as in http://127.0.0.1:4318"
                . ' (for https let a collector on this machine pass spans on)');
        }
        if ($sample !== null && preg_match('/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/D', $sample) !== 1) {
            throw new Failure("--trace-sample=$sample is out of range: give a number from 0 to 1, as 0.1 for each tenth trace");
        }
        if ($service !== null && strlen($service) > self::SERVICE_MOST) {
            $is = strlen($service) . ' bytes long: give a name of at most ' . self::SERVICE_MOST;
            throw new Failure("--trace-service= is $is");
        }
        if ($service === '') {
            throw new Failure('--trace-service= is empty: give the name by which the service is found');
        }

        return new self($url, $sample ?? '1', $service ?? self::nameOf($project));
    }

    /**
     * The name that stays from release to release: that of the link a deployment switches, and where all applications have the
     * same (`/srv/shop/current`), of its folder.
     */
    private static function nameOf(string $project): string
    {
        $path = LogicalPath::of($project);
        $path = basename($path) === '..' ? (string) realpath($project) : $path;
        $path = is_link($path) && basename($path) === 'current' ? dirname($path) : $path;

        return basename($path) ?: 'php';
    }

    /** @return list<string> of nginx's http block */
    public function lines(): array
    {
        $service = NginxString::literal("service={$this->service}");

        return ['howdah_trace ' . NginxString::literal($this->url) . " sample={$this->sample} $service;"];
    }
}
