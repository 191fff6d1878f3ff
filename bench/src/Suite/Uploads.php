<?php

declare(strict_types=1);

namespace Howdah\Bench\Suite;

use CurlHandle;
use CurlMultiHandle;
use Howdah\Bench\Load\Contender;
use Howdah\Bench\Load\WrongAnswer;
use Howdah\Bench\Machine\Processes;
use Howdah\Bench\Report\Goal;
use Howdah\Bench\Report\Metric;
use Howdah\Bench\Report\Samples;

/** Bodies that clients send as fast as they can: how many, for how much processor time, and how much memory beyond an idle server's. */
final readonly class Uploads extends AloneSuite
{
    /**
     * @param int<1, 1024>    $megabytes
     * @param int             $most      uploads of one measurement; 0: as many as its seconds allow
     * @param list<Contender> $contenders
     * @param list<Goal>      $goals
     */
    public function __construct(
        string $name,
        string $title,
        private int $megabytes,
        private int $connections,
        private int $most,
        array $contenders,
        array $goals,
    ) {
        parent::__construct($name, $title, $contenders, $goals);
    }

    protected function measure(Contender $contender, int $seconds, Samples $samples): void
    {
        $file = tmpfile();
        if ($file === false || !ftruncate($file, $this->megabytes * 1_048_576)) {
            throw new WrongAnswer("$this->name: no temporary file of $this->megabytes MB can be made");
        }
        $path = stream_get_meta_data($file)['uri'] ?? '';
        $processes = $contender->processes();
        $idle = $peak = Processes::pssBytes($processes);
        $cpu = Processes::cpuSeconds($processes);
        $start = hrtime(true);
        $multi = curl_multi_init();
        $begun = $done = 0;
        $mayBegin = fn (): bool => $this->most === 0 ? hrtime(true) - $start < $seconds * 1e9 : $begun < $this->most;
        for ($looked = 0; $begun === 0 || $begun > $done;) {
            while ($begun - $done < $this->connections && ($begun < $this->connections && $this->most === 0 || $mayBegin())) {
                $this->begin($multi, $contender, $path);
                ++$begun;
            }
            curl_multi_exec($multi, $running);
            curl_multi_select($multi, 0.05);
            if (hrtime(true) - $looked > 50_000_000) {
                $peak = max($peak, Processes::pssBytes($processes));
                $looked = hrtime(true);
            }
            while (($message = curl_multi_info_read($multi)) !== false) {
                $upload = $message['handle'];
                assert($upload instanceof CurlHandle);
                $body = trim((string) curl_multi_getcontent($upload));
                if ($body !== (string) ($this->megabytes << 20)) {
                    throw new WrongAnswer("$contender->name: an upload was answered \"$body\" " . curl_error($upload));
                }
                curl_multi_remove_handle($multi, $upload);
                ++$done;
            }
        }
        $elapsed = (hrtime(true) - $start) / 1e9;
        $used = Processes::cpuSeconds($processes) - $cpu;
        $contender->check();
        $samples->add($contender->name, Metric::Rate, $done / $elapsed);
        $samples->add($contender->name, Metric::ServerCpu, $used / $elapsed);
        $samples->add($contender->name, Metric::PerCore, $done / max($used, 0.01));
        $samples->add($contender->name, Metric::ExtraMemory, ($peak - $idle) / (1 << 20));
    }

    private function begin(CurlMultiHandle $multi, Contender $contender, string $path): void
    {
        $file = fopen($path, 'r');
        $upload = curl_init($contender->url());
        assert($file !== false);
        curl_setopt_array($upload, [
            CURLOPT_UPLOAD => true,
            CURLOPT_INFILE => $file,
            CURLOPT_INFILESIZE => $this->megabytes << 20,
            CURLOPT_HTTPHEADER => ['Expect:', 'Content-Type: application/octet-stream'],
            CURLOPT_RETURNTRANSFER => true,
        ]);
        curl_multi_add_handle($multi, $upload);
    }
}
