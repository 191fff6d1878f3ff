<?php

declare(strict_types=1);

namespace Howdah\Runtime;

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\HttpKernelInterface;
use Symfony\Component\HttpKernel\KernelInterface;
use Symfony\Component\HttpKernel\TerminableInterface;
use Symfony\Component\Runtime\RunnerInterface;

/** Hands one request after another to a kernel. */
final readonly class Runner implements RunnerInterface
{
    /**
     * @param int  $most  requests that this script serves; 0 or less: all
     * @param bool $reset whether services are made anew for each request, or only those reset that ask for it
     */
    public function __construct(private HttpKernelInterface $kernel, private int $most, private bool $reset)
    {
    }

    public function run(): int
    {
        // The worker outlives the visitor who closes the connection.
        ignore_user_abort(true);
        // What the Runtime read from .env; the server only knows the environment that it was started with.
        $boot = array_filter(
            $_SERVER,
            static fn (string $name): bool => !str_starts_with($name, 'HTTP_'),
            ARRAY_FILTER_USE_KEY
        );
        // As Symfony's own runner says it: 2 where services are made anew.
        $boot['APP_RUNTIME_MODE'] = 'web=1&worker=' . ($this->reset ? 2 : 1);
        $served = 0;
        do {
            $goesOn = frankenphp_handle_request(fn () => $this->handle($boot));
            if ($this->reset && $this->kernel instanceof KernelInterface) {
                $this->kernel->shutdown();
            }
            gc_collect_cycles();
        } while ($goesOn && ($this->most <= 0 || ++$served < $this->most));

        return 0;
    }

    /** @param array<string, mixed> $boot */
    private function handle(array $boot): void
    {
        // Of the front controller: the request itself only knows the worker script.
        $name = '/' . basename($boot['SCRIPT_FILENAME']);
        $_SERVER = ['SCRIPT_FILENAME' => $boot['SCRIPT_FILENAME'], 'SCRIPT_NAME' => $name, 'PHP_SELF' => $name]
            + $_SERVER + $boot;
        $request = Request::createFromGlobals();
        $response = $this->kernel->handle($request);
        $response->send();
        if ($this->kernel instanceof TerminableInterface) {
            $this->kernel->terminate($request, $response);
        }
    }
}
