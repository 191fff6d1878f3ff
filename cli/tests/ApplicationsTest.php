<?php

declare(strict_types=1);

namespace Howdah\Cli\Tests;

use PHPUnit\Framework\Attributes\DataProvider;

/**
 * Applications by their layouts, each as its documentation has nginx with php-fpm serve it: pages are run, files are sent, and
 * what it keeps to itself is (RoutingNginx: a real nginx with the module).
 */
final class ApplicationsTest extends CliTestCase
{
    private const DENIED = "<IfModule mod_authz_core.c>\nRequire all denied\n</IfModule>\n"
        . "<IfModule !mod_authz_core.c>\nOrder deny,allow\n"
        . "Deny from all\n</IfModule>\n";

    /** What many applications have, but for the last line: paths of what is no file. */
    private const FRONT = "Options -Indexes\nRewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\n"
        . "RewriteCond %{REQUEST_FILENAME} !-d\n"
        . "RewriteRule ^(.*)$ index.php [L]\n";

    /**
     * @return iterable<string, array{list<string>, array<string, string>, list<string>, array<string, string>, list<string>}>
     * @return iterable<string, array{list<string>, array<string, string>, list<string>, array<string, string>,
     *         list<string>}>
     */
    public static function applications(): iterable
    {
        yield 'plain PHP' => [
            ['index.php', 'about.php', 'style.css', 'includes/db.inc', 'config/db.yaml', 'logs/error.log', 'dump.sql',
                'composer.json',
                '.git/config', 'vendor/autoload.php', 'vendor/a/a.css', 'node_modules/a/package.json', 'lib/db.class',
                    'index.php~'],
            ['includes/db.inc' => '<?php // secret', 'lib/db.class' => "#!/usr/bin/php\n<?php // secret"],
            ['/', '/about', '/config', '/logs/', '/vendor/'],
            ['/about.php' => 'about.php', '/style.css' => 'secret', '/vendor/a/a.css' => 'secret'],
            ['/includes/db.inc', '/config/db.yaml', '/logs/error.log', '/dump.sql', '/composer.json', '/.git/config',
                '/vendor/autoload.php', '/node_modules/a/package.json', '/lib/db.class', '/index.php~'],
        ];
        yield 'WordPress' => [
            ['wp-load.php', 'wp-includes/load.php', 'wp-includes/js/a.js', 'index.php', 'wp-config.php', 'wp-login.php',
                'wp-admin/index.php', 'wp-content/uploads/evil.php', 'wp-content/uploads/cat.jpg', 'wp-content/debug.log',
                'wp-content/plugins/shop/ajax.php', 'wp-content/uploads/wc-logs/a.log'],
            ['wp-content/uploads/wc-logs/.htaccess' => 'deny from all', '.htaccess' => "# BEGIN WordPress\n"
                . "<IfModule mod_rewrite.c>\nRewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\n"
                . "RewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\n"
                    . "RewriteCond %{REQUEST_FILENAME} !-d\n"
                . "RewriteRule . /index.php [L]\n</IfModule>\n# END WordPress"],
            ['/', '/2026/11/hello/?p=1', '/wp-content/uploads/gone.jpg'],
            ['/wp-login.php' => 'wp-login.php', '/wp-admin/' => 'wp-admin/index.php',
                '/wp-content/uploads/cat.jpg' => 'secret',
                '/wp-content/plugins/shop/ajax.php' => 'wp-content/plugins/shop/ajax.php',
                    '/wp-includes/js/a.js' => 'secret'],
            ['/wp-config.php', '/wp-content/uploads/evil.php', '/wp-content/uploads/evil.php/a.jpg',
                '/wp-content//uploads/evil.php',
                '/wp-content/uploads/%65vil.php', '/wp-content/debug.log', '/wp-includes/load.php',
                '/wp-content/uploads/wc-logs/a.log'],
        ];
        yield 'Drupal by Composer' => [
            ['composer.json', 'vendor/autoload.php', 'web/core/lib/Drupal.php', 'web/index.php', 'web/update.php',
                'web/autoload.php',
                'web/core/install.php', 'web/core/core.services.yml', 'web/modules/a/a.module',
                    'web/sites/default/files/evil.php',
                'web/sites/default/files/cat.jpg', 'web/sites/default/private/a.txt', 'web/sites/default/settings.php',
                'web/themes/a/a.css', 'web/themes/a/page.tpl.php~'],
            ['web/.htaccess' => "<FilesMatch \"\\.(engine|inc|theme)$|^(\\.(?!well-known).*|composer\\.lock)$\">\n"
                . self::DENIED
                . "</FilesMatch>\n" . self::FRONT],
            ['/', '/node/1'],
            ['/update.php' => 'web/update.php', '/core/install.php' => 'web/core/install.php', '/themes/a/a.css' => 'secret',
                '/sites/default/files/cat.jpg' => 'secret'],
            ['/core/core.services.yml', '/modules/a/a.module', '/sites/default/files/evil.php', '/autoload.php',
                '/sites/default/private/a.txt', '/sites/default/settings.php', '/themes/a/page.tpl.php~'],
        ];
        yield 'Kirby' => [
            ['index.php', 'kirby/bootstrap.php', 'site/sessions/1.sess', 'site/accounts/a/index.php', 'content/home/home.txt',
                'media/pages/a.jpg', 'assets/a.css'],
            ['.htaccess' => "RewriteEngine on\nRewriteRule (^|/)\\.(?!well-known\\/) index.php [L]\n"
                . "RewriteRule ^content/(.*) index.php"
                . " [L]\nRewriteRule ^site/(.*) index.php [L]\nRewriteRule ^kirby/(.*) index.php [L]\n" . self::FRONT],
            ['/', '/blog/one', '/site/sessions/1.sess', '/site/accounts/a/index.php', '/content/home/home.txt',
                '/kirby/bootstrap.php'],
            ['/media/pages/a.jpg' => 'secret', '/assets/a.css' => 'secret'],
            [],
        ];
        yield 'Kirby without its .htaccess' => [
            ['index.php', 'kirby/bootstrap.php', 'site/sessions/1.sess', 'content/home/home.txt', 'media/a.jpg'],
            [],
            ['/', '/blog/one'],
            ['/media/a.jpg' => 'secret'],
            ['/site/sessions/1.sess', '/content/home/home.txt', '/kirby/bootstrap.php'],
        ];
        yield 'Nextcloud' => [
            ['index.php', 'remote.php', 'status.php', 'occ', 'version.php', 'lib/private/a.php', 'config/config.php',
                'core/js/a.js',
                'data/alice/files/s.txt', 'data/nextcloud.log', 'ocs/v2.php'],
            ['data/.htaccess' => self::DENIED],
            ['/', '/apps/files', '/data'],
            ['/status.php' => 'status.php', '/remote.php/dav/files/alice/.hidden' => 'remote.php/dav/files/alice/.hidden',
                '/core/js/a.js' => 'secret',
                '/ocs/v2.php/cloud' => 'ocs/v2.php/cloud'],
            ['/data/alice/files/s.txt', '/data/nextcloud.log', '/config/config.php', '/lib/private/a.php', '/occ'],
        ];
        yield 'CakePHP' => [
            ['index.php', 'composer.json', 'webroot/index.php', 'webroot/css/cake.css', 'logs/error.log',
                'config/app_local.php'],
            ['.htaccess' => "RewriteEngine on\nRewriteRule ^$ webroot/ [L]\nRewriteRule (.*) webroot/$1 [L]\n",
                'webroot/.htaccess' => self::FRONT],
            ['/', '/articles/1', '/logs/error.log', '/config/app_local.php', '/composer.json'],
            ['/css/cake.css' => 'secret'],
            [],
        ];
        yield 'Yii' => [
            ['yii', 'composer.json', 'config/db.php', 'runtime/logs/app.log', 'web/index.php', 'web/assets/1/a.js'],
            ['web/.htaccess' => self::FRONT],
            ['/', '/site/login', '/config/db.php', '/runtime/logs/app.log'],
            ['/assets/1/a.js' => 'secret'],
            [],
        ];
        yield 'Baikal' => [
            ['composer.json', 'config/baikal.yaml', 'Specific/db/db.sqlite', 'html/index.php', 'html/dav.php',
                'html/admin/index.php',
                'html/res/a.css'],
            [],
            ['/', '/config/baikal.yaml', '/Specific/db/db.sqlite', '/.well-known/caldav'],
            ['/dav.php/calendars/a/.inbox/' => 'html/dav.php/calendars/a/.inbox/', '/admin/' => 'html/admin/index.php',
                '/res/a.css' => 'secret'],
            [],
        ];
        yield 'ProcessWire' => [
            ['index.php', 'wire/core/a.php', 'wire/modules/a.css', 'site/config.php', 'site/assets/logs/errors.txt',
                'site/assets/files/1/cat.jpg', 'site/assets/sessions/s', 'site/modules/A.module', 'site/templates/a.js'],
            ['site/modules/A.module' => '<?php // secret', '.htaccess' => "<FilesMatch \"\\.(inc|info|module|sh|sql)$\">\n"
                . self::DENIED . "</FilesMatch>\nRewriteEngine On\n"
                . "RewriteCond %{REQUEST_URI} (^|/)(site|site-[^/]+)/assets/(cache|logs|backups|sessions)($|/.*$) [NC,OR]\n"
                . "RewriteCond %{REQUEST_URI} (^|/)(site|site-[^/]+)/config\\.php$ [NC]\nRewriteRule ^.*$ - [F,L]\n"
                . "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ index.php?it=$1 [L,QSA]\n"],
            ['/', '/about/'],
            ['/site/assets/files/1/cat.jpg' => 'secret', '/wire/modules/a.css' => 'secret',
                '/site/templates/a.js' => 'secret'],
            ['/site/config.php', '/site/assets/logs/errors.txt', '/site/assets/sessions/s', '/site/modules/A.module',
                '/wire/core/a.php'],
        ];
        yield 'phpBB' => [
            ['index.php', 'app.php', 'viewtopic.php', 'phpbb/db.php', 'includes/acp.php', 'config.php', 'store/a.txt',
                'files/a.txt', 'styles/a.css', 'ext/acme/demo/config/services.yml'],
            [],
            ['/', '/index.php?mode=x'],
            ['/feed/forums' => 'app.php', '/app.php/feed/forums' => 'app.php/feed/forums',
                '/viewtopic.php?t=1' => 'viewtopic.php', '/styles/a.css' => 'secret'],
            ['/config.php', '/includes/acp.php', '/phpbb/db.php', '/store/a.txt', '/files/a.txt',
                '/ext/acme/demo/config/services.yml'],
        ];
        $media = ['storage/app/media/cat.jpg', 'storage/app/uploads/public/1/a.pdf', 'storage/temp/public/1/thumb.png'];
        $october = ['index.php', 'artisan', 'composer.json', 'config/app.php', 'bootstrap/app.php', 'modules/system/a.php',
            'modules/backend/assets/css/a.css', 'plugins/acme/blog/assets/a.js', 'plugins/acme/blog/updates/version.yaml',
            'themes/demo/pages/home.htm', 'themes/demo/assets/a.css', 'storage/app/uploads/protected/1/a.pdf', ...$media,
            'storage/logs/system.log', 'storage/app/media/evil.php', 'storage/cms/cache/a.txt', 'vendor/acme/a.txt'];
        $sent = array_fill_keys(['/modules/backend/assets/css/a.css', '/plugins/acme/blog/assets/a.js',
            '/themes/demo/assets/a.css', ...array_map(static fn (string $name): string => "/$name", $media)], 'secret');
        $kept = ['/config/app.php', '/modules/system/a.php', '/plugins/acme/blog/updates/version.yaml',
            '/themes/demo/pages/home.htm', '/storage/app/uploads/protected/1/a.pdf', '/storage/logs/system.log',
            '/storage/app/media/evil.php', '/storage/cms/cache/a.txt', '/vendor/acme/a.txt'];
        yield 'October or Winter without its .htaccess' => [$october, [], ['/', '/blog/post/1'], $sent, $kept];
        yield 'October or Winter' => [
            $october,
            ['.htaccess' => "RewriteEngine On\nRewriteRule ^config/.* index.php [L,NC]\n"
                . "RewriteRule ^storage/logs/.* index.php [L,NC]\n"
                . "RewriteCond %{REQUEST_FILENAME} -f\n" . implode('', array_map(
                    static fn (string $path): string => "RewriteCond %{REQUEST_FILENAME} !/$path/.*\n",
                    ['storage/app/uploads/public', 'storage/app/media', 'storage/temp/public', 'themes/.*/assets',
                        'plugins/.*/assets', 'modules/.*/assets'],
                )) . "RewriteRule !^index.php index.php [L,NC]\n"
                . "RewriteCond %{REQUEST_FILENAME} -f\nRewriteCond %{REQUEST_FILENAME} \\.php$\n"
                . "RewriteRule !^index.php index.php [L,NC]\nRewriteCond %{REQUEST_FILENAME} !-f\n"
                . "RewriteRule ^ index.php [L]\n"],
            ['/', '/blog/post/1', ...$kept],
            $sent,
            [],
        ];
        yield 'OpenCart' => [
            ['index.php', 'admin/index.php', 'config.php', 'catalog/controller/a.php', 'catalog/view/a.css',
                'catalog/view/a.twig', 'system/startup.php', 'system/storage/session/sess_1',
                'system/storage/download/album.zip.abc', 'system/storage/logs/error.log', 'image/catalog/cat.jpg',
                'catalog/view/language/en-gb/default.yaml', 'deploy.yaml'],
            [],
            ['/', '/en-gb/desktops'],
            ['/admin/' => 'admin/index.php', '/catalog/view/a.css' => 'secret', '/image/catalog/cat.jpg' => 'secret',
                '/catalog/view/language/en-gb/default.yaml' => 'secret'],
            ['/system/startup.php', '/system/storage/session/sess_1', '/system/storage/download/album.zip.abc',
                '/system/storage/logs/error.log', '/catalog/view/a.twig', '/deploy.yaml'],
        ];
        yield 'MODX' => [
            ['index.php', 'connectors/index.php', 'manager/index.php', 'manager/a.css', 'core/model/modx/a.php',
                'core/config/config.inc.php', 'core/packages/core.transport.zip', 'core/ht.access', 'assets/a.css'],
            [],
            ['/', '/about'],
            ['/manager/' => 'manager/index.php', '/connectors/' => 'connectors/index.php', '/assets/a.css' => 'secret'],
            ['/core/model/modx/a.php', '/core/config/config.inc.php', '/core/packages/core.transport.zip', '/core/ht.access'],
        ];
        yield 'Magento' => [
            ['index.php', 'composer.json', 'app/etc/env.php', 'pub/index.php', 'pub/media/a.jpg', 'var/log/a.txt'],
            [],
            ['/', '/women/tops', '/app/etc/env.php', '/var/log/a.txt'],
            ['/media/a.jpg' => 'secret'],
            [],
        ];
        yield 'Neos' => [
            ['composer.json', 'Configuration/Settings.yaml', 'Web/index.php', 'Web/_Resources/a.css'],
            [],
            ['/', '/Configuration/Settings.yaml'],
            ['/_Resources/a.css' => 'secret'],
            [],
        ];
        yield 'Matomo before its installer' => [
            ['index.php', 'matomo.php', 'piwik.php', 'matomo.js', 'core/a.php', 'lang/en.json', 'config/config.ini.php',
                'tmp/sessions/sess_1', 'plugins/Login/a.php', 'plugins/Login/a.css', 'console', 'js/index.php'],
            ['console' => "#!/usr/bin/env php\n<?php // secret"],
            ['/', '/index.php?module=API'],
            ['/matomo.php?idsite=1' => 'matomo.php', '/matomo.js' => 'secret', '/js/' => 'js/index.php',
                '/plugins/Login/a.css' => 'secret'],
            ['/core/a.php', '/lang/en.json', '/config/config.ini.php', '/tmp/sessions/sess_1', '/plugins/Login/a.php',
                '/console'],
        ];
        $rest = static fn (string $folder, string $script): string => "RewriteEngine On\n"
            . "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\n"
            . "RewriteCond %{REQUEST_URI} (.*$folder)\nRewriteRule ^(.*)$ %1/$script/\$1 [L]\n";
        yield 'osTicket' => [
            ['index.php', 'api/http.php', 'api/cron.php', 'pages/index.php', 'scp/apps/dispatcher.php', 'scp/index.php',
                'scp/a.css', 'include/ost-config.php', 'apps/dispatcher.php'],
            ['api/.htaccess' => $rest('/api', 'http.php'), 'pages/.htaccess' => $rest('/pages', 'index.php'),
                'apps/.htaccess' => $rest('/apps', 'dispatcher.php'),
                'scp/apps/.htaccess' => $rest('/scp/apps', 'dispatcher.php'), 'include/.htaccess' => self::DENIED],
            ['/', '/apis', '/scp/gone'],
            ['/api/tickets.json' => 'api/http.php/tickets.json', '/api/cron.php' => 'api/cron.php',
                '/pages/' => 'pages/index.php', '/pages/a/%C3%A4%20b' => "pages/index.php/a/\u{e4} b",
                '/scp/apps/x' => 'scp/apps/dispatcher.php/x', '/apps/x?a=1' => 'apps/dispatcher.php/x',
                '/scp/a.css' => 'secret'],
            ['/include/ost-config.php'],
        ];
        yield 'an old Symfony' => [
            ['composer.json', 'app/config/parameters.yml', 'web/app.php', 'web/app_dev.php', 'web/a.css'],
            ['web/.htaccess' => "DirectoryIndex app.php\nRewriteEngine On\n"
                . "RewriteCond %{REQUEST_URI}::$1 ^(/.+)/(.*)::\\2$\nRewriteRule ^(.*) - [E=BASE:%1]\n"
                . "RewriteCond %{ENV:REDIRECT_STATUS} ^$\nRewriteRule ^app\\.php(?:/(.*)|$) %{ENV:BASE}/$1 [R=301,L]\n"
                . "RewriteCond %{REQUEST_FILENAME} -f\nRewriteRule ^ - [L]\nRewriteRule ^ %{ENV:BASE}/app.php [L]\n"],
            ['/', '/login', '/app/config/parameters.yml'],
            ['/a.css' => 'secret', '/app_dev.php/x' => 'web/app_dev.php/x'],
            [],
        ];
        $yourls = ['yourls-loader.php', 'yourls-api.php', 'admin/index.php', 'user/config.php', 'composer.json'];
        yield 'YOURLS' => [$yourls, [], ['/abc', '/abc+'], ['/admin/' => 'admin/index.php',
            '/yourls-api.php?action=x' => 'yourls-api.php'], ['/composer.json']];
        yield 'FallbackResource' => [['app.php', 'a.css', 'shop/app.php', 'shop/index.php'], [
            '.htaccess' => 'FallbackResource /app.php', 'shop/.htaccess' => 'FallbackResource /shop/app.php',
        ], ['/', '/x/y', '/shopping'], ['/shop/' => 'shop/index.php', '/shop/x' => 'shop/app.php', '/a.css' => 'secret'], []];
        yield 'Joomla' => [
            ['index.php', 'administrator/index.php', 'api/index.php', 'libraries/src/a.php', 'configuration.php', 'media/a.js'],
            ['.htaccess' => "RewriteEngine On\nRewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]\n"
                . "RewriteCond %{REQUEST_URI} ^/api/\nRewriteCond %{REQUEST_URI} !^/api/index\\.php\n"
                . "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\n"
                . "RewriteRule .* api/index.php [L]\nRewriteCond %{REQUEST_URI} !^/index\\.php\n" . self::FRONT],
            ['/', '/news', '/apis/v1'],
            ['/api/v1/users' => 'api/index.php', '/administrator/' => 'administrator/index.php', '/media/a.js' => 'secret'],
            ['/configuration.php'],
        ];
        $blog = "RewriteEngine On\nRewriteBase /blog/\nRewriteRule ^index\\.php$ - [L]\nRewriteCond %{REQUEST_FILENAME} !-f\n"
            . "RewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule . /blog/index.php [L]\n";
        yield 'a blog below a site' => [
            ['index.php', 'blog/index.php', 'blog/wp-login.php', 'blog/a.css', 'old/index.php', 'plain/index.php'],
            ['.htaccess' => self::FRONT, 'blog/.htaccess' => $blog, 'old/.htaccess' => $blog],
            ['/', '/about', '/blogs', '/plain/x'],
            ['/blog/' => 'blog/index.php', '/blog/2026/11/hello/?p=1' => 'blog/index.php', '/blog/a.css' => 'secret',
                '/blog/wp-login.php' => 'blog/wp-login.php', '/blog/gone.php' => 'blog/index.php'],
            [],
        ];
        yield 'phpMyFAQ' => [
            ['index.php', 'admin/index.php', 'admin/api/index.php', 'admin/assets/a.css', 'api/index.php',
                'content/core/a.txt'],
            ['.htaccess' => "RewriteEngine On\nRewriteBase /\nRewriteRule ^content/core/ - [F,L]\n"
                . "RewriteRule ^admin/assets($|/) - [L]\nRewriteRule ^admin/api/ admin/api/index.php [L,QSA]\n"
                . "RewriteRule ^admin/ admin/index.php [L,QSA]\nRewriteRule ^api/ api/index.php [L,QSA]\n"
                . "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteCond %{REQUEST_FILENAME} !-d\nRewriteRule ^ index.php [L]\n"],
            ['/', '/faq/1', '/admin/assets/none.css'],
            ['/admin/' => 'admin/index.php', '/admin/user/1' => 'admin/index.php', '/admin/api/x' => 'admin/api/index.php',
                '/admin/assets/a.css' => 'secret', '/api/v3.0/version' => 'api/index.php'],
            ['/content/core/a.txt'],
        ];
        yield 'a folder that gives all of its files to its script' => [
            ['index.php', 'cp/index.php', 'cp/users.json', 'cp/a.css'],
            ['cp/.htaccess' => "RewriteEngine On\nRewriteCond %{REQUEST_URI} !\\.css$\nRewriteRule ^ index.php [L]\n"],
            ['/', '/about'],
            ['/cp/users.json' => 'cp/index.php', '/cp/x' => 'cp/index.php', '/cp/a.css' => 'secret'],
            [],
        ];
        yield 'scripts of folders that are refused' => [
            ['index.php', 'admin/index.php', 'private/index.php', 'old/run.php'],
            ['.htaccess' => "RewriteEngine On\nRewriteRule ^admin/ admin/index.php [L]\n"
                . "RewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^old/ old/run.php [L]\n" . self::FRONT,
                'admin/.htaccess' => "Require ip 10.0.0.1\n",
                'old/.htaccess' => "<Files run.php>\n" . self::DENIED . "</Files>\n",
                'private/.htaccess' => self::DENIED . "FallbackResource /private/index.php\n"],
            ['/', '/admin/user/1', '/private/x', '/old/x'],
            [],
            ['/admin/', '/admin/index.php', '/private/', '/private/index.php', '/private/index.php/x', '/old/run.php'],
        ];
        yield 'a folder with another index' => [
            ['index.php', 'old/start.php', 'old/deep/start.php'],
            ['old/.htaccess' => 'DirectoryIndex none.php start.php'],
            ['/', '/older', '/old/deep/'],
            ['/old/' => 'old/start.php'],
            [],
        ];
        yield 'SMF' => [
            ['index.php', 'SSI.php', 'Settings.php', 'Settings_bak.php', 'Sources/Load.php', 'Themes/default/css/index.css',
                'attachments/1_a', 'avatars/a.png', 'Packages/backups/a.tar'],
            ['attachments/.htaccess' => "<Files *>\n\tOrder Deny,Allow\n\tDeny from all\n\tAllow from localhost\n</Files>\n\n"
                . "RemoveHandler .php .php3 .phtml"],
            ['/', '/index.php?topic=1'],
            ['/Themes/default/css/index.css' => 'secret', '/avatars/a.png' => 'secret', '/SSI.php' => 'SSI.php'],
            ['/Settings.php', '/Settings_bak.php', '/Sources/Load.php', '/attachments/1_a', '/Packages/backups/a.tar'],
        ];
    }

    /**
     * @param list<string>          $files
     * @param array<string, string> $texts
     * @param list<string>          $pages
     * @param array<string, string> $others
     * @param list<string>          $refused
     */
    #[DataProvider('applications')]
    public function test_pages_are_run_files_are_sent_and_the_rest_is_refused(
        array $files,
        array $texts,
        array $pages,
        array $others,
        array $refused,
    ): void {
        $script = "<?php /* secret */ echo 'run ' . \$_SERVER['SCRIPT_FILENAME'] . (\$_SERVER['PATH_INFO'] ?? '');";
        $all = array_combine($files, array_map(
            static fn (string $name): string => str_ends_with($name, '.php') ? $script : 'secret',
            $files,
        ));
        $root = $this->project([...$all, ...$texts]);
        $socket = dirname($root) . '/test.sock';
        $nginx = new RoutingNginx($this->options("--listen=unix:$socket --workers=1 --no-access-log", $root), $socket);
        $fronts = ['webroot/index.php', 'web/index.php', 'pub/index.php', 'Web/index.php', 'html/index.php', 'index.php',
            'web/app.php', 'yourls-loader.php', 'app.php'];
        $front = array_values(array_intersect($fronts, $files))[0] ?? self::fail('no front controller');
        try {
            foreach ([...array_fill_keys($pages, $front), ...$others] as $uri => $answer) {
                self::assertSame([200, $answer === 'secret' ? $answer : "run $root/$answer"], $nginx->get($uri), $uri);
            }
            foreach ($refused as $uri) {
                [$status, $body] = $nginx->get($uri);
                self::assertSame(403, $status, "$uri: $body");
                self::assertStringNotContainsString('secret', $body, $uri);
            }
        } finally {
            $nginx->stop();
        }
    }

    public function test_a_folder_that_is_refused_later_has_no_front_controller_any_more(): void
    {
        $root = $this->project([
            'index.php' => "<?php echo 'site';",
            'shop/index.php' => "<?php echo 'shop';",
            '.htaccess' => "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^shop/ shop/index.php [L]\n",
        ]);
        $socket = dirname($root) . '/test.sock';
        $nginx = new RoutingNginx($this->options("--listen=unix:$socket --workers=1 --no-access-log", $root), $socket);
        try {
            self::assertSame([[200, 'shop'], [200, 'shop']], [$nginx->get('/shop/cart'), $nginx->get('/shop/index.php')]);
            file_put_contents("$root/shop/.htaccess", 'Require all denied');
            self::assertSame([403, 403], [$nginx->get('/shop/cart')[0], $nginx->get('/shop/index.php')[0]]);
            self::assertSame([200, 'site'], $nginx->get('/cart'));
        } finally {
            $nginx->stop();
        }
    }

    /** nginx would take what follows a dollar sign as a variable's name, and some of these are what a visitor sends. */
    public function test_folders_of_any_name_have_front_controllers(): void
    {
        $names = ['a$b', 'x$arg_f', '${uri}', 'a"b', "a'b", 'a\\b', 'a b', 'a{b};', "a\nb", '#a', '~a', 'a)|(b', '$'];
        $files = ['index.php' => "<?php echo 'site';"];
        foreach ($names as $name) {
            $files["$name/index.php"] = "<?php echo 'own ' . bin2hex(basename(__DIR__));";
            $files["$name/rest/run.php"] = "<?php echo 'rest' . \$_SERVER['PATH_INFO'];";
            $files["$name/home/start.php"] = "<?php echo 'start';";
            $files["$name/.htaccess"] = "RewriteEngine On\nRewriteRule ^ index.php [L]\n";
            $files["$name/rest/.htaccess"] = "RewriteRule ^(.*)$ run.php/$1 [L]\n";
            $files["$name/home/.htaccess"] = 'DirectoryIndex start.php';
        }
        $root = $this->project($files);
        $socket = dirname($root) . '/test.sock';
        $nginx = new RoutingNginx($this->options("--listen=unix:$socket --workers=1 --no-access-log", $root), $socket);
        try {
            foreach ($names as $name) {
                $at = '/' . rawurlencode($name);
                self::assertSame([200, 'own ' . bin2hex($name)], $nginx->get("$at/x?f=/../index.php"), $name);
                self::assertSame([200, 'rest/a$b'], $nginx->get("$at/rest/a\$b"), $name);
                self::assertSame([200, 'start'], $nginx->get("$at/home/"), $name);
            }
        } finally {
            $nginx->stop();
        }
    }

    public function test_an_index_is_of_its_folder_and_not_of_what_is_missing(): void
    {
        $root = $this->project(['home.php' => "<?php echo 'home';", '.htaccess' => 'DirectoryIndex home.php',
            'shop/start.php' => "<?php echo 'start';", 'shop/.htaccess' => 'DirectoryIndex start.php', 'news/a.png' => '']);
        $socket = dirname($root) . '/test.sock';
        $options = $this->options("--listen=unix:$socket --workers=1 --no-access-log --mode=classic", $root);
        $nginx = new RoutingNginx($options, $socket);
        try {
            self::assertSame([[200, 'home'], [200, 'start']], [$nginx->get('/'), $nginx->get('/shop/', 'POST')]);
            self::assertSame([404, 404], [$nginx->get('/x')[0], $nginx->get('/shop/x')[0]]);
            self::assertStringEndsWith('/shop/', $nginx->get('/shop', 'HEAD')[1]);
            self::assertStringEndsWith('/news/', $nginx->get('/news')[1]);
            self::assertSame([403, 404], [$nginx->get('/news/')[0], $nginx->get('/news/', 'POST')[0]]);
        } finally {
            $nginx->stop();
        }
    }

    /** Relative links of its pages begin there. */
    public function test_a_folder_with_its_own_front_controller_is_led_to_with_a_slash(): void
    {
        $rest = "RewriteEngine On\nRewriteCond %{REQUEST_FILENAME} !-f\nRewriteRule ^(.*)$ index.php/$1 [L]\n";
        $script = "<?php echo basename(__FILE__), \$_SERVER['PATH_INFO'] ?? '';";
        $root = $this->project(['index.php' => $script, '.htaccess' => $rest, 'news/a.png' => '', 'shop/app.php' => $script,
            'shop/.htaccess' => 'FallbackResource /shop/app.php']);
        $socket = dirname($root) . '/test.sock';
        $nginx = new RoutingNginx($this->options("--listen=unix:$socket --workers=1 --no-access-log", $root), $socket);
        try {
            foreach (['/news', '/news/'] as $uri) {
                self::assertSame([200, "index.php$uri"], $nginx->get($uri));
            }
            self::assertSame([200, 'app.php'], $nginx->get('/shop/'));
            [$status, $location] = $nginx->get('/shop?a=1');
            self::assertSame(301, $status);
            self::assertStringEndsWith('/shop/?a=1', $location);
        } finally {
            $nginx->stop();
        }
    }

    /** nginx takes no parameter of more than 4096 bytes; and each backslash of a pattern is two there. */
    public function test_a_folder_whose_path_is_too_long_for_nginx_is_refused(): void
    {
        $deep = implode('/', array_fill(0, 3, str_repeat('-', 250)));
        $deepest = implode('/', array_fill(0, 9, str_repeat('-', 250)));
        $root = $this->project([
            'index.php' => "<?php echo 'run';",
            "$deep/a.txt" => 'open',
            "$deepest/.htaccess" => 'Require all denied',
            "$deepest/a.txt" => 'secret',
            "b/$deepest/.htaccess" => 'php_flag engine off',
            "b/$deepest/a.php" => "<?php echo 'secret';",
            'c/.htaccess' => 'RewriteRule ^' . str_repeat('-', 10) . str_repeat('\\.', 1600) . ' - [F]',
        ]);
        $socket = dirname($root) . '/test.sock';
        $nginx = new RoutingNginx($this->options("--listen=unix:$socket --workers=1 --no-access-log", $root), $socket);
        try {
            self::assertSame([200, 'run'], $nginx->get('/'));
            self::assertSame([200, 'open'], $nginx->get("/$deep/a.txt"));
            self::assertSame(403, $nginx->get("/$deepest/a.txt")[0]);
            self::assertSame(403, $nginx->get("/b/$deepest/a.php")[0]);
        } finally {
            $nginx->stop();
        }
    }
}
