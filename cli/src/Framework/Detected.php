<?php

declare(strict_types=1);

namespace Howdah\Cli\Framework;

/** What a project seems to be made with: nothing that is known, or frameworks. Of two nobody can say which is served. */
final readonly class Detected
{
    /** @var list<Framework> */
    private array $frameworks;

    public function __construct(private ProjectFiles $files)
    {
        $this->frameworks = array_values(array_filter(
            self::known(),
            static fn (Framework $framework): bool => $framework->isUsed($files),
        ));
    }

    /** @return list<Framework> */
    private static function known(): array
    {
        $resources = dirname(__DIR__, 2) . '/resources';

        return [
            new Laravel($resources),
            new Symfony($resources),
            new CodeIgniter(),
            new Psr15('Mezzio', 'mezzio/mezzio'),
            new Psr15('Slim', 'slim/slim'),
        ];
    }

    /** @return list<string> */
    public function names(): array
    {
        return array_map(static fn (Framework $framework): string => $framework->name(), $this->frameworks);
    }

    /** Null where nothing is known. Of several frameworks the wrong one's script would serve the wrong application: none. */
    public function offer(string $front, ?int $maxRequests): ?Offer
    {
        return match (count($this->frameworks)) {
            0 => null,
            1 => $this->frameworks[0]->offer($this->files, $front, $maxRequests),
            default => Offer::none('it looks like ' . implode(' and like ', $this->names())
                . ', so no worker script is taken: --worker-script=FILE names one'),
        };
    }
}
