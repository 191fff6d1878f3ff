<?php

declare(strict_types=1);

namespace App;

use App\Probe\Psr15Checks;
use App\Probe\Superglobals;
use Howdah\Psr15\Runner;
use Howdah\Psr15\ServerRequests;
use Howdah\Tests\Isolation\Probe;
use InvalidArgumentException;
use LogicException;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Response;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Message\UploadedFileInterface;
use Psr\Http\Server\RequestHandlerInterface;
use RuntimeException;

/** The pages, and how they are served: the same in worker mode and under php-fpm. */
final class Application
{
    private const MS_AT_MOST = 10_000;

    private static ?ServerRequestInterface $kept = null;

    public static function runner(): Runner
    {
        $factory = new Psr17Factory();

        return new Runner(self::handler(), new ServerRequests($factory, $factory, $factory));
    }

    public static function handler(): RequestHandlerInterface
    {
        $pages = array_map(static fn (callable $page): Page => new Page($page(...)), [
            '/ping' => self::ping(...),
            '/echo' => self::echo(...),
            '/sleep/{ms}' => self::sleep(...),
            '/large/{kb}' => self::large(...),
            '/cookies' => self::cookies(...),
            '/status/{status}' => self::status(...),
            '/keep' => self::keep(...),
            '/kept' => self::kept(...),
            '/throw' => static fn () => throw new RuntimeException('thrown by a handler'),
            '/probe' => self::probe(...),
        ]);
        $nowhere = new Page(static fn (): Response => Json::response(['message' => 'There is no such page.'], 404));

        return Pipeline::of($nowhere, new Headers(), new Routing($pages));
    }

    /** Mezzio's skeleton has the same. */
    private static function ping(): ResponseInterface
    {
        return Json::response(['ack' => time()]);
    }

    /** All that the handler was given. */
    private static function echo(ServerRequestInterface $request): ResponseInterface
    {
        $files = [];
        $uploads = $request->getUploadedFiles();
        array_walk_recursive(
            $uploads,
            static function (UploadedFileInterface $file, int|string $key) use (&$files): void {
                $text = $file->getError() === UPLOAD_ERR_OK ? (string) $file->getStream() : '';
                $files[] = [$key, $file->getClientFilename(), $file->getClientMediaType(), $file->getSize(), md5($text), $file->getError()];
            },
        );

        return Json::response([
            'method' => $request->getMethod(),
            'uri' => (string) $request->getUri(),
            'version' => $request->getProtocolVersion(),
            'headers' => $request->getHeaders(),
            'query' => $request->getQueryParams(),
            'cookies' => $request->getCookieParams(),
            'form' => $request->getParsedBody(),
            'files' => $files,
            'body' => (string) $request->getBody(),
            'attributes' => $request->getAttributes(),
            'remote' => $request->getServerParams()['REMOTE_ADDR'] ?? null,
            'superglobals' => Superglobals::told(),
        ]);
    }

    private static function sleep(ServerRequestInterface $request): ResponseInterface
    {
        $ms = min((int) $request->getAttribute('ms'), self::MS_AT_MOST);
        $begun = hrtime(true);
        usleep($ms * 1000);

        return Json::response(['asked_ms' => $ms, 'took_ms' => (hrtime(true) - $begun) / 1e6]);
    }

    private static function large(ServerRequestInterface $request): ResponseInterface
    {
        return new Response(200, ['Content-Type' => 'text/plain'], str_repeat(str_repeat('x', 1023) . "\n", (int) $request->getAttribute('kb')));
    }

    /** What nobody should do. */
    private static function keep(ServerRequestInterface $request): ResponseInterface
    {
        self::$kept = $request;
        if ($request->getMethod() === 'POST') {
            $request->getUploadedFiles();
        }

        return Json::response(['kept' => true]);
    }

    private static function kept(): ResponseInterface
    {
        try {
            return Json::response(['kept' => self::$kept?->getHeaders()]);
        } catch (LogicException $refusal) {
            return Json::response(['refused' => $refusal->getMessage()]);
        }
    }

    /** A session's cookie is PHP's own header, the others are the response's. */
    private static function cookies(): ResponseInterface
    {
        session_start();
        $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;

        return Json::response(['visits' => $_SESSION['visits']])
            ->withAddedHeader('Set-Cookie', 'one=1')
            ->withAddedHeader('Set-Cookie', 'two=2');
    }

    private static function status(ServerRequestInterface $request): ResponseInterface
    {
        return (new Response((int) $request->getAttribute('status'), ['Location' => '/ping']))
            ->withStatus((int) $request->getAttribute('status'), (string) ($request->getQueryParams()['reason'] ?? ''));
    }

    /** For tests/isolation of Howdah's repository: does this request see any other one's state? */
    private static function probe(ServerRequestInterface $request): ResponseInterface
    {
        require_once __DIR__ . '/../../../tests/isolation/Probe.php';
        try {
            $probe = Probe::fromGlobals();
        } catch (InvalidArgumentException $error) {
            return Json::response(['message' => $error->getMessage()], 400);
        }
        $visits = null;
        if (isset($request->getQueryParams()['session'])) {
            session_start();
            $visits = $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
        }
        foreach (Psr15Checks::for($probe, $request) as $name => $check) {
            $probe->add($name, $check);
        }

        return Json::response($probe->run() + ['session' => $visits], Probe::statusOf($probe->id))
            ->withHeader('X-Probe-Id', $probe->id);
    }
}
