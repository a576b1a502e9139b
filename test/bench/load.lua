-- wrk script: posts envelopes, each with an event id of its own. The bench writes the pieces that this
-- reads: BENCH_DIR/headers.<n> (fixed-length header members), rests.<n>, and the projects' paths.
local directory = os.getenv("BENCH_DIR")
local encoding = os.getenv("BENCH_ENCODING")
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

function init()
  paths, rests = {}, {}
  for path in read("paths"):gmatch("[^\n]+") do paths[#paths + 1] = path end
  local variants = tonumber(read("variants"))
  for variant = 0, variants - 1 do rests[#rests + 1] = read("rest." .. variant) end
  headers = read("headers." .. number)
  lengths = {}
  for length in read("lengths." .. number):gmatch("%d+") do lengths[#lengths + 1] = tonumber(length) end
  position, count = 1, 0
  wrk.method = "POST"
  if encoding == "gzip" then wrk.headers["Content-Encoding"] = "gzip" end
end

function request()
  count = count + 1
  local length = lengths[count]
  if length == nil then
    -- Out of fresh ids: a repeat is stored once and would flatter the figures, so stop asking.
    wrk.thread:stop()
    return wrk.format("GET", "/healthz")
  end
  local header = headers:sub(position, position + length - 1)
  position = position + length
  local body = header .. rests[count % #rests + 1]
  return wrk.format("POST", paths[(count + number) % #paths + 1], nil, body)
end
