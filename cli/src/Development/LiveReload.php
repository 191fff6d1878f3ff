<?php

declare(strict_types=1);

namespace Howdah\Cli\Development;

use Howdah\Cli\NginxString;

/**
 * Pages that load themselves anew when a file was saved: nginx puts a script into each page that has a </body>.
 *
 * The script knows which save its page has seen, and hears of others on an event stream. A page that was made while a file was
 * saved is loaded anew as soon as it listens.
 */
final class LiveReload
{
    private const SCRIPT = <<<'JS'
        (() => {
          const seen = new URL(document.currentScript.src).search.slice(1);
          const source = new EventSource("/_howdah/renewals");
          source.onmessage = event => {
            if (event.data !== seen) {
              source.close();
              location.reload();
            }
          };
        })();
        JS;

    /** @return list<string> of nginx's server block */
    public static function lines(): array
    {
        return [
            '# --live-reload: asked for before PHP begins, so that a page never claims to have seen a later save.',
            'set $howdah_seen $howdah_renewals;',
            'sub_filter \'</body>\' \'<script src="/_howdah/live-reload.js?$howdah_seen"></script></body>\';',
            'location = /_howdah/live-reload.js {',
            '    default_type text/javascript;',
            '    access_log off;',
            '    return 200 ' . NginxString::literal(self::SCRIPT) . ';',
            '}',
            'location = /_howdah/renewals {',
            '    access_log off;',
            '    howdah_renewals;',
            '}',
            '',
        ];
    }
}
