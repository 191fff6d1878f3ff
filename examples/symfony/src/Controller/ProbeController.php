<?php

declare(strict_types=1);

namespace App\Controller;

use App\Probe\SymfonyChecks;
use Howdah\Tests\Isolation\Probe;
use InvalidArgumentException;
use Symfony\Component\DependencyInjection\Attribute\Autowire;
use Symfony\Component\HttpFoundation\Cookie;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\Routing\Attribute\Route;

/**
 * For tests/isolation of Howdah's repository: does this request see any other one's state?
 */
final class ProbeController
{
    public function __construct(
        private readonly SymfonyChecks $checks,
        #[Autowire('%kernel.project_dir%')]
        private readonly string $projectDir,
    ) {
    }

    #[Route('/probe', name: 'probe', methods: ['GET', 'POST'])]
    public function __invoke(Request $request): JsonResponse
    {
        require_once $this->projectDir . '/../../tests/isolation/Probe.php';
        try {
            $probe = Probe::fromGlobals();
        } catch (InvalidArgumentException $error) {
            return new JsonResponse(['message' => $error->getMessage()], 400);
        }
        $visits = null;
        if ($request->query->has('session')) {
            $session = $request->getSession();
            $visits = $session->get('visits', 0) + 1;
            $session->set('visits', $visits);
        }
        foreach ($this->checks->for($probe, $request) as $name => $check) {
            $probe->add($name, $check);
        }
        $answer = $probe->run() + ['session' => $visits, 'cookies' => ['probe_app']];
        $response = new JsonResponse($answer, Probe::statusOf($probe->id));
        $response->headers->set('X-Probe-Id', $probe->id);
        $response->headers->setCookie(Cookie::create('probe_app', $probe->mark('probe_app')));

        return $response;
    }
}
