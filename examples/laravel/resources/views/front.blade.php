@extends('layout')

@section('title', 'Howdah: many requests at once in one PHP process')

@push('head')
  <script src="/demo.js" defer></script>
@endpush

@section('body')
<main>
  <header>
    <h1>Howdah</h1>
    <p class="lead">This is an ordinary Laravel application. Its worker process answers many requests at the same time:
      each in a <em>realm</em>, a PHP state of its own, and while one waits another runs.</p>
  </header>

  <section aria-labelledby="now">
    <h2 id="now">Right now</h2>
    @unless ($status['howdah'])
      <p class="note" role="note">Not under Howdah: {{ $status['mode'] }} answers, one request at a time in each process.</p>
    @endunless
    <dl class="facts" data-status>
      <div><dt>Worker process</dt><dd data-key="worker">{{ $status['worker'] }}</dd></div>
      <div><dt>Mode</dt><dd data-key="mode">{{ $status['mode'] }}</dd></div>
      @if ($status['howdah'])
      <div><dt>Realm</dt><dd><span data-key="realm">{{ $status['realm'] }}</span> <small>of <span data-key="realms">{{ $status['realms'] }}</span></small></dd></div>
      <div><dt>In flight</dt><dd><span data-key="busy">{{ $status['busy'] }}</span> <small><span data-key="waiting">{{ $status['waiting'] }}</span> of them wait</small></dd></div>
      <div><dt>Queued</dt><dd data-key="queued">{{ $status['queued'] }}</dd></div>
      <div><dt>This one waited</dt><dd><span data-key="wait_ms">{{ number_format($status['wait_ms'], 1) }}</span> <small>ms</small></dd></div>
      <div><dt>Served</dt><dd data-key="requests">{{ $status['requests'] }}</dd></div>
      <div><dt>Realms born</dt><dd data-key="births">{{ $status['births'] }}</dd></div>
      @endif
    </dl>
  </section>

  <section aria-labelledby="try">
    <h2 id="try">See it</h2>
    <p>Each of these requests calls <code>usleep()</code> for half a second, as a slow database would.</p>
    <p><button type="button" data-fire data-count="24" data-ms="500">Send 24 requests at once</button></p>
    <p class="result" role="status" data-result></p>
    <div data-race hidden>
      <div class="race"><span>Here</span><div><i data-here></i></div><b data-here-text></b></div>
      <div class="race"><span>One after another</span><div><i data-serial></i></div><b data-serial-text></b></div>
    </div>
    <ol class="timeline" data-timeline hidden></ol>
    <p class="axis" data-axis hidden aria-hidden="true"><span>0</span><span data-end></span></p>
    <p class="hint" data-hint hidden></p>
  </section>

  <section aria-labelledby="left">
    <h2 id="left">What a request leaves behind</h2>
    <p>Each of these requests leaks on purpose: 100 KB into a static list, a listener, and PHP's time zone. In worker mode the next one finds it.
      With <code>--rewind</code> each finds the application as it had booted.</p>
    <p><button type="button" data-leak data-count="20">Send 20, one after the other</button></p>
    <table data-leaks>
      <thead><tr>
        <td></td>
        <th scope="col" data-from="{{ route('leftovers', absolute: false) }}">This server</th>
        <th scope="col" data-from="{{ route('leftovers.rewound', absolute: false) }}">With <code>--rewind</code></th>
      </tr></thead>
      <tbody>
        <tr data-found="sent"><th scope="row">Requests sent</th><td>0</td><td>0</td></tr>
        <tr data-found="list"><th scope="row">Static list, as the last one found it</th><td></td><td></td></tr>
        <tr data-found="listeners"><th scope="row">Listeners</th><td></td><td></td></tr>
        <tr data-found="zone"><th scope="row">Time zone</th><td></td><td></td></tr>
      </tbody>
    </table>
    <p class="result" role="status" data-leaked></p>
  </section>

  <section aria-labelledby="more">
    <h2 id="more">More to try</h2>
    <ul class="links">
      <li><a href="{{ route('hello', absolute: false) }}">/api/hello</a> the smallest JSON answer</li>
      <li><a href="{{ route('counter', absolute: false) }}">/counter</a> a session of your own</li>
      <li><a href="{{ route('sleep', ['ms' => 500], absolute: false) }}">/sleep/500</a> one wait of half a second</li>
      <li><a href="{{ route('bench', absolute: false) }}">/bench</a> ten queries</li>
      <li><a href="{{ route('leftovers', absolute: false) }}">/leftovers</a> what earlier requests have left, and one leak more</li>
      <li><a href="{{ route('status', absolute: false) }}">/api/status</a> what this page shows</li>
    </ul>
  </section>

  <section aria-labelledby="read">
    <h2 id="read">Most read <small>from the database</small></h2>
    <ol class="posts">
      @foreach ($posts as $post)
        <li>{{ $post->title }} <small>by {{ $post->user->name }}, {{ $post->views_count }} views</small></li>
      @endforeach
    </ol>
  </section>
</main>
@endsection
