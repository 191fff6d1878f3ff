<?php

declare(strict_types=1);

/** Packs and unpacks objects whose own code waits in the middle; settings differ from request to request. Also run by php-cli. */

final class Waiting implements Serializable
{
    public function __construct(public string $value)
    {
    }

    public function serialize(): string
    {
        usleep(1000);

        return $this->value;
    }

    public function unserialize(string $data): void
    {
        usleep(1000);
        $this->value = $data;
    }
}

error_reporting(0);
$number = $argv[1] ?? $_GET['n'];
ini_set('msgpack.assoc', (string) ($number % 2));
$object = new Waiting("object $number");
$packed = msgpack_pack([$object, $object, ['again' => $object, 'number' => $number], str_repeat("text $number", 5)]);
usleep(1000);
echo $number, ' ', md5(serialize([$packed, msgpack_unpack($packed), ini_get('msgpack.assoc')])), "\n";
