<?php

declare(strict_types=1);

namespace Howdah\Cli\Htaccess;

/**
 * Who may have the files of a folder, or of a <Files> section: what its directives say, in the syntax of Apache 2.4 (Require)
 * and the one before (Order, Allow, Deny).
 *
 * To us there are no users and no addresses: what is for some visitors only is refused to all.
 */
final class Access
{
    /** @var array<string, true> what was said */
    private array $said = [];

    /**
     * @param  list<string> $words of the directive, in lower case
     * @return bool whether that is all that it means
     */
    public function say(string $directive, array $words): bool
    {
        $first = $words[0] ?? '';
        $rest = implode(' ', array_slice($words, 1));
        $what = match (true) {
            $directive === 'order' => 'order ' . implode(' ', $words),
            $directive === 'require' && $first === 'all' => "require $rest",
            $directive === 'require' && $first === 'not' && $rest === 'all granted' => 'require denied',
            $directive === 'require' && $first === 'not' => 'require not',
            $directive === 'require' => 'some',
            $first === 'from' && $rest === 'all' => "$directive all",
            // A host of that name, which no client has: people write it for nobody.
            $first === 'from' && $rest === 'none' => "$directive none",
            $directive === 'allow' => 'allow some',
            default => 'nothing',
        };
        $this->said[$what] = true;

        return !in_array($what, ['some', 'allow some', 'require not', 'nothing'], true);
    }

    /** True: they are refused; false: they are published; null: nothing is said. */
    public function isRefused(): ?bool
    {
        return match (true) {
            $this->has('some'), $this->has('require denied') => true,
            $this->has('require granted') => false,
            // Alone it lets nobody in: neither granted nor denied is denied (authorize_user_core(), mod_authz_core.c, 2.4).
            $this->has('require not') => true,
            default => $this->hostsAreRefused(),
        };
    }

    /** Order says what counts where both match, and where none does. */
    private function hostsAreRefused(): ?bool
    {
        $allows = $this->has('order allow,deny') || $this->has('order mutual-failure');

        return match (true) {
            $this->has('deny all') => $allows || !$this->has('allow all'),
            $this->has('allow all') => false,
            $allows => true,
            default => null,
        };
    }

    private function has(string $what): bool
    {
        return isset($this->said[$what]);
    }
}
