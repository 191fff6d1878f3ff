<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * Finds out how a folder wants to be served.
 *
 * The document root is --docroot, or the public folder if there is one (DocumentRoot), or the folder itself. With --mode=auto
 * the first of these decides:
 *   1. --worker-script
 *   2. composer.json: {"extra": {"howdah": {"worker": "path/of/script.php"}}}
 *   3. frankenphp-worker.php in the document root, where Laravel Octane and others put it
 *   4. index.php in the document root: classic mode
 */
final readonly class ProjectFinder
{
    private const WORKER = 'frankenphp-worker.php';
    private const FRONT = 'index.php';

    public function find(ServeOptions $options): Project
    {
        $root = $this->folder($options->path, 'the project folder', 'howdah serve PATH');
        $public = new DocumentRoot($root, [self::FRONT, self::WORKER]);
        $hasWorker = $options->mode !== Mode::Classic && ($options->workerScript !== null || $this->named($root) !== null);
        $docroot = $options->docroot !== null
            ? $this->folder($this->within($root, $options->docroot), '--docroot', '--docroot=DIR')
            : $this->folder($public->find($hasWorker), 'the document root', '--docroot=DIR');
        if ($options->mode === Mode::Classic && $options->workerScript !== null) {
            throw new Failure('--worker-script has no meaning with --mode=classic: leave one of them out');
        }
        $project = $options->mode === Mode::Classic ? null : $this->worker($root, $docroot, $options);
        if ($project === null && $options->mode === Mode::Worker) {
            throw new Failure("--mode=worker, but $root has no worker script ($docroot/" . self::WORKER . '): name one with'
                . ' --worker-script=FILE, or serve it with --mode=classic');
        }

        return $project ?? $this->classic($root, $docroot, $options, $public);
    }

    private function worker(string $root, string $docroot, ServeOptions $options): ?Project
    {
        $named = $this->named($root);
        [$script, $reason] = match (true) {
            $options->workerScript !== null => [$this->given($root, $options->workerScript), 'given by --worker-script'],
            $named !== null => [$root . '/' . $named, 'named by composer.json (extra.howdah.worker)'],
            is_file($docroot . '/' . self::WORKER) => [$docroot . '/' . self::WORKER, 'found in the document root'],
            default => [null, ''],
        };
        if ($script === null) {
            return null;
        }
        if (!is_file($script) || !is_readable($script)) {
            throw new Failure("the worker script $script ($reason) " . (is_file($script) ? 'cannot be read' : 'does not exist')
                . ': put it right, or serve the project with --mode=classic');
        }

        $boot = [$script, $docroot . '/' . self::WORKER, ...($named === null ? [] : [$root . '/' . $named])];

        return new Project($root, $docroot, Mode::Worker, $this->real($script), $reason, $boot);
    }

    private function classic(string $root, string $docroot, ServeOptions $options, DocumentRoot $public): Project
    {
        $front = $docroot . '/' . self::FRONT;
        if (is_file($front)) {
            if (!is_readable($front)) {
                throw new Failure("$front cannot be read by this user: change its permissions");
            }

            return new Project($root, $docroot, Mode::Classic, $front, 'found in the document root');
        }
        if ($options->mode === Mode::Classic) {
            return new Project($root, $docroot, Mode::Classic, null, 'no index.php: each script under its own name');
        }
        throw $public->failure($options->docroot === null ? null : $docroot);
    }

    /** The worker script of composer.json, or null. A composer.json that cannot be read is Composer's matter, not ours. */
    private function named(string $root): ?string
    {
        $file = $root . '/composer.json';
        $text = is_file($file) ? @file_get_contents($file) : false;
        $value = $text === false ? null : json_decode($text, true);
        foreach (['extra', 'howdah', 'worker'] as $key) {
            $value = is_array($value) ? $value[$key] ?? null : null;
        }
        if ($value !== null && (!is_string($value) || $value === '')) {
            throw new Failure("$file: extra.howdah.worker must be the path of a script, as \"public/frankenphp-worker.php\"");
        }

        return $value;
    }

    /** A path on the command line means what the shell's completion means by it; one in the project is second. */
    private function given(string $root, string $path): string
    {
        return $path !== '' && $path[0] !== '/' && !is_file($path) ? $root . '/' . $path : $path;
    }

    private function within(string $root, string $path): string
    {
        return $path !== '' && $path[0] !== '/' && !is_dir($path) ? $root . '/' . $path : $path;
    }

    private function folder(string $path, string $what, string $option): string
    {
        if (!is_dir($path)) {
            throw new Failure("$what $path " . (file_exists($path) ? 'is not a folder' : 'does not exist')
                . ": name the application's folder with $option");
        }
        if (!is_readable($path) || !is_executable($path)) {
            throw new Failure("$what $path cannot be read by this user: change its permissions, or name another with $option");
        }

        return $this->real($path);
    }

    private function real(string $path): string
    {
        $real = realpath($path);

        return $real === false ? throw new Failure("$path cannot be resolved: a folder above it cannot be read") : $real;
    }
}
