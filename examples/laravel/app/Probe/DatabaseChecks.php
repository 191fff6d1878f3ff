<?php

declare(strict_types=1);

namespace App\Probe;

use App\Models\PostView;
use App\Models\User;
use Generator;
use Howdah\Tests\Isolation\Probe;
use Illuminate\Database\Eloquent\Model;
use Illuminate\Support\Facades\DB;

/**
 * Queries, eager loads and transactions that overlap with those of other requests.
 *
 * @phpstan-import-type Check from \Howdah\Tests\Isolation\Checks
 */
final class DatabaseChecks
{
    /** One request in so many writes: SQLite has one writer at a time, and they wait while they hold it. */
    private const WRITERS = 8;

    public function __construct(private readonly Probe $probe)
    {
    }

    /**
     * @return array<string, Check>
     */
    public function checks(): array
    {
        return [
            'laravel query' => $this->query(),
            'laravel eager load' => $this->eagerLoad(),
            'laravel transaction' => $this->transaction(),
            'laravel unguarded' => $this->unguarded(),
        ];
    }

    /** @return Check */
    private function query(): Generator
    {
        $id = 1 + $this->probe->number('user', 100);
        yield fn (): array => [
            'bound value' => [$this->probe->id, DB::scalar('select cast(? as varchar(100))', [$this->probe->id])],
            'user' => ["Rider {$id}", User::query()->findOrFail($id)->name],
            'no transaction' => [0, DB::transactionLevel()],
        ];
    }

    /** @return Check */
    private function eagerLoad(): Generator
    {
        SlowUser::$wait = $this->probe->pause(...);
        $ids = [1 + $this->probe->number('one', 50), 51 + $this->probe->number('other', 50)];
        $eager = SlowUser::query()->with('slowPosts')->findMany($ids);
        $lazy = SlowUser::query()->findOrFail($ids[0])->slowPosts;
        SlowUser::$wait = null;
        yield static fn (): array => [
            'eager' => [$ids, $eager->flatMap->slowPosts->pluck('user_id')->unique()->values()->all()],
            'lazy' => [[$ids[0]], $lazy->pluck('user_id')->unique()->values()->all()],
        ];
    }

    /** @return Check */
    private function transaction(): Generator
    {
        if ($this->probe->number('writer', self::WRITERS) !== 0) {
            return;
        }
        $views = PostView::query()->where('visitor', $this->probe->id);
        $keep = $this->probe->number('keep', 2);
        DB::beginTransaction();
        (new PostView())->forceFill(['post_id' => 1, 'visitor' => $this->probe->id])->save();
        $this->probe->pause();
        $inside = [DB::transactionLevel(), $views->count()];
        $keep === 1 ? DB::commit() : DB::rollBack();
        yield static fn (): array => ['inside' => [[1, 1], $inside], 'after' => [$keep, $views->count()]];
        $views->delete();
    }

    /** @return Check */
    private function unguarded(): Generator
    {
        $inside = Model::unguarded(function (): array {
            $this->probe->pause();

            return [Model::isUnguarded(), (new User(['id' => 7]))->getKey()];
        });
        yield static fn (): array => ['inside' => [[true, 7], $inside], 'after' => [false, Model::isUnguarded()]];
    }
}
