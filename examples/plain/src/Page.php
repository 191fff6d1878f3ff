<?php

declare(strict_types=1);

/**
 * What all pages have in common.
 */
final class Page
{
    public static function begin(string $title): void
    {
        header('Content-Type: text/html; charset=utf-8');
        echo <<<HTML
            <!doctype html>
            <html lang="en">
            <head>
              <meta charset="utf-8">
              <meta name="viewport" content="width=device-width, initial-scale=1">
              <title>{$title}</title>
              <style>
                :root { color-scheme: light dark; font: 1rem/1.6 system-ui, sans-serif; }
                body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
                th { text-align: left; padding-right: 1rem; }
                code, td { overflow-wrap: anywhere; }
              </style>
            </head>
            <body>
            <h1>{$title}</h1>

            HTML;
    }

    public static function end(): void
    {
        echo <<<'HTML'
            <p><a href="/">Back to the front page</a></p>
            </body>
            </html>

            HTML;
    }

    public static function escape(string $text): string
    {
        return htmlspecialchars($text, ENT_QUOTES | ENT_SUBSTITUTE, 'UTF-8');
    }
}
