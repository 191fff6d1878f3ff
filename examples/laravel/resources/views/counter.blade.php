@extends('layout')

@section('title', 'Counter')

@section('body')
<main>
  <h1>Counter</h1>
  <p class="lead">Your session says that you have been here <strong>{{ $visits }}</strong> {{ $visits === 1 ? 'time' : 'times' }}.</p>
  <p><a href="{{ route('counter', absolute: false) }}">Once more</a> · <a href="{{ route('front', absolute: false) }}">Front page</a></p>
</main>
@endsection
