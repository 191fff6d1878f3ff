<?php

declare(strict_types=1);

namespace Howdah\ApplicationTests;

use CURLStringFile;

/** What the people of a phpMyAdmin do. */
final class PhpMyAdminWalk
{
    private string $token = '';

    public function __construct(private readonly Browser $browser)
    {
    }

    public function logIn(string $name, string $password): Page
    {
        $fields = ['pma_username' => $name, 'pma_password' => $password];
        $page = $this->browser->submit($this->browser->get('/index.php'), '//form[@id="login_form"]', $fields);
        $this->token = html_entity_decode($page->find('~name="token" value="([^"]+)"~'));

        return $page;
    }

    public function administrate(): void
    {
        $browser = $this->browser;
        $browser->see('not logged in', $browser->get('/'))->assertSays('login_form');
        $browser->see('wrong password', $this->logIn('php', 'wrong'))->assertSays('Access denied for user');
        $browser->see('logged in', $this->logIn('php', 'secret'))->assertSays('General settings');
        $database = ['new_db' => 'shop', 'db_collation' => 'utf8mb4_unicode_ci'];
        $this->ask('database made', '/server/databases/create', $database, '"success":true');
        $table = 'CREATE TABLE camels (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40), picture BLOB)';
        $this->ask('table made', '/import', ['db' => 'shop', 'sql_query' => $table], '"success":true');
        $rows = "INSERT INTO camels (name) VALUES ('Ata Allah'), ('Bint Allah'), ('Clyde & Søn');";
        $this->ask('rows put', '/import', ['db' => 'shop', 'sql_query' => $rows], '3 rows inserted.');
        $this->ask('a mistake', '/import', ['db' => 'shop', 'sql_query' => 'SELEC 1'], 'You have an error in your SQL syntax');
        $statements = "CREATE TABLE howdahs (id INT);\nINSERT INTO howdahs VALUES (7),(8);\n";
        $form = $browser->get('/index.php?route=/database/import&db=shop');
        $imported = $browser->submit($form, '//form[@id="import_file_form"]', [
            'import_file' => new CURLStringFile($statements, 'howdahs.sql', 'application/sql'),
            'format' => 'sql',
        ]);
        $browser->see('file imported', $imported)->assertSays('2 queries executed');
        $browser->see('table', $browser->get('/index.php?route=/sql&db=shop&table=camels&pos=0'))
            ->assertSays('Ata Allah', 'Søn');
        $search = ['db' => 'shop', 'criteriaSearchString' => 'Bint', 'criteriaSearchType' => '1',
            'criteriaTables[]' => 'camels', 'submit_search' => 'Go'];
        $this->ask('search', '/database/search', $search, '1 match');
        foreach (['shop' => '/database/structure', 'tables' => '/table/structure'] as $name => $route) {
            $browser->see("structure: $name", $browser->get("/index.php?route=$route&db=shop&table=camels"))
                ->assertSays('camels');
        }
        $pages = ['databases', 'sql', 'privileges', 'export', 'import', 'variables', 'collations', 'engines', 'plugins'];
        foreach ($pages as $name) {
            $browser->see("server: $name", $browser->get("/index.php?route=/server/$name"))->assertSays('phpMyAdmin');
        }
        $dump = $browser->submit($browser->get('/index.php?route=/table/export&db=shop&table=camels'), '//form[@name="dump"]', [
            'quick_or_custom' => 'quick',
            'what' => 'sql',
            'sql_structure_or_data' => 'structure_and_data',
            'sql_create_table' => 'something',
            'sql_backquotes' => 'something',
        ]);
        $browser->see('dump', $dump)->assertSays('CREATE TABLE `camels`', "'Clyde & Søn'");
    }

    public function read(): void
    {
        $browser = $this->browser;
        $scripts = '/js/messages.php?l=en&v=5';
        $browser->see('messages', $browser->get($scripts))->assertSays('Messages');
        $browser->see('styles', $browser->get('/themes/pmahomme/css/theme.css'))->assertSays('navbar');
        $browser->see('forbidden', $browser->get('/libraries/classes/Config.php'))->assertStatus(403);
        $browser->see('no such script', $browser->get('/nothing.php'))->assertStatus(404);
        $browser->see('a link to elsewhere', $browser->get('/url.php?url=https%3A%2F%2Fwww.php.net%2F'));
        $browser->see('logged out', $browser->post('/index.php?route=/logout', ['token' => $this->token, 'server' => '1']))
            ->assertSays('login_form');
        $browser->see('no rows any more', $browser->get('/index.php?route=/sql&db=shop&table=camels'))
            ->assertSilentOn('Ata Allah');
    }

    /**
     * Asks as the pages' scripts do: the answer is JSON.
     *
     * @param array<string, string> $fields
     */
    public function ask(string $name, string $route, array $fields, string $says): Page
    {
        $fields += ['token' => $this->token, 'server' => '1', 'ajax_request' => 'true'];
        $page = $this->browser->post("/index.php?route=$route", $fields, ['X-Requested-With: XMLHttpRequest']);

        return $this->browser->see($name, $page)->assertSays($says);
    }
}
