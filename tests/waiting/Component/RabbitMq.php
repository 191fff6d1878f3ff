<?php

declare(strict_types=1);

namespace Howdah\WaitingTests\Component;

use Howdah\HttpTests\Server;
use Howdah\WaitingTests\Daemon;
use Howdah\WaitingTests\Port;

/** rabbitmq-server with an epmd of its own (nothing stays behind), and a slow way to it. It takes about 7 s to start. */
final class RabbitMq extends Proxied
{
    private readonly Daemon $epmd;

    public function __construct()
    {
        $this->epmd = new Daemon('epmd');
        parent::__construct('rabbitmq');
    }

    protected function launch(): void
    {
        $names = Server::freePort();
        $this->epmd->start(['epmd', '-address', '127.0.0.1', '-port', (string) $names], fn (): bool => Port::answers($names));
        $variables = [];
        foreach ($this->environment($names) as $name => $value) {
            $variables[] = "$name=$value";
        }
        touch("{$this->daemon->folder}/plugins");
        $command = ['env', ...$variables, '/usr/lib/rabbitmq/bin/rabbitmq-server', '-noinput'];
        $this->daemon->start($command, fn (): bool => Port::answers($this->port));
    }

    public function stop(): void
    {
        parent::stop();
        $this->epmd->remove();
    }

    /** @return array<string, string> */
    private function environment(int $names): array
    {
        $folder = $this->daemon->folder;

        return [
            'HOME' => $folder,
            'ERL_EPMD_ADDRESS' => '127.0.0.1',
            'ERL_EPMD_PORT' => (string) $names,
            // Becomes the process that we started, instead of its child.
            'RABBITMQ_ALLOW_INPUT' => '1',
            'RABBITMQ_NODENAME' => 'howdah@localhost',
            'RABBITMQ_NODE_IP_ADDRESS' => '127.0.0.1',
            'RABBITMQ_NODE_PORT' => (string) $this->port,
            'RABBITMQ_DIST_PORT' => (string) Server::freePort(),
            'RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS' => '-start_epmd false -kernel inet_dist_use_interface {127,0,0,1}',
            'RABBITMQ_LOGS' => '-',
            'RABBITMQ_LOG_BASE' => "$folder/logs",
            'RABBITMQ_MNESIA_BASE' => "$folder/data",
            'RABBITMQ_FEATURE_FLAGS_FILE' => "$folder/features",
            'RABBITMQ_ENABLED_PLUGINS_FILE' => "$folder/plugins",
            'RABBITMQ_GENERATED_CONFIG_DIR' => "$folder/config",
            'RABBITMQ_CONFIG_FILE' => "$folder/rabbitmq",
            'RABBITMQ_ADVANCED_CONFIG_FILE' => "$folder/advanced",
            'RABBITMQ_CONF_ENV_FILE' => '/dev/null',
        ];
    }
}
