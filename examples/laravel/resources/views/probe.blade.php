@section('a')a: {{ $mark }}{{ $wait() }}@endsection
@section('b')b: {{ $wait() }}{{ $mark }}@endsection
@yield('a') @yield('b')
