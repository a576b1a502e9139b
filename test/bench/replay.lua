-- wrk script: posts prepared bodies, each once, at a given rate or as fast as answers come.
-- BENCH_DIR/bodies.<n> and lengths.<n> hold those of thread n, paths the addresses, used in turn; what follows an
-- address after a blank is the key that goes into the header.
-- BENCH_RATE is the rate of one thread in requests a second, or 0; BENCH_ENCODING is gzip, snappy or plain; BENCH_TYPE is the
-- content type or empty.
local ffi = require("ffi")
ffi.cdef [[
  typedef struct { long seconds; long micros; } moment;
  int gettimeofday(moment *now, void *zone);
]]
local directory = os.getenv("BENCH_DIR")
local rate = tonumber(os.getenv("BENCH_RATE"))
local threads = 0

function setup(thread)
  thread:set("number", threads)
  threads = threads + 1
end

local function read(name)
  local file = assert(io.open(directory .. "/" .. name, "rb"))
  local text = file:read("*a")
  file:close()
  return text
end

local moment = ffi.new("moment")
local function milliseconds()
  ffi.C.gettimeofday(moment, nil)
  return tonumber(moment.seconds) * 1000 + tonumber(moment.micros) / 1000
end

function init()
  paths, headers, lengths = {}, {}, {}
  for length in read("lengths." .. number):gmatch("%d+") do lengths[#lengths + 1] = tonumber(length) end
  bodies = read("bodies." .. number)
  position, count, slot = 1, 0, 0
  wrk.method = "POST"
  local encoding = os.getenv("BENCH_ENCODING")
  if encoding ~= "plain" then wrk.headers["Content-Encoding"] = encoding end
  local content = os.getenv("BENCH_TYPE")
  if content ~= "" then wrk.headers["Content-Type"] = content end
  for line in read("paths"):gmatch("[^\n]+") do
    local path, key = line:match("^(%S+) ?(%S*)$")
    local own = {}
    for name, value in pairs(wrk.headers) do own[name] = value end
    if key ~= "" then own["Authorization"] = "Bearer " .. key end
    paths[#paths + 1], headers[#headers + 1] = path, own
  end
end

function request()
  count = count + 1
  local length = lengths[count]
  if length == nil then
    -- Out of fresh ids: repeats would flatter the figures, so stop asking.
    wrk.thread:stop()
    return wrk.format("GET", "/healthz")
  end
  local body = bodies:sub(position, position + length - 1)
  position = position + length
  local target = (count + number) % #paths + 1
  return wrk.format("POST", paths[target], headers[target], body)
end

if rate > 0 then
  -- Each call takes the next slot of a steady schedule; one that is late is made good.
  function delay()
    local now = milliseconds()
    if slot == 0 then slot = now + number end
    slot = slot + 1000 / rate
    return math.max(0, math.floor(slot - now))
  end
end
