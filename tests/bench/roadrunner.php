<?php

/* Stand-ins for spiral/roadrunner-worker and -http: queries come from a file, and what is answered goes into another. */

declare(strict_types=1);

namespace Spiral\RoadRunner {
    final class Worker
    {
        public static function create(): self
        {
            return new self();
        }

        public function error(string $error): void
        {
            self::note(['error' => $error]);
        }

        /** @param array<string, mixed> $answer */
        public static function note(array $answer): void
        {
            file_put_contents(getenv('FAKE_ROADRUNNER') . '/answers', json_encode($answer) . "\n", FILE_APPEND);
        }
    }
}

namespace Spiral\RoadRunner\Http {
    use Spiral\RoadRunner\Worker;

    final class Request
    {
        public string $remoteAddr = '127.0.0.1';
        public string $protocol = 'HTTP/1.1';
        public string $method = 'GET';
        public string $uri = '';
        public string $body = '';

        /** @var array<string, list<string>> */
        public array $headers = ['Host' => ['127.0.0.1']];

        /** @var array<string, string> */
        public array $cookies = [];

        /** @var array<mixed> */
        public array $query = [];
    }

    final class HttpWorker
    {
        /** @var list<string> */
        private array $queries;

        public function __construct(private readonly Worker $worker)
        {
            /** @var list<string> $queries */
            $queries = json_decode((string) file_get_contents(getenv('FAKE_ROADRUNNER') . '/queries'), true);
            $this->queries = $queries;
        }

        public function getWorker(): Worker
        {
            return $this->worker;
        }

        public function waitRequest(): ?Request
        {
            $query = array_shift($this->queries);
            if ($query === null) {
                return null;
            }
            $request = new Request();
            $request->uri = 'http://127.0.0.1:80' . (str_starts_with($query, '/') ? $query : "/sleep/1?$query");
            parse_str((string) parse_url($request->uri, PHP_URL_QUERY), $request->query);

            return $request;
        }

        /** @param array<string, array<string>> $headers */
        public function respond(int $status, string $body, array $headers = []): void
        {
            Worker::note(['status' => $status, 'body' => $body, 'headers' => $headers]);
        }
    }
}
