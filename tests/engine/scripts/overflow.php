<?php

// Every fourth request recurses through C code until its stack is used up, and again in what PHP calls at its end;
// the others wait meanwhile.

declare(strict_types=1);

if (!class_exists('Endless', false)) {
    class Endless
    {
        public function __toString(): string
        {
            return 'x' . new self();
        }
    }
}

echo 'ok';
if ($_GET['n'] % 4 !== 0) {
    usleep(3000);
    return;
}
register_shutdown_function(static function (): void {
    $list = [3, 1, 2];
    usort($list, static fn (): int => strlen((string) new Endless()));
});
echo new Endless();
