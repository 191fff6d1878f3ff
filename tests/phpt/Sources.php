<?php

declare(strict_types=1);

namespace Howdah\Tests\Phpt;

use FilesystemIterator;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;

/** PHP's sources, unpacked for one run: the tests write beside themselves. */
final class Sources
{
    public readonly string $version;

    public function __construct(private readonly string $from, public readonly string $root)
    {
        mkdir($root, 0777, true);
        $copy = is_dir($from)
            ? ['cp', '-a', "$from/.", $root]
            : ['tar', '-xf', $from, '-C', $root, '--strip-components=1', '--no-same-owner'];
        Machine::said($copy);
        $header = (string) file_get_contents("$root/main/php_version.h");
        if (preg_match('/PHP_VERSION "([^"]+)"/', $header, $found) !== 1) {
            throw new Failure("$from holds no sources of PHP");
        }
        $this->version = $found[1];
    }

    /** @return array<string, string> what run-tests.php of this version gives to every test */
    public function settings(): array
    {
        return Settings::ofRunTests("$this->root/run-tests.php");
    }

    /**
     * @param list<string> $suites folders; without any: those that the extensions are for
     * @param list<string> $loaded extensions
     *
     * @return list<Test>
     */
    public function tests(array $suites, array $loaded): array
    {
        $tests = [];
        foreach ($suites === [] ? $this->suites($loaded) : $suites as $suite) {
            foreach ($this->files($suite) as $file) {
                $test = new Test($this->root, $file, Sections::of("$this->root/$file"));
                array_push($tests, ...($test->sections->has('REDIRECTTEST') ? $this->redirected($test, $loaded) : [$test]));
            }
        }

        return $tests;
    }

    /**
     * @param list<string> $loaded
     *
     * @return list<string>
     */
    private function suites(array $loaded): array
    {
        $extensions = array_filter(glob("$this->root/ext/*", GLOB_ONLYDIR) ?: [], 'is_dir');
        $names = array_intersect(array_map(basename(...), $extensions), $loaded);

        return ['Zend', 'tests', ...array_map(static fn (string $name): string => "ext/$name", array_values($names))];
    }

    /** @return list<string> */
    private function files(string $suite): array
    {
        if (!is_dir("$this->root/$suite")) {
            throw new Failure("PHP's sources have no folder $suite");
        }
        $files = [];
        $flags = FilesystemIterator::SKIP_DOTS | FilesystemIterator::KEY_AS_PATHNAME;
        $all = new RecursiveDirectoryIterator("$this->root/$suite", $flags);
        foreach (array_keys(iterator_to_array(new RecursiveIteratorIterator($all))) as $file) {
            if (str_ends_with((string) $file, '.phpt')) {
                $files[] = substr((string) $file, strlen($this->root) + 1);
            }
        }
        sort($files);

        return $files;
    }

    /**
     * Tests of another folder that this one runs with an environment of its own; their scripts lie beside it.
     *
     * @param list<string> $loaded
     *
     * @return list<Test>
     */
    private function redirected(Test $by, array $loaded): array
    {
        if ($by->obstacle($loaded) !== null && $by->obstacle($loaded) !== 'has no script') {
            return [$by];
        }
        $script = "$this->root/redirect.php";
        file_put_contents($script, "<?php\n" . $by->sections->get('REDIRECTTEST'));
        $told = (static fn (): mixed => require $script)();
        unlink($script);
        if (!is_array($told) || !is_array($told['ENV'] ?? null) || !is_string($told['TESTS'] ?? null)) {
            throw new Failure("$by->name: REDIRECTTEST tells no ENV and TESTS");
        }
        $folder = realpath($told['TESTS'][0] === '/' ? $told['TESTS'] : "$this->root/{$told['TESTS']}");
        if ($folder === false || !str_starts_with($folder, $this->root)) {
            throw new Failure("$by->name redirects to {$told['TESTS']}, which is missing");
        }
        $environment = ['REDIR_TEST_DIR' => "$folder/"];
        foreach ($told['ENV'] as $name => $value) {
            $environment[(string) $name] = is_scalar($value) ? (string) $value : '';
        }
        $tests = [];
        foreach ($this->files(substr($folder, strlen($this->root) + 1)) as $file) {
            $name = dirname($by->name) . '/' . basename($file);
            if (!is_file("$this->root/$name")) {
                $sections = Sections::of("$this->root/$file");
                $tests[] = new Test($this->root, $name, $sections, $environment, $by->extensions());
            }
        }

        return $tests;
    }
}
