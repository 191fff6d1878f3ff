<?php

declare(strict_types=1);

namespace Howdah\Cli;

use Howdah\Cli\Framework\Detected;
use Howdah\Cli\Framework\Offer;
use Howdah\Cli\Framework\ProjectFiles;
use Howdah\Cli\Htaccess\Fronts;

/**
 * Finds out how a folder wants to be served.
 *
 * The document root is --docroot, or the public folder if there is one (DocumentRoot), or the folder itself. With --mode=auto
 * the first of these decides:
 *   1. --worker-script
 *   2. composer.json: {"extra": {"howdah": {"worker": "path/of/script.php"}}}
 *   3. frankenphp-worker.php in the document root, where Laravel Octane, CodeIgniter and others put it
 *   4. a worker script for the framework that the project is made with, where it may be taken without being asked for
 *   5. index.php in the document root, or what its .htaccess gives all to that is no file: classic mode
 */
final readonly class ProjectFinder
{
    private const WORKER = 'frankenphp-worker.php';
    private const FRONT = 'index.php';

    public function find(ServeOptions $options): Project
    {
        $root = $this->folder($options->path, 'the project folder', 'howdah serve PATH');
        $files = new ProjectFiles($root);
        $public = new DocumentRoot($root, [self::FRONT, self::WORKER]);
        $hasWorker = $options->mode !== Mode::Classic && ($options->workerScript !== null || $files->namedWorker() !== null);
        $docroot = $options->docroot !== null
            ? $this->folder($this->given($root, $options->docroot), '--docroot', '--docroot=DIR')
            : $this->folder($public->find($hasWorker), 'the document root', '--docroot=DIR');
        if ($options->mode === Mode::Classic && $options->workerScript !== null) {
            throw new Failure('--worker-script has no meaning with --mode=classic: leave one of them out');
        }
        $offer = (new Detected($files))->offer($docroot . '/' . self::FRONT, $options->pool->maxRequests);
        $project = $options->mode === Mode::Classic ? null : $this->worker($files, $docroot, $options, $offer);
        if ($project === null && $options->mode === Mode::Worker) {
            throw new Failure("--mode=worker, but $root has no worker script ($docroot/" . self::WORKER . ')'
                . ($offer === null ? '' : ": $offer->reason") . ': name one with --worker-script=FILE, or serve it with'
                . ' --mode=classic');
        }

        return $project ?? $this->classic($root, $docroot, $options, $public, $offer);
    }

    private function worker(ProjectFiles $files, string $docroot, ServeOptions $options, ?Offer $offer): ?Project
    {
        $root = $files->root;
        $named = $files->namedWorker();
        $isTaken = $offer?->script !== null && ($offer->isSafe || $options->mode === Mode::Worker);
        [$script, $reason] = match (true) {
            $options->workerScript !== null => [$this->given($root, $options->workerScript), 'given by --worker-script'],
            $named !== null => [$root . '/' . $named, 'named by composer.json (extra.howdah.worker)'],
            is_file($docroot . '/' . self::WORKER) => [$docroot . '/' . self::WORKER, 'found in the document root'],
            $isTaken => [$offer->script, $offer->isSafe ? $offer->reason : 'asked for by --mode=worker'],
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
        if ($isTaken && $script === $offer->script) {
            $boot[] = $docroot . '/' . self::FRONT;
        }
        // A script of the project's own may be the one that the framework writes, as Octane's: it expects the same.
        $fits = $offer?->script !== null && ($offer->script === $script || str_starts_with($offer->script, "$root/"));

        return new Project(
            $root,
            $docroot,
            Mode::Worker,
            $this->real($script),
            $reason,
            $boot,
            $fits ? $offer->environment : [],
            $this->instead($docroot, $options),
        );
    }

    /** What serves where the worker script does not boot, unless it is asked for by name. */
    private function instead(string $docroot, ServeOptions $options): ?string
    {
        $front = $docroot . '/' . self::FRONT;

        return $options->mode === null && $options->workerScript === null && is_readable($front) && is_file($front)
            ? $front
            : null;
    }

    private function classic(
        string $root,
        string $docroot,
        ServeOptions $options,
        DocumentRoot $public,
        ?Offer $offer,
    ): Project {
        $name = (new Fronts($docroot))->name();
        if ($name !== null) {
            $front = "$docroot/$name";
            if (!is_readable($front)) {
                throw new Failure("$front cannot be read by this user: change its permissions");
            }
            $isAsked = $options->mode === Mode::Classic;
            $names = Layout::applicationsIn($docroot);
            $reason = match (true) {
                $isAsked => 'asked for by --mode=classic',
                $offer !== null => $offer->reason,
                $names !== [] => implode(' or ', $names),
                default => 'found in the document root',
            };

            return new Project($root, $docroot, Mode::Classic, $front, $reason);
        }
        if ($options->mode === Mode::Classic) {
            return new Project($root, $docroot, Mode::Classic, null, 'no index.php: each script under its own name');
        }
        throw $public->failure($options->docroot === null ? null : $docroot);
    }

    /**
     * A path on the command line means what the shell's completion means by it, unless that is not in the project, or is the
     * project, which has one of this name.
     */
    private function given(string $root, string $path): string
    {
        if ($path === '' || $path[0] === '/') {
            return $path;
        }
        $here = realpath($path);
        $isOurs = $here !== false && str_starts_with($here, rtrim($root, '/') . '/');
        $isNamed = file_exists("$root/$path") && !in_array('..', explode('/', $path), true);

        return $here === false || !$isOurs && $isNamed ? "$root/$path" : $path;
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
