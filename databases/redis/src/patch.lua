-- Changes a document where conditions hold. Key: document. Arguments: what, name, value, for each
-- condition and each change. 0: no document; 1: changed; 2: a condition does not hold; 3: a change
-- does not fit. A member is text under its name, or JSON text under its name and `:json`.
local d = KEYS[1]
if redis.call('EXISTS', d) == 0 then return 0 end
local function json(name) return redis.call('HGET', d, name .. ':json') end
local function before(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = a:byte(i), b:byte(i)
    if x ~= y then return x < y end
  end
  return #a < #b
end
local holds = {
  ['null'] = function(n) return (json(n) or 'null') == 'null' and not redis.call('HGET', d, n) end,
  ['text'] = function(n, v) return redis.call('HGET', d, n) == v end,
  ['same'] = function(n, v) local j = json(n)
    return j and (j == v or (tonumber(j) ~= nil and tonumber(j) == tonumber(v))) end,
  ['min'] = function(n, v) local j = tonumber(json(n) or '') return j and j >= tonumber(v) end,
  ['max'] = function(n, v) local j = tonumber(json(n) or '') return j and j <= tonumber(v) end,
  ['text min'] = function(n, v) local t = redis.call('HGET', d, n) return t and not before(t, v) end,
  ['text max'] = function(n, v) local t = redis.call('HGET', d, n) return t and not before(v, t) end
}
local function scaled(n, v)
  local units, digits = v:match('^(%S+) (%d)$')
  local j, scale = tonumber(json(n) or ''), 10 ^ tonumber(digits)
  if not j then return nil end
  local sum = math.floor(j * scale + 0.5) + tonumber(units)
  if math.abs(j * scale) >= 9e15 or math.abs(sum) >= 9e15 then return nil end
  return string.format('%.' .. digits .. 'f', sum / scale)
end
local fits = {
  ['add'] = function(n) return (json(n) or ''):match('^%-?%d+$') end,
  ['sum'] = scaled,
  ['append'] = function(n) return (json(n) or ''):sub(1, 1) == '[' end
}
local made = {
  ['set text'] = function(n, v) redis.call('HDEL', d, n .. ':json') redis.call('HSET', d, n, v) end,
  ['set'] = function(n, v) redis.call('HDEL', d, n) redis.call('HSET', d, n .. ':json', v) end,
  ['set json'] = function(n, v) redis.call('HSET', d, n .. ':json', v) end,
  ['sum'] = function(n, v) redis.call('HSET', d, n .. ':json', scaled(n, v)) end,
  ['append'] = function(n, v) local j = json(n)
    local comma = j:match('^%[%s*%]$') and '' or ','
    redis.call('HSET', d, n .. ':json', j:sub(1, -2) .. comma .. v .. ']') end,
  ['remove'] = function(n) redis.call('HDEL', d, n, n .. ':json') end,
  ['remove json'] = function(n) redis.call('HDEL', d, n .. ':json') end
}
for i = 1, #ARGV, 3 do
  local f = holds[ARGV[i]]
  if f and not f(ARGV[i + 1], ARGV[i + 2]) then return 2 end
end
for i = 1, #ARGV, 3 do
  local f = fits[ARGV[i]]
  if f and not f(ARGV[i + 1], ARGV[i + 2]) then return 3 end
end
local old = {}
for i = 1, #ARGV, 3 do
  if ARGV[i] == 'add' then
    local n = ARGV[i + 1]
    local was = json(n)
    local done = redis.pcall('HINCRBY', d, n .. ':json', ARGV[i + 2])
    if type(done) == 'table' and done.err then
      for name, value in pairs(old) do redis.call('HSET', d, name .. ':json', value) end
      return 3
    end
    old[n] = was
  end
end
for i = 1, #ARGV, 3 do
  local f = made[ARGV[i]]
  if f then f(ARGV[i + 1], ARGV[i + 2]) end
end
if redis.call('EXISTS', d) == 0 then redis.call('HSET', d, '', '') end
return 1