<?php

declare(strict_types=1);

namespace App\Probe;

use Generator;
use Howdah\Tests\Isolation\Probe;
use Howdah\Tests\Isolation\SettingChecks;
use Symfony\Component\EventDispatcher\EventDispatcherInterface;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\Routing\Generator\UrlGeneratorInterface;
use Symfony\Component\Routing\RequestContext;
use Twig\Environment;

/**
 * What Symfony keeps in its services.
 *
 * @phpstan-import-type Check from \Howdah\Tests\Isolation\Checks
 */
final class SymfonyChecks
{
    public function __construct(
        private readonly Notebook $notebook,
        private readonly RequestStack $requests,
        private readonly RequestContext $context,
        private readonly UrlGeneratorInterface $urls,
        private readonly EventDispatcherInterface $events,
        private readonly Environment $twig,
    ) {
    }

    /**
     * @return array<string, Check>
     */
    public function for(Probe $probe, Request $request): array
    {
        $checks = [
            'symfony service' => $this->service($probe),
            'symfony request' => $this->request($probe, $request),
            'symfony locale' => $this->locale($probe, $request),
            'symfony router' => $this->router($probe),
            'symfony events' => $this->events($probe),
            'symfony twig' => $this->twig($probe),
        ];
        if ($request->hasSession() && $request->getSession()->isStarted()) {
            $checks['symfony session'] = $this->session($probe, $request);
        }

        return $checks;
    }

    /** @return Check */
    private function service(Probe $probe): Generator
    {
        $before = $this->notebook->note;
        $this->notebook->note = $probe->mark('note');
        yield fn (): array => [
            'left by an earlier request' => [null, $before],
            'note' => [$probe->mark('note'), $this->notebook->note],
        ];
    }

    /** @return Check */
    private function request(Probe $probe, Request $request): Generator
    {
        $request->attributes->set('mark', $probe->mark('attribute'));
        yield fn (): array => [
            'current' => [$request, $this->requests->getCurrentRequest()],
            'main' => [$request, $this->requests->getMainRequest()],
            'query' => [$probe->id, $this->requests->getCurrentRequest()?->query->get('id')],
            'header' => [$probe->mark('header'), $this->requests->getCurrentRequest()?->headers->get('X-Probe')],
            'attribute' => [$probe->mark('attribute'), $this->requests->getCurrentRequest()?->attributes->get('mark')],
        ];
    }

    /** @return Check */
    private function locale(Probe $probe, Request $request): Generator
    {
        $before = $request->getLocale();
        // setLocale() sets PHP's default locale too, which the probe's own check of settings has chosen.
        $locale = $probe->choose('locale', SettingChecks::LOCALES);
        $request->setLocale($locale);
        $this->context->setParameter('_locale', $locale);
        yield fn (): array => [
            'left by an earlier request' => ['en', $before],
            'request' => [$locale, $this->requests->getCurrentRequest()?->getLocale()],
            'context' => [$locale, $this->context->getParameter('_locale')],
        ];
        $request->setLocale($before);
    }

    /** @return Check */
    private function router(Probe $probe): Generator
    {
        $ms = $probe->number('url', 1000);
        yield fn (): array => [
            'query of the context' => [true, str_contains($this->context->getQueryString(), "id={$probe->id}")],
            'url' => ["/sleep/{$ms}", $this->urls->generate('sleep', ['ms' => $ms])],
        ];
    }

    /** @return Check */
    private function events(Probe $probe): Generator
    {
        $heard = [];
        $listener = static function () use (&$heard, $probe): void {
            $heard[] = $probe->id;
            $probe->pause();
        };
        $this->events->addListener('probe', $listener);
        $this->events->dispatch(new \stdClass(), 'probe');
        yield function () use (&$heard, $probe, $listener): array {
            return ['heard' => [[$probe->id], $heard], 'listeners' => [[$listener], $this->events->getListeners('probe')]];
        };
        $this->events->removeListener('probe', $listener);
    }

    /** @return Check */
    private function twig(Probe $probe): Generator
    {
        // The template waits inside a block and a macro, with its output half done.
        $html = $this->twig->render('probe.html.twig', ['mark' => $probe->mark('twig'), 'probe' => $probe]);
        $mark = $probe->mark('twig');
        yield static fn (): array => ['rendered' => ["{$mark} [{$mark}] {$mark}", trim($html)]];
    }

    /** @return Check */
    private function session(Probe $probe, Request $request): Generator
    {
        $session = $request->getSession();
        $session->set('mark', $probe->mark('session'));
        $id = $session->getId();
        yield fn (): array => [
            'value' => [$probe->mark('session'), $this->requests->getSession()->get('mark')],
            'id' => [$id, $this->requests->getSession()->getId()],
            'native id' => [$id, session_id()],
        ];
    }
}
