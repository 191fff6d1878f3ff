<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>@yield('title')</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/demo.css">
  @stack('head')
</head>
<body>
@yield('body')
</body>
</html>
