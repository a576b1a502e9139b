import assert from "node:assert/strict";
import { parameterize } from "@/lib/formats/sentry/grouping_exceptions.ts";
import { inTime } from "@/test/support/time_budget.ts";

const CASES: [message: string, template: string][] = [
  ["plain words stay", "plain words stay"],
  ["", ""],
  ["mail to ann.b+x@mail.example.com failed", "mail to <email> failed"],
  ["GET https://h.example.com/a?b=1#c failed", "GET <url> failed"],
  ['cannot open "wss://h:1/x".', 'cannot open "<url>".'],
  ["no route to db-1.prod.internal", "no route to <hostname>"],
  ["module foo.bar.baz", "module foo.bar.baz"],
  ["peer 10.0.0.1:5432 gone", "peer <ip>:<int> gone"],
  ["peer fe80::1ff:fe23:4567:890a gone", "peer <ip> gone"],
  ["call A::b() in std::vector", "call A::b() in std::vector"],
  ["00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "<traceparent>"],
  ["user 01234567-89ab-CDEF-0123-456789abcdef", "user <uuid>"],
  ["sha da39a3ee5e6b4b0d3255bfef95601890afd80709", "sha <sha1>"],
  ["md5 d41d8cd98f00b204e9800998ecf8427e", "md5 <md5>"],
  ["at 2026-01-02T03:04:05.678Z", "at <date>"],
  ["at 2026-01-02 03:04:05+02:00", "at <date>"],
  ["on 2026-01-02", "on <date>"],
  ["Fri, 02 Jan 2026 03:04:05 GMT", "<date>"],
  ["Fri Jan 02 2026 03:04:05 GMT+0100 (Central European Standard Time)", "<date>"],
  ["datetime.datetime(2026, 1, 2, 3, 4)", "<date>"],
  ["at 3:04 pm", "at <date>"],
  ["took 12ms, then 1.5s", "took <duration>, then <duration>"],
  ["address 0xDEADbeef", "address <hex>"],
  ["id 8badf00d1234", "id <hex>"],
  ["id 123456789", "id <hex>"],
  ["commit a1b2c3d", "commit <git_sha>"],
  ["decade and facade", "decade and facade"],
  ["defaced effaced", "defaced effaced"],
  ["price 12.50 of -3", "price <float> of <int>"],
  ["order 4711, attempt 2", "order <int>, attempt <int>"],
  ["range 1-5", "range <int>-<int>"],
  ["utf8 and h2o and user42", "utf8 and h2o and user42"],
  [
    "key='a b' other=\"c\" ok=true no=False",
    "key=<quoted_str> other=<quoted_str> ok=<bool> no=<bool>",
  ],
  ["it is 'quoted' and true", "it is 'quoted' and true"],
];

Deno.test("parameterize() puts tokens for what varies", () => {
  for (const [message, template] of CASES) assert.equal(parameterize(message), template);
});

Deno.test("parameterize() takes the first two lines that are not empty", () => {
  assert.equal(parameterize("\n\n  one 1 \r\n\r\n two\nthree"), "one <int>\ntwo");
});

Deno.test("parameterize() takes time in proportion to the length", () => {
  const units = [
    "a",
    "1",
    "a.",
    "1.",
    "1:",
    "a:",
    "=' ",
    "0x",
    "a@",
    "-",
    "a-",
    "f0",
    "Jan ",
    "Mon ",
    "00-",
    "http://",
    "\n",
    "::",
  ];
  for (const unit of units) {
    const text = unit.repeat(500_000 / unit.length);
    inTime(50, () => parameterize(text), JSON.stringify(unit));
  }
});
