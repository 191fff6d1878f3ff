<?php

/* Stand-ins for the Symfony example's kernel and what it is handed: it answers with what it was asked. */

declare(strict_types=1);

namespace App {
    use Symfony\Component\HttpFoundation\Request;
    use Symfony\Component\HttpFoundation\Response;

    final class Kernel
    {
        private int $answered = 0;
        private int $terminated = 0;

        public static function fromEnvironment(): self
        {
            return new self();
        }

        public function boot(): void
        {
        }

        public function handle(Request $request): Response
        {
            return new Response("$request->method $request->uri, $request->host, answer $this->answered of $this->terminated");
        }

        public function terminate(Request $request, Response $response): void
        {
            $this->answered++;
            $this->terminated++;
        }
    }
}

namespace Symfony\Component\HttpFoundation {
    final readonly class Request
    {
        private function __construct(public string $method, public string $uri, public string $host)
        {
        }

        /**
         * @param array<string, string> $parameters
         * @param array<string, string> $cookies
         * @param array<string, mixed>  $files
         * @param array<string, string> $server
         */
        public static function create(
            string $uri,
            string $method,
            array $parameters,
            array $cookies,
            array $files,
            array $server,
            string $body,
        ): self {
            return new self($method, $uri, $server['HTTP_HOST'] . $body . count([...$parameters, ...$cookies, ...$files]));
        }
    }

    final readonly class Response
    {
        public Headers $headers;

        public function __construct(private string $content)
        {
            $this->headers = new Headers();
        }

        public function getStatusCode(): int
        {
            return 201;
        }

        public function getContent(): string
        {
            return $this->content;
        }
    }

    final class Headers
    {
        /** @return array<string, list<string>> */
        public function all(): array
        {
            return ['x-one' => ['1', '2']];
        }
    }
}
