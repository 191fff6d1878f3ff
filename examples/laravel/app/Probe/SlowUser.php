<?php

declare(strict_types=1);

namespace App\Probe;

use App\Models\Post;
use App\Models\User;
use Closure;
use Illuminate\Database\Eloquent\Relations\HasMany;

/**
 * A user whose relation waits while it is being defined: an eager load then has Eloquent's static switch
 * Relation::$constraints off, and a request that shared it would load whole tables.
 */
final class SlowUser extends User
{
    public static ?Closure $wait = null;

    protected $table = 'users';

    /**
     * @return HasMany<Post, $this>
     */
    public function slowPosts(): HasMany
    {
        if (self::$wait !== null) {
            (self::$wait)();
        }

        return $this->hasMany(Post::class, 'user_id');
    }
}
