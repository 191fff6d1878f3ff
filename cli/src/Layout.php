<?php

declare(strict_types=1);

namespace Howdah\Cli;

/**
 * What a project has in its folder and publishes nowhere, where that folder is the document root; and what the documentation of
 * applications refuses, which are recognised by their files.
 */
final readonly class Layout
{
    private const PRIVATE = ['config', 'conf', 'data', 'storage', 'logs', 'log', 'var', 'private', 'backup', 'backups',
        'sessions'];

    /** Packages: what browsers need of them may be asked for, and no script: none of them is a page. */
    private const PACKAGES = ['vendor', 'node_modules'];
    private const ASSETS = '\.(?:css|m?js|map|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|otf|eot|wasm|mp[34]|webm|webmanifest)'
        . '|/[\w-]*manifest\.json';

    /** In any document root. */
    private const NEVER = '/(?:composer\.(?:json|lock)|[^/]*\.sql(?:\.\w+)?)$';

    /** Where the whole project is one. */
    private const FILES = '/(?:(?:package(?:-lock)?|installed)\.json|yarn\.lock|pnpm-lock\.yaml|Dockerfile|Makefile'
        . '|web\.config|phpunit\.xml[^/]*|id_(?:rsa|dsa|ecdsa|ed25519)'
        // Rows that SQLite has not yet written to the database itself lie beside it.
        . '|[^/]*\.(?:(?:sqlite[23]?|db3?)(?:-(?:wal|shm|journal))?'
        . '|twig|pem|tfstate(?:\.\d+)?(?:\.backup)?|bak|old|orig|dist|sw[k-p])|[^/]*~'
        . '|(?:error_log|[^/]*\.log)(?:[.-]\d[\d.-]*)?(?:\.(?:gz|bz2|xz|zst))?)$';

    /** Passwords, beside composer.json: a folder below may have translations of that name. */
    private const OF_COMPOSER = '^/auth\.json$';

    /** Somebody has put them there for others where a folder on the way says so: a talk of Keynote, a script to download. */
    private const UNLESS_UPLOADED = '^(?!.*/(?:uploads?|downloads?|files|media|attachments)/)'
        . '.*/[^/]*\.(?:ya?ml|neon|ini|sh|key|p12|pfx|jks)$';

    /** Marks by application: any of these sets of files shows that it is there. */
    private const MARKS = [
        'WordPress' => [['wp-load.php', 'wp-includes']],
        'Drupal' => [['core/lib/Drupal.php'], ['includes/bootstrap.inc', 'modules/system']],
        'TYPO3' => [['typo3/sysext'], ['typo3/index.php']],
        'Joomla' => [['administrator/index.php', 'libraries/src']],
        'phpBB' => [['phpbb', 'includes', 'viewtopic.php']],
        'Nextcloud' => [['occ', 'version.php', 'lib/private'], ['occ', 'remote.php', 'status.php']],
        'Kirby' => [['kirby/bootstrap.php'], ['kirby', 'content', 'site']],
        'ProcessWire' => [['wire/core', 'site']],
        'DokuWiki' => [['doku.php', 'inc', 'conf']],
        'SMF' => [['SSI.php', 'Settings.php', 'Sources']],
        'Grav' => [['system', 'user', 'bin/grav']],
        'October or Winter' => [['artisan', 'modules/system', 'plugins', 'themes']],
        'Matomo' => [['matomo.php', 'core', 'plugins']],
        'OpenCart' => [['catalog/controller', 'system/startup.php']],
        'YOURLS' => [['yourls-loader.php', 'yourls-api.php']],
        'MODX' => [['core/model', 'connectors', 'manager']],
    ];

    /** The script that takes what is no file, where that is not index.php. */
    private const FRONTS = ['phpBB' => 'app.php', 'YOURLS' => 'yourls-loader.php'];

    private const REFUSED = [
        // developer.wordpress.org: nginx, hardening.
        'WordPress' => [
            '^/(?:.*/)?(?:uploads|files|blogs\.dir|upgrade)/.*\.php$',
            '^/wp-includes/(?!js/tinymce/wp-tinymce\.php$|ms-files\.php$).*\.php$',
            '^/wp-admin/includes/',
            '^/wp-content/debug\.log$',
            '^/wp-config(?:-sample)?\.php$',
        ],
        // core/.htaccess and the recipe of the nginx wiki.
        'Drupal' => [
            '\.(?:engine|inc|install|make|module|profile|po|sh|theme|twig|tpl(?:\.php)?|xtmpl|yml)$',
            '^/sites/[^/]+/(?:private/|files/.*\.php$)',
            '^/(?!core/[^/]*\.php$|core/modules/statistics/statistics\.php$).+/.*\.php$',
            '^/autoload(?:_runtime)?\.php$',
        ],
        // docs.typo3.org: system requirements, nginx.
        'TYPO3' => [
            '^/(?:uploads|fileadmin|typo3temp)/.*\.php$',
            '^/(?:typo3temp/var)/',
            '^/fileadmin/(?:.*/)?_(?:recycler|temp)_/',
            '^/fileadmin/templates/.*\.(?:txt|ts|typoscript)$',
            '^/(?:typo3conf/ext|typo3/sysext|typo3/ext)/[^/]+/(?:Configuration|Resources/Private|Tests?|Documentation|docs?)/',
        ],
        // docs.joomla.org: nginx.
        'Joomla' => [
            '^/(?:images|cache|media|logs|tmp|administrator/(?:cache|logs))/.*\.php$',
            '^/(?:cli|tmp|administrator/logs)/',
            '^/configuration\.php$',
        ],
        // docs/nginx.sample.conf of phpBB.
        'phpBB' => [
            '^/(?:.*/)?(?:config|cache|files|images/avatars/upload|includes|(?<!ext/)phpbb(?!\w+)|store|bin|develop)/',
            '^/(?:config|common)\.php$',
        ],
        // docs.nextcloud.com: NGINX configuration.
        'Nextcloud' => ['^/(?:build|tests|config|lib|3rdparty|templates|data)/', '^/(?:autotest|occ|issue|indie|db_|console)'],
        // getkirby.com: Kirby meets Nginx.
        'Kirby' => ['^/(?:content|site|kirby)/'],
        // processwire.com: .htaccess, as nginx's rules.
        'ProcessWire' => [
            '^/(?:site|site-[^/]+)/(?:install/|config(?:-[^/]*)?\.php$)',
            '^/(?:site|site-[^/]+)/assets/(?:cache|logs|backups|sessions|config|install|tmp)/',
            '^/(?:wire|site|site-[^/]+)/(?:modules|templates|templates-admin|core|classes)/'
                . '.*\.(?:php|inc|module|html?|tpl|info|txt|md)$',
        ],
        // dokuwiki.org: nginx.
        'DokuWiki' => ['^/(?:data|conf|bin|inc|vendor)/'],
        'SMF' => ['^/(?:attachments|cache|Packages/(?:backups|temp))/', '^/Sources/', '^/Settings(?:_bak)?\.php$'],
        // webserver-configs/nginx.conf of Grav.
        'Grav' => [
            '^/(?:cache|bin|logs|backup|tests)/',
            '^/(?:system|vendor)/.*\.(?:txt|xml|md|html|json|ya?ml|php|pl|py|cgi|twig|sh|bat)$',
            '^/user/.*\.(?:txt|md|json|ya?ml|php|pl|py|cgi|twig|sh|bat)$',
        ],
        // docs.octobercms.com and wintercms.com: nginx.
        'October or Winter' => [
            '^/(?!index\.php$).*\.php$',
            '^/(?:modules|plugins|themes)/(?!.*/(?:assets|resources)/)',
        ],
        // github.com/matomo-org/matomo-nginx; its installer writes .htaccess files that say the same.
        'Matomo' => [
            '^/(?!(?:index|matomo|piwik|js/index|plugins/HeatmapSessionRecording/configs)\.php$).*\.php$',
            '^/(?:config|tmp|core|lang)/',
        ],
        // .htaccess.txt of OpenCart: sessions, logs and what is sold as a download lie below system/storage/.
        'OpenCart' => ['^/system/', '\.(?:tpl|twig|ini|log)$'],
        // core/ht.access, which somebody has to rename first.
        'MODX' => ['^/core/'],
    ];

    /** Whose documentation publishes what other projects keep to themselves; no script of it is run. */
    private const PUBLISHED = [
        'October or Winter' => ['^/storage/(?:app/(?:uploads/public|media|resized|resources)|temp/public)/'],
        // OpenCart 5: browsers read them.
        'OpenCart' => ['^/(?:.*/)?view/language/.*\.yaml$'],
    ];

    private string $docroot;
    private bool $isProject;

    /** Whether it may be a public folder whose project lies elsewhere, as with those who rent out web space. */
    private bool $mayBePublic;

    public function __construct(Project $project)
    {
        $this->docroot = $project->docroot;
        $this->isProject = !DocumentRoot::isPublicOf($project);
        $this->mayBePublic = !DocumentRoot::isSurely($this->docroot);
    }

    /** @return list<string> regular expressions of files that the documentation of the application that this is refuses */
    public function ofApplications(): array
    {
        return $this->named(self::REFUSED);
    }

    /** @return list<string> regular expressions of files that it publishes, though a project usually does not */
    public function published(): array
    {
        return $this->named(self::PUBLISHED);
    }

    /** @return list<string> regular expressions of files that no project publishes */
    public function ofProjects(): array
    {
        if (!$this->isProject) {
            return [self::NEVER];
        }
        $packages = $this->mayBePublic ? [...self::PACKAGES, 'storage'] : self::PACKAGES;

        return [
            self::NEVER,
            self::FILES,
            self::OF_COMPOSER,
            self::UNLESS_UPLOADED,
            // Scripts are no sources: as with php-fpm they are run.
            '^/(?:' . implode('|', array_diff($this->private(), $packages)) . ')/(?!.*\.php$)',
            ...array_map(
                static fn (string $name): string => "^/$name/(?!.*(?:" . self::ASSETS
                    . ($name === 'storage' ? '|\.php' : '') . ')$)',
                array_intersect($packages, [...$this->private(), ...self::PACKAGES]),
            ),
        ];
    }

    /** @return list<string> folders that are there and of which nothing, or not all, is published */
    public function folders(): array
    {
        $names = [...$this->private(), ...self::PACKAGES];

        return $this->isProject ? array_values(array_filter($names, $this->has(...))) : [];
    }

    /** @return list<string> files of the document root that are not published, and that somebody may have meant for visitors */
    public function files(): array
    {
        $names = $this->isProject ? scandir($this->docroot) ?: [] : [];

        return array_values(array_filter(
            $names,
            fn (string $name): bool => preg_match('~' . self::UNLESS_UPLOADED . '~', "/$name") === 1
                && $name[0] !== '.' && is_file("{$this->docroot}/$name"),
        ));
    }

    /** @return list<string> names of the applications whose files lie there */
    public static function applicationsIn(string $docroot): array
    {
        $isThere = static fn (string $name): bool => file_exists("$docroot/$name");
        $found = [];
        foreach (self::MARKS as $name => $sets) {
            foreach ($sets as $files) {
                if (array_filter($files, $isThere) === $files) {
                    $found[$name] = true;
                }
            }
        }

        return array_keys($found);
    }

    /** The front controller's name in a document root, if that application's files lie there which has another one. */
    public static function frontIn(string $docroot, string $usual): string
    {
        $fronts = array_intersect_key(self::FRONTS, array_flip(self::applicationsIn($docroot)));
        $there = array_filter($fronts, static fn (string $name): bool => is_file("$docroot/$name"));

        return array_values($there)[0] ?? $usual;
    }

    /**
     * @param  array<string, list<string>> $rules by application
     * @return list<string> those of the applications that this is
     */
    private function named(array $rules): array
    {
        $names = self::applicationsIn($this->docroot);

        return array_merge(...array_map(static fn (string $name): array => $rules[$name] ?? [], $names));
    }

    private function has(string $name): bool
    {
        return file_exists("{$this->docroot}/$name");
    }

    /** @return list<string> */
    private function private(): array
    {
        return $this->isPublishedStorage() ? array_values(array_diff(self::PRIVATE, ['storage'])) : self::PRIVATE;
    }

    /**
     * Laravel links storage to what visitors may see of a project that lies elsewhere. In the folder of a whole project that is
     * a link of who deploys it, to all that it writes; and so is one to a folder with logs.
     */
    private function isPublishedStorage(): bool
    {
        $storage = "{$this->docroot}/storage";
        $leadsTo = is_link($storage) ? realpath($storage) : false;

        return $leadsTo !== false && $this->mayBePublic && !file_exists("$leadsTo/logs") && !file_exists("$leadsTo/framework")
            && !str_starts_with("$leadsTo/", (string) realpath($this->docroot) . '/');
    }
}
