import { StatementScanner } from "./statement_scanner.ts";
import { keyPrefix } from "./templates.ts";

/** What lies beyond is not looked at: the beginning tells statements apart. */
const MAX_INPUT = 16_384;
const MAX_OUTPUT = 1_000;

/** Applications send the same few statements again and again. */
const known = new Map<string, string>();
const MAX_KNOWN = 2_000;
const MAX_KNOWN_LENGTH = 1_000;

/**
 * A statement without what varies, for grouping: SQL without literals, comments and line breaks, lists of values as one
 * `?`; commands of Redis and MongoDB without keys and values. Takes time in proportion to the text.
 *
 * @returns at most 1,000 characters
 */
export function normalizeStatement(text: string): string {
  const before = known.get(text);
  if (before !== undefined) return before;
  const input = text.slice(0, MAX_INPUT).trim();
  const result = normalizeRedis(input) ?? new StatementScanner(input, MAX_OUTPUT).run();
  if (text.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(text, result);
  }
  return result;
}

/** Commands of Redis, but for those that only look like it: SQL has words such as `SET` and `SELECT` as well. */
const COMMANDS: ReadonlySet<string> = new Set(
  `APPEND BITCOUNT BLMOVE BLPOP BRPOP BZPOPMAX BZPOPMIN CLIENT CONFIG DBSIZE DECR DECRBY DEL DISCARD DUMP ECHO
  EVAL EVALSHA EXEC EXISTS EXPIRE EXPIREAT FLUSHALL FLUSHDB GEOADD GEOSEARCH GET GETBIT GETDEL GETEX GETRANGE GETSET
  HDEL HELLO HEXISTS HGET HGETALL HINCRBY HINCRBYFLOAT HKEYS HLEN HMGET HMSET HSCAN HSET HSETNX HSTRLEN HVALS INCR
  INCRBY INCRBYFLOAT INFO KEYS LINDEX LINSERT LLEN LMOVE LPOP LPOS LPUSH LPUSHX LRANGE LREM LSET LTRIM MGET MSET MSETNX
  MULTI PERSIST PEXPIRE PEXPIREAT PFADD PFCOUNT PING PSETEX PSUBSCRIBE PTTL PUBLISH PUNSUBSCRIBE RENAME RENAMENX
  RPOP RPOPLPUSH RPUSH RPUSHX SADD SCAN SCARD SCRIPT SDIFF SETBIT SETEX SETNX SETRANGE SINTER SISMEMBER SMEMBERS SMOVE
  SPOP SRANDMEMBER SREM SSCAN STRLEN SUBSCRIBE SUNION TTL UNLINK UNSUBSCRIBE UNWATCH WATCH XACK XADD XAUTOCLAIM XCLAIM
  XDEL XGROUP XLEN XPENDING XRANGE XREAD XREADGROUP XREVRANGE XTRIM ZADD ZCARD ZCOUNT ZINCRBY ZPOPMAX ZPOPMIN ZRANGE
  ZRANGEBYSCORE ZRANK ZREM ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE`
    .split(/\s+/),
);

/** Their first argument is no key. */
const KEYLESS: ReadonlySet<string> = new Set(
  "CLIENT CONFIG ECHO EVAL EVALSHA HELLO INFO SCAN SCRIPT XGROUP XREAD XREADGROUP".split(" "),
);

const LINE = /^["']?([A-Za-z]{2,20})["']?(?:[ \t]+(.*))?$/;
const SQL_SET =
  /=|\sto\s|^set\s+(?:names|session|local|transaction|role|constraints|global|character)\b/i;
const MAX_LINE = 1_000;
/** Of a pipeline. */
const MAX_LINES = 20;

/**
 * `GET user:17` as `GET user:*`; a pipeline's commands one after the other, each once.
 *
 * @returns null when it is no command of Redis
 */
function normalizeRedis(text: string): string | null {
  const lines = text.slice(0, MAX_LINE * MAX_LINES).split("\n", MAX_LINES);
  const commands = new Set<string>();
  for (const line of lines) {
    const command = normalizeLine(line.slice(0, MAX_LINE).trim());
    if (command === null) return null;
    commands.add(command);
  }
  return [...commands].join("; ").slice(0, MAX_LINE);
}

function normalizeLine(line: string): string | null {
  const [, word = "", rest = ""] = LINE.exec(line) ?? [];
  const command = word.toUpperCase();
  const isCommand = COMMANDS.has(command) || (command === "SET" && !SQL_SET.test(line));
  // `Get user` is a sentence.
  if (!isCommand || (word !== command && word !== word.toLowerCase())) return null;
  const [key = ""] = rest.replace(/^["']/, "").split(/[ \t"']/, 1);
  if (key === "") return command;
  if (KEYLESS.has(command)) return `${command} ?`;
  return `${command} ${key === "?" ? "?" : keyPrefix(key)}`;
}
