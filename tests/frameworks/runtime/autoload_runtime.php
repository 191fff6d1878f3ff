<?php

/**
 * Stands in for symfony/runtime, which the registry of the tests does not have: its interfaces, and how it calls them. What is
 * tested is packages/runtime.
 */

declare(strict_types=1);

namespace Symfony\Component\Runtime {
    use LogicException;
    use Symfony\Component\HttpFoundation\Request;
    use Symfony\Component\HttpKernel\HttpKernelInterface;

    interface RunnerInterface
    {
        public function run(): int;
    }

    class SymfonyRuntime
    {
        /** @param array<string, mixed> $options */
        public function __construct(protected array $options = [])
        {
            $_SERVER['FROM_DOTENV'] = 'as .env has it';
        }

        public function getRunner(?object $application): RunnerInterface
        {
            if (!$application instanceof HttpKernelInterface) {
                throw new LogicException('only kernels are run here');
            }

            return new class ($application) implements RunnerInterface {
                public function __construct(private readonly HttpKernelInterface $kernel)
                {
                }

                public function run(): int
                {
                    $this->kernel->handle(Request::createFromGlobals())->send();

                    return 0;
                }
            };
        }
    }
}

namespace {
    if (true === (require_once (string) getenv('HOWDAH_RUNTIME_VENDOR') . '/autoload.php')) {
        return;
    }
    $package = (string) getenv('HOWDAH_RUNTIME_PACKAGE');
    foreach ($package === '' ? [] : ['Runner', 'Runtime'] as $class) {
        require "$package/$class.php";
    }
    $application = (require (string) $_SERVER['SCRIPT_FILENAME'])($_SERVER);
    $class = $_SERVER['APP_RUNTIME'] ?? (string) getenv('APP_RUNTIME');
    exit((new $class())->getRunner($application)->run());
}
