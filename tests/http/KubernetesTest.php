<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use Howdah\Tests\Clock;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;

/** packaging/kubernetes and packaging/compose: their files agree with each other, and with what nginx does with theirs. */
#[Group('realms')]
final class KubernetesTest extends TestCase
{
    private const FOLDER = __DIR__ . '/../../packaging/kubernetes';
    private const COMPOSE = __DIR__ . '/../../packaging/compose';
    private const CONTAINER = 'spec.template.spec.containers.0';

    /** What a pod takes beside its workers' own memory: opcache's segment is named in nginx.conf; the rest: code, nginx, PHP's start. */
    private const REST = 128 << 20;

    /** A request that does not end when it is told to is given up after so many seconds (engine/realm/cancel.c). */
    private const PATIENCE = 5;

    private Manifest $deployment;
    private string $nginx;

    protected function setUp(): void
    {
        $this->deployment = new Manifest(self::FOLDER . '/base/deployment.yaml');
        $this->nginx = (string) file_get_contents(self::FOLDER . '/base/nginx.conf');
    }

    public function test_a_pod_has_time_to_drain(): void
    {
        [, , $command] = $this->deployment->list(self::CONTAINER . '.lifecycle.preStop.exec.command');
        self::assertIsString($command);
        self::assertSame(1, preg_match('/^touch (\S+) && sleep (\d+)$/', $command, $preStop), $command);
        [, $drain, $pause] = $preStop + ['', '', ''];
        self::assertStringContainsString("drain=$drain;", $this->nginx);
        self::assertStringContainsString("rm -f $drain ", $this->words('command'));
        $period = $this->deployment->number(self::CONTAINER . '.readinessProbe.periodSeconds');
        $failures = $this->deployment->number(self::CONTAINER . '.readinessProbe.failureThreshold');
        self::assertGreaterThan($period * $failures, (int) $pause, 'the kubelet has seen that it is not ready');

        $drains = (int) $pause + (int) $this->directive('worker_shutdown_timeout', '(\d+)s');
        $grace = $this->deployment->number('spec.template.spec.terminationGracePeriodSeconds');
        self::assertGreaterThan($drains + self::PATIENCE, $grace);
        self::assertStringContainsString("\nSTOPSIGNAL SIGQUIT\n", (string) file_get_contents(self::FOLDER . '/Dockerfile'));
    }

    public function test_memory_and_processors_are_those_of_the_workers(): void
    {
        $workers = (int) $this->directive('worker_processes', '(\d+)');
        $opcache = (int) $this->directive('howdah_ini', '"opcache.memory_consumption=(\d+)"') << 20;
        $worker = Manifest::bytes($this->directive('howdah_worker_memory', '(\w+)'));
        $limit = $this->deployment->text(self::CONTAINER . '.resources.limits.memory');
        self::assertSame($workers * $worker + $opcache + self::REST, Manifest::bytes($limit));
        self::assertSame($limit, $this->deployment->text(self::CONTAINER . '.resources.requests.memory'));
        self::assertSame((string) $workers, $this->deployment->text(self::CONTAINER . '.resources.limits.cpu'));
    }

    public function test_a_pod_may_do_nothing_but_serve(): void
    {
        foreach (['runAsNonRoot' => true, 'runAsUser' => 33, 'seccompProfile.type' => 'RuntimeDefault'] as $path => $wanted) {
            self::assertSame($wanted, $this->deployment->at("spec.template.spec.securityContext.$path"));
        }
        $container = self::CONTAINER . '.securityContext';
        self::assertTrue($this->deployment->at("$container.readOnlyRootFilesystem"));
        self::assertFalse($this->deployment->at("$container.allowPrivilegeEscalation"));
        self::assertSame(['ALL'], $this->deployment->at("$container.capabilities.drop"));
        self::assertFalse($this->deployment->at('spec.template.spec.automountServiceAccountToken'));
        $mounts = array_column($this->deployment->list(self::CONTAINER . '.volumeMounts'), 'mountPath', 'name');
        self::assertSame(
            [
                'configuration' => '/etc/howdah',
                'temporary' => '/tmp',
                'run' => '/run/howdah',
                'sessions' => '/var/lib/php/sessions',
            ],
            $mounts,
        );
        self::assertStringContainsString('nginx -p /tmp -e stderr -c /etc/howdah/nginx.conf', $this->words('command'));
    }

    public function test_labels_and_ports_lead_to_the_pod(): void
    {
        $labels = $this->deployment->at('spec.template.metadata.labels');
        $service = new Manifest(self::FOLDER . '/base/service.yaml');
        $disruption = new Manifest(self::FOLDER . '/base/disruption.yaml');
        self::assertSame($labels, $this->deployment->at('spec.selector.matchLabels'));
        self::assertSame($labels, $service->at('spec.selector'));
        self::assertSame($labels, $disruption->at('spec.selector.matchLabels'));
        $ports = array_column($this->deployment->list(self::CONTAINER . '.ports'), 'containerPort', 'name');
        preg_match_all('/^\s+listen (\d+);$/m', $this->nginx, $listens);
        self::assertSame(array_values($ports), array_map(intval(...), $listens[1]));
        self::assertSame(['http'], array_column($service->list('spec.ports'), 'targetPort'));
        $annotation = 'spec.template.metadata.annotations.prometheus..io/';
        self::assertSame($ports['figures'], (int) $this->deployment->text("{$annotation}port"));
        $settings = new Manifest(self::FOLDER . '/base/kustomization.yaml');
        self::assertSame(['nginx.conf'], $settings->at('configMapGenerator.0.files'));
        self::assertSame(
            $settings->text('configMapGenerator.0.name'),
            $this->deployment->text('spec.template.spec.volumes.0.configMap.name'),
        );
        foreach ($settings->list('resources') as $file) {
            self::assertIsString($file);
            self::assertFileExists(self::FOLDER . "/base/$file");
        }
    }

    public function test_nginx_answers_probes_and_has_the_figures_that_scale(): void
    {
        $server = new PodNginx($this->nginx);
        foreach (['startup' => "started\n", 'readiness' => "ready\n", 'liveness' => "live\n"] as $probe => $says) {
            $path = $this->deployment->text(self::CONTAINER . ".{$probe}Probe.httpGet.path");
            self::assertSame('figures', $this->deployment->text(self::CONTAINER . ".{$probe}Probe.httpGet.port"));
            self::assertSame($says, $server->figures->get($path)->body, $path);
        }
        self::assertSame('a page', $server->pages->get('/')->body);
        self::assertSame('a page', $server->pages->get('/metrics')->body, 'the figures are not for the port of the pages');

        $path = $this->deployment->text('spec.template.metadata.annotations.prometheus..io/path');
        $figures = $server->figures->get($path)->body;
        $keda = new Manifest(self::FOLDER . '/keda/autoscaling.yaml');
        $rules = new Manifest(self::FOLDER . '/adapter/rules.yaml');
        $queries = [
            ...$this->ofEach($keda, 'spec.triggers', 'metadata.query'),
            ...$this->ofEach($rules, 'rules', 'metricsQuery'),
            ...$this->ofEach($rules, 'rules', 'seriesQuery'),
        ];
        self::assertCount(6, $queries);
        foreach ($queries as $query) {
            self::assertGreaterThan(0, preg_match_all('/\bhowdah_\w+/', $query, $names));
            foreach ($names[0] as $name) {
                self::assertMatchesRegularExpression("/^$name(\{| )/m", $figures, $query);
            }
            preg_match('/state=~"([^"]*)"/', $query, $states);
            foreach (array_filter(explode('|', $states[1] ?? '')) as $state) {
                self::assertStringContainsString("state=\"$state\"", $figures, $query);
            }
        }

        // Who dies before it has its place among the figures is missed by nobody.
        $both = static fn (): bool => str_contains($server->figures->get($path)->body, "\nhowdah_workers 2\n");
        Clock::await($both, 'both workers have begun');
        [$killed] = $server->workers();
        posix_kill($killed, SIGKILL);
        Clock::await(static function () use ($server, $path): bool {
            self::assertSame('a page', $server->pages->get('/')->body);
            self::assertSame(200, $server->figures->get('/health/live')->status);

            return str_contains($server->figures->get($path)->body, "\nhowdah_workers_lost_total 1\n");
        }, 'a worker is missed');
        self::assertNotContains($killed, $server->workers());
        Clock::await(static fn (): bool => $server->figures->get('/health/ready')->status === 200, 'another one is ready');

        touch("{$server->folder}/drain");
        self::assertSame(503, $server->figures->get('/health/ready')->status);
        self::assertSame(200, $server->pages->get('/')->status);
        $server->quit();
    }

    public function test_who_scales_asks_for_what_the_rules_name(): void
    {
        $scaler = new Manifest(self::FOLDER . '/adapter/autoscaling.yaml');
        $rules = new Manifest(self::FOLDER . '/adapter/rules.yaml');
        self::assertSame($this->ofEach($rules, 'rules', 'name.as'), $this->ofEach($scaler, 'spec.metrics', 'pods.metric.name'));
        $keda = new Manifest(self::FOLDER . '/keda/autoscaling.yaml');
        $realms = (int) $this->directive('worker_processes', '(\d+)')
            * (int) $this->directive('howdah_concurrency', '(\d+)\b.*');
        $perPod = (int) $keda->text('spec.triggers.0.metadata.threshold');
        self::assertSame((string) $perPod, $scaler->text('spec.metrics.0.pods.target.averageValue'));
        self::assertLessThan($realms, $perPod, 'another pod comes before realms are short');
        self::assertSame('0.05', $keda->text('spec.triggers.1.metadata.threshold'));
        self::assertSame('50m', $scaler->text('spec.metrics.1.pods.target.averageValue'));
        foreach ([$keda, $scaler] as $one) {
            self::assertSame($this->deployment->text('metadata.name'), $one->text('spec.scaleTargetRef.name'));
        }
    }

    public function test_a_container_of_compose_has_time_and_memory(): void
    {
        $compose = new Manifest(self::COMPOSE . '/compose.yaml');
        $words = array_filter($compose->list('services.app.command'), is_string(...));
        $options = [];
        foreach ($words as $word) {
            if (preg_match('/^--([\w-]+)=(.*)$/', $word, $option) === 1) {
                $options[$option[1]] = $option[2];
            }
        }
        $grace = (int) rtrim($compose->text('services.app.stop_grace_period'), 's');
        self::assertGreaterThan((int) $options['stop-timeout'] + self::PATIENCE, $grace);
        $needs = (int) $options['workers'] * Manifest::bytes($options['worker-memory']) + (128 << 20) + self::REST;
        $limits = 'services.app.deploy.resources.limits';
        self::assertSame($needs, Manifest::bytes($compose->text("$limits.memory")));
        self::assertSame($options['workers'], $compose->text("$limits.cpus"));
        $made = Howdah::run(['config', __DIR__ . '/pool', ...array_slice($words, 2)]);
        self::assertSame(0, $made->status, $made->errors);
    }

    public function test_the_proxy_of_compose_leads_to_the_application(): void
    {
        $server = new PodNginx($this->nginx, (string) file_get_contents(self::COMPOSE . '/proxy.conf'));
        $client = new Client("http://127.0.0.1:{$server->proxied}");
        self::assertSame('a page', $client->get('/')->body);
        $server->quit();
    }

    private function directive(string $name, string $value): string
    {
        self::assertSame(1, preg_match("/^\s*$name $value;/m", $this->nginx, $found), "$name of nginx.conf");

        return $found[1];
    }

    private function words(string $field): string
    {
        return implode(' ', array_filter($this->deployment->list(self::CONTAINER . ".$field"), is_string(...)));
    }

    /** @return list<string> */
    private function ofEach(Manifest $manifest, string $list, string $path): array
    {
        return array_map(
            static fn (int $i): string => $manifest->text("$list.$i.$path"),
            array_keys($manifest->list($list)),
        );
    }
}
