{{ $user ?? "nobody" }}
