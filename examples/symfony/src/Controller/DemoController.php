<?php

declare(strict_types=1);

namespace App\Controller;

use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Routing\Attribute\Route;

final class DemoController extends AbstractController
{
    private const MS_AT_MOST = 10_000;

    #[Route('/', name: 'front', methods: 'GET')]
    public function front(): Response
    {
        return $this->render('front.html.twig', ['status' => self::status()]);
    }

    #[Route('/api/hello', name: 'hello', methods: 'GET')]
    public function hello(): JsonResponse
    {
        return new JsonResponse(['message' => 'Hello']);
    }

    /** The same for everybody: what a template costs. */
    #[Route('/page', name: 'page', methods: 'GET')]
    public function page(): Response
    {
        $article = static fn (int $number): array => [
            'name' => "Article <$number>",
            'price' => $number * 1.25,
            'sold' => $number % 3 === 0,
        ];

        return $this->render('page.html.twig', ['title' => 'Articles & more', 'articles' => array_map($article, range(1, 20))]);
    }

    #[Route('/counter', name: 'counter', methods: 'GET')]
    public function counter(Request $request): Response
    {
        $session = $request->getSession();
        $session->set('visits', $session->get('visits', 0) + 1);

        return $this->render('counter.html.twig', ['visits' => $session->get('visits')]);
    }

    #[Route('/sleep/{ms<\d+>}', name: 'sleep', methods: 'GET')]
    public function sleep(int $ms): JsonResponse
    {
        $ms = min($ms, self::MS_AT_MOST);
        $begun = hrtime(true);
        usleep($ms * 1000);

        return new JsonResponse(['asked_ms' => $ms, 'took_ms' => (hrtime(true) - $begun) / 1e6] + self::status());
    }

    /**
     * @return array<string, int|float|string>
     */
    private static function status(): array
    {
        return function_exists('Howdah\status') ? \Howdah\status() : ['worker' => (int) getmypid(), 'mode' => PHP_SAPI];
    }
}
