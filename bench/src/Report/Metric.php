<?php

declare(strict_types=1);

namespace Howdah\Bench\Report;

/** All that is measured: its name in results.json, its heading, and how it is written. */
enum Metric: string
{
    case Offered = 'offered_per_second';
    case Rate = 'requests_per_second';
    case Held = 'held_per_second';
    case Median = 'latency_p50_ms';
    case Late = 'latency_p95_ms';
    case Slowest = 'latency_p99_ms';
    case Errors = 'errors';
    case Unanswered = 'unanswered';
    case Dropped = 'dropped_percent';
    case ServerCpu = 'server_cores';
    case PerCore = 'requests_per_core_second';
    case LoadCpu = 'load_cores';
    case OtherCpu = 'other_cores';
    case IdlePss = 'idle_pss_mib';
    case Pss = 'pss_mib';
    case Processes = 'processes';
    case BirthTime = 'birth_ms';
    case BirthMemory = 'birth_kb';
    case HookedCall = 'hooked_call_ns';
    case OriginalCall = 'original_call_ns';
    case HookCost = 'hook_cost_ns';
    case SwitchCost = 'switch_ns';
    case ParkedMemory = 'parked_kb';
    case Maps = 'maps';
    case Requests = 'requests';
    case EarlyMemory = 'early_resident_mib';
    case LateMemory = 'late_resident_mib';
    case Growth = 'growth_percent';
    case ExtraMemory = 'extra_mib';
    case RateExponent = 'rate_exponent';
    case MemoryExponent = 'memory_exponent';

    private const COMPARED = [
        self::Rate,
        self::Held,
        self::Pss,
        self::BirthTime,
        self::BirthMemory,
        self::HookCost,
        self::SwitchCost,
        self::ParkedMemory,
    ];

    public function heading(): string
    {
        return match ($this) {
            self::Offered => 'asked/s',
            self::Rate => 'requests/s',
            self::Held => 'held/s',
            self::Median => 'p50 ms',
            self::Late => 'p95 ms',
            self::Slowest => 'p99 ms',
            self::Errors => 'errors',
            self::Unanswered => 'not answered in time',
            self::Dropped => 'dropped, %',
            self::ServerCpu => 'server, cores',
            self::PerCore => 'requests per core second',
            self::LoadCpu => 'load generator, cores',
            self::OtherCpu => 'others, cores',
            self::IdlePss => 'PSS MiB idle',
            self::Pss => 'PSS MiB',
            self::Processes => 'processes',
            self::BirthTime => 'birth ms',
            self::BirthMemory => 'birth KB',
            self::HookedCall => 'with its hook, ns',
            self::OriginalCall => 'the original, ns',
            self::HookCost => 'difference, ns',
            self::SwitchCost => 'ns',
            self::ParkedMemory => 'KB a request',
            self::Maps => 'maps',
            self::Requests => 'requests',
            self::EarlyMemory => 'MiB early',
            self::LateMemory => 'MiB at the end',
            self::Growth => 'growth, %',
            self::ExtraMemory => 'MiB more at most',
            self::RateExponent => 'requests/s grow with the power',
            self::MemoryExponent => 'memory grows with the power',
        };
    }

    public function format(float $value): string
    {
        return match ($this) {
            // Uploads of a gigabyte: one in some seconds.
            self::Rate, self::PerCore => number_format($value, $value > 0 && $value < 10 ? 2 : 0),
            self::Offered, self::Held, self::Errors, self::Unanswered => number_format($value),
            self::ServerCpu, self::LoadCpu, self::OtherCpu => number_format($value, 2),
            self::BirthTime => number_format($value, 3),
            self::Processes, self::BirthMemory, self::HookedCall, self::OriginalCall, self::HookCost,
            self::SwitchCost, self::ParkedMemory, self::Maps, self::Requests => number_format($value),
            self::IdlePss, self::Pss, self::EarlyMemory, self::LateMemory => number_format($value, 1),
            default => number_format($value, $value < 10 ? 2 : 1),
        };
    }

    /** Whether its spread is worth showing: it is what is compared. */
    public function isCompared(): bool
    {
        return in_array($this, self::COMPARED, true);
    }
}
