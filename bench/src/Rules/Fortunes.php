<?php

declare(strict_types=1);

namespace Howdah\Bench\Rules;

/** TechEmpower's test fortunes: a table of HTML, in the order of messages, with one more row, and no message as markup. */
final readonly class Fortunes implements Rules
{
    /** What each request adds. */
    public const ADDED = 'Additional fortune added at request time.';

    /** The rows, as the published test has them: markup, an apostrophe, Japanese. */
    public const MESSAGES = [
        1 => 'fortune: No such file or directory',
        "A computer scientist is someone who fixes things that aren't broken.",
        'After enough decimal places, nobody gives a damn.',
        'A bad random number generator: 1, 1, 1, 1, 1, 4.33e+67, 1, 1, 1',
        'A computer program does what you tell it to do, not what you want it to do.',
        'Emacs is a nice operating system, but I prefer UNIX. — Tom Christaensen',
        'Any program that runs right is obsolete.',
        'A list is only as strong as its weakest link. — Donald Knuth',
        'Feature: A bug with seniority.',
        'Computers make very fast, very accurate mistakes.',
        '<script>alert("This should not be displayed in a browser alert box.");</script>',
        'フレームワークのベンチマーク',
    ];

    /** Tags that may be there. */
    private const ALLOWED = '~^</?(meta|link|script|thead|tbody)>$~';

    public function __construct(private string $path, private Traffic $traffic)
    {
    }

    public function verify(Asking $asking): void
    {
        $answer = $asking->for($this->path);
        Headers::Html->verify($asking, $this->path, $answer);
        $right = self::normal(self::page());
        $seen = self::normal($answer->body);
        foreach (array_keys($right + $seen) as $number) {
            $expected = $right[$number] ?? 'its end';
            $part = $seen[$number] ?? 'its end';
            $asking->demand($part === $expected, $this->path, "the page has \"$part\" where \"$expected\" has to be");
        }
        (new Counted($this->traffic))->verify($asking, $this->path, 1, count(self::MESSAGES));
        Headers::Html->verifyDate($asking, $this->path);
    }

    private static function page(): string
    {
        $messages = [0 => self::ADDED] + self::MESSAGES;
        asort($messages, SORT_STRING);
        $rows = '<tr><th>id</th><th>message</th></tr>';
        foreach ($messages as $id => $message) {
            $rows .= "<tr><td>$id</td><td>" . htmlspecialchars($message) . '</td></tr>';
        }

        return "<!doctype html><html><head><title>Fortunes</title></head><body><table>$rows</table></body></html>";
    }

    /**
     * What pages may differ in is taken away: white space between tags, attributes, capitals, how a character is escaped.
     *
     * @return list<string> tags and texts
     */
    private static function normal(string $html): array
    {
        $parts = [];
        foreach (preg_split('~(<[^>]*>)~', $html, -1, PREG_SPLIT_DELIM_CAPTURE) ?: [] as $part) {
            if (str_starts_with($part, '<!')) {
                $parts[] = strtolower($part);
            } elseif (str_starts_with($part, '<')) {
                $tag = strtolower((string) preg_replace('~^(</?[a-z0-9]+).*$~is', '$1>', $part));
                $parts = preg_match(self::ALLOWED, $tag) === 1 ? $parts : [...$parts, $tag];
            } elseif (trim($part) !== '') {
                $parts[] = html_entity_decode($part, ENT_QUOTES | ENT_HTML5);
            }
        }

        return $parts;
    }
}
