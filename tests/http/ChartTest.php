<?php

declare(strict_types=1);

namespace Howdah\HttpTests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Yaml\Yaml;

/** The Helm chart makes what packaging/kubernetes has without it, and works out the numbers that have to agree. */
#[Group('realms')]
final class ChartTest extends TestCase
{
    private const PLAIN = __DIR__ . '/../../packaging/kubernetes';
    private const CHART = self::PLAIN . '/helm/howdah';

    /** Labels and annotations that every chart gives, and one that takes the place of kustomize's hash. */
    private const OF_HELM = [
        'app.kubernetes.io/instance',
        'app.kubernetes.io/version',
        'app.kubernetes.io/managed-by',
        'helm.sh/chart',
        'checksum/nginx',
    ];

    /** Not those of a release howdah-blog in the same namespace. */
    private const PODS = 'namespace="default",pod=~"howdah-[a-z0-9]+(-[a-z0-9]{5})?"';

    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/howdah-chart-' . bin2hex(random_bytes(6));
        mkdir($this->folder);
    }

    protected function tearDown(): void
    {
        exec('rm -rf ' . escapeshellarg($this->folder));
    }

    public function test_it_comes_with_howdah(): void
    {
        $chart = new Manifest(self::CHART . '/Chart.yaml');
        self::assertSame(basename(self::CHART), $chart->text('name'));
        $version = $chart->text('version');
        self::assertStringContainsString(" $version", Howdah::run(['--version'])->output);
        self::assertSame($version, $chart->text('appVersion'));
    }

    /** @return array<string, array{string, string, list<string>}> a plain file, that of the chart, lines that only the rendered one has */
    public static function files(): array
    {
        $name = ['name: howdah', 'app.kubernetes.io/name: howdah'];

        return [
            'nginx.conf' => ['base/nginx.conf', 'nginx.conf', [
                'env DATABASE_DSN;',
                'allow 127.0.0.0/8;', 'allow 10.0.0.0/8;', 'allow 172.16.0.0/12;', 'allow 192.168.0.0/16;', 'allow fd00::/8;',
            ]],
            'deployment' => ['base/deployment.yaml', 'templates/deployment.yaml', [
                ...$name,
                'terminationGracePeriodSeconds: 50',
                'image: howdah-app:latest',
                'cpu: "1"',
                'memory: 1Gi',
                '# worker_processes of nginx.conf',
                'cpu: "2"',
                '# worker_processes x howdah_worker_memory (384 MB), 128 MB of opcache, 128 MB for the rest',
                'name: howdah-nginx',
            ]],
            'service' => ['base/service.yaml', 'templates/service.yaml', $name],
            'disruption' => ['base/disruption.yaml', 'templates/disruption.yaml', $name],
        ];
    }

    /** @param list<string> $rendered */
    #[DataProvider('files')]
    public function test_what_the_plain_file_says_the_chart_says(string $plain, string $template, array $rendered): void
    {
        $values = new Manifest(self::CHART . '/values.yaml');
        $filled = preg_replace_callback(
            '/\{\{ \.Values\.([\w.]+) }}/',
            static fn (array $found): string => is_scalar($value = $values->at($found[1])) ? (string) $value : '',
            (string) file_get_contents(self::CHART . "/$template"),
        );
        $lines = static fn (string $text): array => array_map(trim(...), explode("\n", $text));
        $missing = array_diff($lines((string) file_get_contents(self::PLAIN . "/$plain")), $lines((string) $filled));
        self::assertSame($rendered, array_values(array_unique($missing)), "$plain has what $template lacks");
    }

    /** Debian has no Helm, but what it is made of (chart/render.go): 90 MB to download, half a minute to build, once in a while. */
    public function test_it_is_rendered_and_each_value_has_its_schema(): void
    {
        $json = (string) file_get_contents(self::CHART . '/values.schema.json');
        $schema = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        $values = Yaml::parseFile(self::CHART . '/values.yaml');
        self::assertIsArray($schema);
        self::assertIsArray($values);
        self::assertSame(self::names($values), array_values(array_diff(self::names(self::properties($schema)), ['global'])));
        if (getenv('HOWDAH_LONG') === false) {
            fwrite(STDERR, "left out: the chart is rendered in the long run (HOWDAH_LONG=1)\n");

            return;
        }
        exec(escapeshellarg(__DIR__ . '/chart/build') . ' ' . escapeshellarg($this->folder) . ' 2>&1', $said, $status);
        self::assertSame(0, $status, implode("\n", $said));
        $plain = [
            'ConfigMap' => 'base/nginx.conf',
            'Deployment' => 'base/deployment.yaml',
            'PodDisruptionBudget' => 'base/disruption.yaml',
            'Service' => 'base/service.yaml',
        ];
        $this->assertPlain([], $plain);
        $this->assertPlain(['autoscaling' => ['by' => 'keda']], $plain + ['ScaledObject' => 'keda/autoscaling.yaml']);
        $scaler = ['HorizontalPodAutoscaler' => 'adapter/autoscaling.yaml'];
        $this->assertPlain(['autoscaling' => ['by' => 'adapter']], $plain + $scaler);
        $this->assertNumbersAgree();
        $this->assertMistakesAreNamed();
    }

    /**
     * @param array<string, mixed>  $values
     * @param array<string, string> $plain  the file of each kind
     */
    private function assertPlain(array $values, array $plain): void
    {
        $made = $this->made($values);
        self::assertEqualsCanonicalizing(array_keys($plain), array_keys($made));
        foreach ($plain as $kind => $file) {
            if ($kind === 'ConfigMap') {
                self::assertSame(['nginx.conf' => (string) file_get_contents(self::PLAIN . "/$file")], $made[$kind]['data']);
                continue;
            }
            $wanted = Yaml::parseFile(self::PLAIN . "/$file");
            self::assertIsArray($wanted);
            if ($kind === 'Deployment' && isset($values['autoscaling'])) {
                self::assertIsArray($wanted['spec']);
                unset($wanted['spec']['replicas']); // as kustomization.yaml has it
            }
            self::assertEquals($wanted, self::withoutHelm($made[$kind]), $kind);
        }
    }

    private function assertNumbersAgree(): void
    {
        $secret = ['name' => 'DSN', 'valueFrom' => ['secretKeyRef' => ['name' => 'shop', 'key' => 'dsn']]];
        $made = $this->made([
            'workers' => 3,
            'memory' => ['worker' => 500],
            'drain' => ['pause' => 20, 'requests' => 60],
            'env' => [$secret],
            'imagePullSecrets' => [['name' => 'registry']],
            'podMonitor' => ['enabled' => true, 'labels' => ['release' => 'prometheus']],
            'application' => ['mode' => 'worker', 'worker' => __DIR__ . '/pool/worker.php'],
        ], 'shop');

        $deployment = $this->manifest($made['Deployment']);
        $pod = 'spec.template.spec';
        foreach (['requests', 'limits'] as $of) {
            self::assertSame('1756Mi', $deployment->text("$pod.containers.0.resources.$of.memory"));
        }
        self::assertSame('3', $deployment->text("$pod.containers.0.resources.limits.cpu"));
        self::assertEquals([$secret], $deployment->list("$pod.containers.0.env"));
        self::assertSame(90, $deployment->number("$pod.terminationGracePeriodSeconds"));
        self::assertSame([['name' => 'registry']], $deployment->list("$pod.imagePullSecrets"));
        self::assertSame('shop-howdah-nginx', $deployment->text("$pod.volumes.0.configMap.name"));
        self::assertSame('prometheus', $this->manifest($made['PodMonitor'])->text('metadata.labels.release'));

        $nginx = $this->manifest($made['ConfigMap'])->text('data.nginx..conf');
        self::assertStringContainsString("env PATH;\nenv DATABASE_DSN;\nenv DSN;\n", $nginx);
        $server = new PodNginx($nginx);
        self::assertCount(3, $server->workers());
        self::assertSame('hello', $server->pages->get('/echo?text=hello')->body);
        $server->quit();
    }

    private function assertMistakesAreNamed(): void
    {
        $mistakes = [
            'application.worker is needed with application.mode=worker' => ['application' => ['mode' => 'worker']],
            'requests=32 is not less than the 32 realms' => ['autoscaling' => ['by' => 'keda', 'requests' => 32]],
            'cpu=4 is above workers=2' => ['cpu' => '4'],
            'queue.unready is above queue.length' => ['queue' => ['length' => 20]],
            'concurency' => ['concurency' => 20],
            'workers' => ['workers' => 'auto'],
            'drain.pause' => ['drain' => ['pause' => 3]],
        ];
        foreach ($mistakes as $says => $values) {
            [$status, $said] = $this->render($values, 'howdah');
            self::assertSame(1, $status, $said);
            self::assertStringContainsString($says, $said);
        }
    }

    /**
     * @param  array<array-key, mixed> $schema
     * @return array<array-key, mixed> names, below each other as in the values
     */
    private static function properties(array $schema): array
    {
        $made = [];
        foreach ((array) ($schema['properties'] ?? []) as $name => $below) {
            $made[$name] = is_array($below) ? self::properties($below) : [];
        }

        return $made;
    }

    /**
     * @param  array<array-key, mixed> $tree
     * @return list<string> paths, without what lists hold
     */
    private static function names(array $tree, string $above = ''): array
    {
        $made = [];
        foreach ($tree as $name => $below) {
            $isLeaf = !is_array($below) || $below === [] || array_is_list($below);
            array_push($made, ...($isLeaf ? ["$above$name"] : self::names($below, "$above$name.")));
        }
        sort($made);

        return $made;
    }

    /** @param array<array-key, mixed> $tree */
    private function manifest(array $tree): Manifest
    {
        file_put_contents("{$this->folder}/manifest.yaml", Yaml::dump($tree));

        return new Manifest("{$this->folder}/manifest.yaml");
    }

    /**
     * @param  array<string, mixed>                        $values
     * @return array<string, array<array-key, mixed>> by their kind
     */
    private function made(array $values, string $release = 'howdah'): array
    {
        [$status, $text] = $this->render($values, $release);
        self::assertSame(0, $status, $text);
        $made = [];
        foreach (explode("\n---\n", "\n$text") as $part) {
            $one = Yaml::parse($part);
            if (is_array($one)) {
                self::assertIsString($one['kind']);
                $made[$one['kind']] = $one;
            }
        }

        return $made;
    }

    /**
     * @param  array<string, mixed> $values
     * @return array{int, string}
     */
    private function render(array $values, string $release): array
    {
        $json = json_encode((object) $values, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        $command = ["{$this->folder}/render", self::CHART, $release, $json];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $said, $status);

        return [$status, implode("\n", $said)];
    }

    /**
     * @param  array<array-key, mixed> $tree
     * @return array<array-key, mixed>
     */
    private static function withoutHelm(array $tree): array
    {
        $left = [];
        foreach ($tree as $key => $value) {
            if (in_array($key, self::OF_HELM, true)) {
                continue;
            }
            // A label of metadata that only Helm gives; and Prometheus may look after more than one namespace.
            if ($key === 'metadata' && is_array($value) && isset($value['name'])) {
                unset($value['labels']);
            }
            $left[$key] = match (true) {
                is_array($value) => self::withoutHelm($value),
                $key === 'query' && is_string($value) => str_replace(
                    ['{' . self::PODS . '}', ',' . self::PODS],
                    '',
                    $value,
                ),
                default => $value,
            };
        }

        return $left;
    }
}
