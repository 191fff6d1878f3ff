<?php

declare(strict_types=1);

namespace Howdah\HttpTests\Nginx;

use Howdah;
use ReflectionExtension;
use ReflectionFunction;
use ReflectionParameter;

/**
 * What the server's PHP says of what the engine gives it.
 *
 * @param list<string> $missing names of functions
 *
 * @return array<string, mixed>
 */
function given(array $missing): array
{
    // The modules that the engine adds to PHP.
    $modules = [new ReflectionExtension('howdah'), new ReflectionExtension('cgi-fcgi')];
    $of = static fn (string $method): array
        => array_merge(...array_map(static fn (ReflectionExtension $module): array => $module->$method(), $modules));
    $names = array_map(static fn (ReflectionFunction $function): string => $function->getName(), $of('getFunctions'));
    foreach (get_defined_functions()['internal'] as $name) {
        // Should one be of another module.
        if (preg_match('/^(howdah\\\\|frankenphp_|fastcgi_)/', $name) === 1) {
            $names[] = (new ReflectionFunction($name))->getName();
        }
    }

    return [
        'signatures' => array_values(array_map(signature(...), array_unique($names))),
        'constants' => $of('getConstants'),
        'classes' => array_keys($of('getClasses')),
        'settings' => $of('getINIEntries'),
        'there' => array_values(array_filter($missing, function_exists(...))),
        'status' => Howdah\status(),
    ];
}

function signature(string $name): string
{
    $function = new ReflectionFunction($name);
    $parameter = static fn (ReflectionParameter $parameter): string => $parameter->getType() . ' '
        . ($parameter->isPassedByReference() ? '&' : '') . ($parameter->isVariadic() ? '...' : '') . '$' . $parameter->getName()
        . ($parameter->isDefaultValueAvailable() ? ' = ' . written($parameter) : '');

    return $function->getName() . '(' . implode(', ', array_map($parameter, $function->getParameters())) . '): '
        . $function->getReturnType();
}

function written(ReflectionParameter $parameter): string
{
    $name = $parameter->getDefaultValueConstantName();

    return $name ?? ($parameter->getDefaultValue() === [] ? '[]' : var_export($parameter->getDefaultValue(), true));
}
