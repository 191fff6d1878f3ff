-- Asks for what is in files, one after another.
dofile(debug.getinfo(1, 'S').source:match('^@(.*/)') .. 'report.lua')
local requests, turn = {}, 0
function init(files)
  for number, path in ipairs(files) do
    local file = assert(io.open(path, 'rb'))
    requests[number] = file:read('*a')
    file:close()
  end
end
function request()
  turn = turn % #requests + 1
  return requests[turn]
end
