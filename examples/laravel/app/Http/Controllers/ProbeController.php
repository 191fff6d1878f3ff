<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Probe\DatabaseChecks;
use App\Probe\LaravelChecks;
use Howdah\Tests\Isolation\Probe;
use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use InvalidArgumentException;

/**
 * For tests/isolation of Howdah's repository: does this request see any other one's state?
 */
final class ProbeController
{
    public function __invoke(Request $request): JsonResponse
    {
        require_once base_path('../../tests/isolation/Probe.php');
        try {
            $probe = Probe::fromGlobals();
        } catch (InvalidArgumentException $error) {
            return response()->json(['message' => $error->getMessage()], 400);
        }
        $groups = [new LaravelChecks($probe, $request), new DatabaseChecks($probe)];
        foreach ($groups as $group) {
            foreach ($group->checks() as $name => $check) {
                $probe->add($name, $check);
            }
        }
        if ($request->query->has('session')) {
            $request->session()->increment('visits');
        }
        $answer = $probe->run() + ['session' => $request->session()->get('visits'), 'cookies' => ['probe_app']];

        return response()
            ->json($answer, Probe::statusOf($probe->id))
            ->header('X-Probe-Id', $probe->id)
            ->cookie('probe_app', $probe->mark('probe_app'), 5);
    }
}
