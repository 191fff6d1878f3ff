<?php

/**
 * What libraries find out once, from the environment: each second request has one of its own, the first one too; the others
 * see the server's.
 * (HOWDAH_TEST_CATALOGS: a folder with server.xml and request.xml, catalogs.)
 */

declare(strict_types=1);

$number = (int) $_GET['n'];
$zone = ['Asia/Tokyo', 'America/Lima'][intdiv($number, 2) % 2];
$folder = (string) getenv('HOWDAH_TEST_CATALOGS');
if ($number % 2 === 0) {
    putenv("TZ=$zone");
    putenv('LC_ALL=it_IT.UTF-8');
    putenv("XML_CATALOG_FILES=$folder/request.xml");
    setlocale(LC_ALL, 'C.UTF-8');
}
$wrong = [];
for ($i = 0; $i < 3; ++$i) {
    $document = new DOMDocument();
    @$document->load('http://howdah.invalid/document.xml');
    $seen = [IntlTimeZone::createDefault()->getID(), Locale::getDefault(), $document->documentElement?->nodeName];
    $expected = [$number % 2 === 0 ? $zone : 'Europe/Lisbon', 'fr_FR', 'server'];
    if ($seen !== $expected) {
        $wrong[] = json_encode([$seen, $expected]);
    }
    usleep(500);
}
echo $wrong === [] ? 'own' : implode("\n", $wrong);
