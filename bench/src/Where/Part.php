<?php

declare(strict_types=1);

namespace Howdah\Bench\Where;

/** What instructions are for. The order is the table's; the first pattern that a file matches counts. */
enum Part: string
{
    case Switches = 'switches of realms: state blocks, stacks';
    case Hooks = 'hooks around libc\'s and libpq\'s calls';
    case Loop = 'waits, timers, epoll';
    case Variables = 'the request\'s variables, `$_SERVER`';
    case Output = 'output and headers';
    case Ends = 'a request\'s begin and end';
    case Pool = 'pool and queue';
    case Module = 'the module, what is left';
    case Cycles = 'looking for reference cycles';
    case Nginx = 'nginx itself';
    case Php = 'PHP, its extensions and libraries';

    /** @return self|null null: whoever calls it (the C library) */
    public static function of(string $object, string $file, string $function): ?self
    {
        if (preg_match('#/(engine|nginx)/((?:[^/]+/)*[^/]+)$#', $file, $match) === 1 && !str_starts_with($file, './')) {
            return self::ours("$match[1]/$match[2]");
        }

        return match (true) {
            str_ends_with($object, '/nginx') => self::Nginx,
            // What leads back to the application, whoever asks for it.
            in_array($function, ['execute_ex', 'zend_call_function', 'zend_execute'], true) => self::Php,
            $function === 'zend_gc_collect_cycles' => self::Cycles,
            $function === 'jump_fcontext' => self::Switches,
            default => null,
        };
    }

    private static function ours(string $file): self
    {
        $patterns = [
            'engine/(coroutine/wait|loop/)|nginx/(loop|arrivals)\.c' => self::Loop,
            'engine/hooks/' => self::Hooks,
            'engine/(state|coroutine)/' => self::Switches,
            'engine/sapi/(variables|environment|names|ahead)|nginx/(source|variables|body)\.c' => self::Variables,
            'engine/sapi/(output|overflow)|nginx/(output|head|departures|interim)\.c' => self::Output,
            'engine/sapi/' => self::Ends,
            'engine/' => self::Pool,
        ];
        foreach ($patterns as $pattern => $part) {
            if (preg_match("#^(?:$pattern)#", $file) === 1) {
                return $part;
            }
        }

        return self::Module;
    }
}
