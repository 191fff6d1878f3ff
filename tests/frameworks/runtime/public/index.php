<?php

/* A front controller as symfony/skeleton has it, and its kernel. HOWDAH_RUNTIME_VENDOR is a vendor folder with HttpKernel. */

declare(strict_types=1);

use Symfony\Component\Config\Loader\LoaderInterface;
use Symfony\Component\DependencyInjection\ContainerBuilder;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\HttpKernelInterface;
use Symfony\Component\HttpKernel\Kernel;

require_once dirname(__DIR__) . '/vendor/autoload_runtime.php';

return function (array $context): object {
    return new class ('prod', false) extends Kernel {
        private int $requests = 0;
        private int $terminated = 0;

        public function registerBundles(): iterable
        {
            return [];
        }

        public function registerContainerConfiguration(LoaderInterface $loader): void
        {
        }

        protected function build(ContainerBuilder $container): void
        {
            $container->register('tally', ArrayObject::class)->setPublic(true);
        }

        public function getProjectDir(): string
        {
            return dirname(__DIR__);
        }

        public function handle(
            Request $request,
            int $type = HttpKernelInterface::MAIN_REQUEST,
            bool $catch = true,
        ): Response {
            $this->boot();
            $tally = $this->container->get('tally');
            $tally[] = 'a request';

            return new JsonResponse([
                'requests' => ++$this->requests,
                'service' => count($tally),
                'terminated' => $this->terminated,
                'mode' => $_SERVER['APP_RUNTIME_MODE'] ?? null,
                'dotenv' => $_SERVER['FROM_DOTENV'] ?? null,
                'path' => $request->getPathInfo(),
                'query' => $request->query->all(),
            ]);
        }

        public function terminate(Request $request, Response $response): void
        {
            ++$this->terminated;
        }
    };
};
