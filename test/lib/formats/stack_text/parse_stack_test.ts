import assert from "node:assert/strict";
import { parseStack } from "@/lib/formats/stack_text/parse_stack.ts";
import { linesOf } from "./frames.ts";

Deno.test("V8: calls with and without names, constructors, async ones, natives and evaluated code", () => {
  const text = `TypeError: Cannot read properties of undefined (reading 'id')
    second line of the message
    at Cart.pay [as checkout] (file:///app/src/cart.ts:12:7)
    at new Shop (/app/src/shop.js:3:15)
    at async /app/src/main.js:9:3
    at Array.map (<anonymous>)
    at eval (eval at run (/app/src/rules.js:1:2), <anonymous>:1:1)
    at Layer.handle (/app/node_modules/express/lib/router/layer.js:95:5)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at ext:deno_http/00_serve.ts:382:28`;
  assert.deepEqual(linesOf(text, "nodejs"), [
    "TypeError | Cannot read properties of undefined (reading 'id')\n    second line of the message",
    "(? @ ext:deno_http/00_serve.ts:382:28)",
    "(process.processTicksAndRejections @ node:internal/process/task_queues:105:5)",
    "(Layer.handle @ /app/node_modules/express/lib/router/layer.js:95:5)",
    "eval @ /app/src/rules.js:1:2",
    "(Array.map @ <anonymous>)",
    "? @ /app/src/main.js:9:3",
    "new Shop @ /app/src/shop.js:3:15",
    "Cart.pay @ /app/src/cart.ts:12:7",
  ]);
});

Deno.test("V8: the cause comes first", () => {
  const text = `Error: cannot pay
    at pay (/app/pay.js:3:15)
Caused by: RangeError: too much
    at check (/app/check.js:1:1)`;
  assert.deepEqual(linesOf(text, "nodejs"), [
    "RangeError | too much",
    "check @ /app/check.js:1:1",
    "Error | cannot pay",
    "pay @ /app/pay.js:3:15",
  ]);
});

Deno.test("Firefox and Safari: calls before addresses", () => {
  const text = `buy@https://shop.example/assets/app.js:3:15
@https://shop.example/assets/app.js:9:1
handler@https://cdn.jsdelivr.net/npm/lib.js:1:77`;
  assert.deepEqual(linesOf(text, "webjs"), [
    " | ",
    "(handler @ https://cdn.jsdelivr.net/npm/lib.js:1:77)",
    "? @ https://shop.example/assets/app.js:9:1",
    "buy @ https://shop.example/assets/app.js:3:15",
  ]);
});

Deno.test("Python: source lines, markers, and what caused an exception before it", () => {
  const text = `Traceback (most recent call last):
  File "/app/db.py", line 7, in connect
    return socket.connect(address)
           ~~~~~~~~~~~~~~^^^^^^^^^
  File "/usr/lib/python3.12/socket.py", line 837, in create_connection
    raise exceptions[0]
ConnectionRefusedError: [Errno 111] Connection refused

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/usr/local/lib/python3.12/site-packages/flask/app.py", line 1511, in wsgi_app
    response = self.full_dispatch_request()
  File "/app/views.py", line 12, in cart
    connect()
shop.errors.StoreAway: cannot reach the store
try again later
`;
  assert.deepEqual(linesOf(text, "python"), [
    "ConnectionRefusedError | [Errno 111] Connection refused",
    "connect @ /app/db.py:7",
    "(create_connection @ socket.py:837)",
    "shop.errors.StoreAway | cannot reach the store\ntry again later",
    "(wsgi_app @ flask/app.py:1511)",
    "cart @ /app/views.py:12",
  ]);
  const [cause] = parseStack(text, "python");
  assert.equal(cause?.frames[0]?.context_line, "    return socket.connect(address)");
});

Deno.test("Python: an exception group is read as far as it is a stack", () => {
  const text = `  + Exception Group Traceback (most recent call last):
  |   File "/app/main.py", line 3, in run
  |     work()
  | ExceptionGroup: two failures (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: one
    +------------------------------------`;
  const [first, second] = linesOf(text, "python");
  assert.match(first ?? "", /^ExceptionGroup \| two failures/);
  assert.equal(second, "run @ /app/main.py:3");
});

Deno.test("Java: chains of causes get back what they leave out; suppressed ones are left out", () => {
  const text = `com.shop.CartException: cannot pay
	at com.shop.Cart.pay(Cart.java:12)
	at app//com.shop.Cart$Lambda/0x0001.run(Unknown Source)
	at java.base/java.lang.Thread.run(Thread.java:1583)
	Suppressed: java.io.IOException: while closing
		at com.shop.Db.close(Db.java:99)
	Caused by: java.io.IOException: deep
		at com.shop.Db.close(Db.java:98)
Caused by: java.sql.SQLException: no connection
	at com.shop.Db.open(Db.java:7)
	... 2 more`;
  assert.deepEqual(linesOf(text, "java"), [
    "java.sql.SQLException | no connection",
    "(run @ Thread.java:1583 in java.lang.Thread)",
    "run @ ? in com.shop.Cart$Lambda/0x0001",
    "open @ Db.java:7 in com.shop.Db",
    "com.shop.CartException | cannot pay",
    "(run @ Thread.java:1583 in java.lang.Thread)",
    "run @ ? in com.shop.Cart$Lambda/0x0001",
    "pay @ Cart.java:12 in com.shop.Cart",
  ]);
});

Deno.test("Go: the first goroutine, packages apart from functions", () => {
  const text = `goroutine 18 [running]:
runtime/debug.Stack()
	/usr/local/go/src/runtime/debug/stack.go:26 +0x5e
go.opentelemetry.io/otel/sdk/trace.(*recordingSpan).RecordError(0xc00021e000, {0x8c5b40, 0xc0000a2010}, {0x0, 0x0})
	/go/pkg/mod/go.opentelemetry.io/otel/sdk@v1.40.0/trace/span.go:455 +0x2a5
github.com/acme/shop/cart.(*Cart).Pay(0xc000012345, {0x1, 0x2})
	/src/cart/cart.go:42 +0x1b
main.main.func1()
	/src/main.go:12 +0x25
created by main.main in goroutine 1
	/src/main.go:10 +0x99

goroutine 1 [chan receive]:
main.main()
	/src/main.go:14 +0x45
`;
  assert.deepEqual(linesOf(text, "go"), [
    " | ",
    "main @ /src/main.go:10 in main",
    "main.func1 @ /src/main.go:12 in main",
    "(*Cart).Pay @ /src/cart/cart.go:42 in github.com/acme/shop/cart",
    "((*recordingSpan).RecordError @ go.opentelemetry.io/otel/sdk@v1.40.0/trace/span.go:455 in go.opentelemetry.io/otel/sdk/trace)",
    "(Stack @ runtime/debug/stack.go:26 in runtime/debug)",
  ]);
});

Deno.test("PHP: frames stand where calls were made, the exception where it was thrown", () => {
  const text = `PDOException: no such table: cart in /app/src/Db.php:7
Stack trace:
#0 /app/src/Cart.php(12): Shop\\Db->query('SELECT 1')
#1 /app/vendor/slim/slim/App.php(99): Shop\\Cart->pay()
#2 [internal function]: Slim\\App->run(Object(Closure))
#3 /app/index.php(3): call_user_func()
#4 {main}

Next Shop\\CartException: cannot pay in /app/src/Cart.php:14
Stack trace:
#0 /app/index.php(3): Shop\\Cart->pay()
#1 {main}
  thrown in /app/src/Cart.php on line 14`;
  assert.deepEqual(linesOf(text, "php"), [
    "PDOException | no such table: cart",
    "? @ /app/index.php:3",
    "(call_user_func @ ?)",
    "(Slim\\App->run @ /app/vendor/slim/slim/App.php:99)",
    "Shop\\Cart->pay @ /app/src/Cart.php:12",
    "Shop\\Db->query @ /app/src/Db.php:7",
    "Shop\\CartException | cannot pay",
    "? @ /app/index.php:3",
    "Shop\\Cart->pay @ /app/src/Cart.php:14",
  ]);
});

Deno.test("PHP: the form that OpenTelemetry makes of it", () => {
  const text = `Shop.CartException: cannot pay
	at Shop.Cart.pay(Cart.php:14)
	at {main}(index.php:3)
Caused by: PDOException: no such table
	at Shop.Db.query(Db.php:7)
	... 2 more`;
  assert.deepEqual(linesOf(text, "php"), [
    "PDOException | no such table",
    "{main} @ index.php:3",
    "Shop\\Cart::pay @ Cart.php:14",
    "Shop\\Db::query @ Db.php:7",
    "Shop\\CartException | cannot pay",
    "{main} @ index.php:3",
    "Shop\\Cart::pay @ Cart.php:14",
  ]);
});

Deno.test("Ruby: messages with causes, and backtraces of any version", () => {
  const text = `/app/cart.rb:12:in 'Cart#pay': cannot pay (Shop::CartError)
	from /usr/local/bundle/gems/rack-3.1.0/lib/rack/handler.rb:9:in 'Rack::Handler#call'
	from <internal:kernel>:187:in 'loop'
/app/db.rb:7:in \`open': no connection (IOError)
	from /app/cart.rb:10:in \`block in pay'`;
  assert.deepEqual(linesOf(text, "ruby"), [
    "IOError | no connection",
    "block in pay @ /app/cart.rb:10",
    "open @ /app/db.rb:7",
    "Shop::CartError | cannot pay",
    "(loop @ <internal:kernel>:187)",
    "(Rack::Handler#call @ rack-3.1.0/lib/rack/handler.rb:9)",
    "Cart#pay @ /app/cart.rb:12",
  ]);
  assert.deepEqual(linesOf("/app/a.rb:3:in `b'\n/app/a.rb:7:in `<main>'", "ruby"), [
    " | ",
    "<main> @ /app/a.rb:7",
    "b @ /app/a.rb:3",
  ]);
});

Deno.test(".NET: inner exceptions first, with the names that their authors gave", () => {
  const text = `System.InvalidOperationException: cannot pay
 ---> System.Data.DataException: no connection
   at Shop.Db.Open(String name, Int32 port) in C:\\src\\Db.cs:line 7
   --- End of inner exception stack trace ---
   at Shop.Cart.<Pay>d__5.MoveNext() in /src/Cart.cs:line 12
--- End of stack trace from previous location ---
   at System.Runtime.CompilerServices.TaskAwaiter.ThrowForNonSuccess(Task task)
   at Shop.Program..ctor()
   at Shop.Program.<>c.<Main>b__0_0(HttpContext context) in /src/Program.cs:line 3`;
  assert.deepEqual(linesOf(text, "dotnet"), [
    "System.Data.DataException | no connection",
    "Open @ Db.cs:7 in Shop.Db",
    "System.InvalidOperationException | cannot pay",
    "Main @ Program.cs:3 in Shop.Program",
    ".ctor @ ? in Shop.Program",
    "(ThrowForNonSuccess @ ? in System.Runtime.CompilerServices.TaskAwaiter)",
    "Pay @ Cart.cs:12 in Shop.Cart",
  ]);
});

Deno.test("the form tells the language where none is named, or another", () => {
  const texts = [
    'Traceback (most recent call last):\n  File "a.py", line 1, in b\nValueError: c',
    "goroutine 1 [running]:\nmain.b()\n\t/a.go:1 +0x1",
    "Error: c in /a.php:1\nStack trace:\n#0 /a.php(1): b()\n#1 {main}",
    "System.Exception: c\n   at A.B.b() in /a.cs:line 1",
    "a.C: c\n\tat a.B.b(A.java:1)",
    "/a.rb:1:in 'b': c (D)",
    "Error: c\n    at b (/a.js:1:1)",
  ];
  for (const text of texts) {
    for (const language of ["", "rust", "cpp"]) {
      const names = parseStack(text, language).flatMap(({ frames }) =>
        frames.map((frame) => frame.function)
      );
      assert.ok(names.includes("b"), text);
    }
  }
  assert.equal(parseStack(texts[0] ?? "", "java")[0]?.type, "ValueError");
});

Deno.test("a text without frames gives nothing", () => {
  for (const text of ["", "oops", "   at the end of the day", "#", "Error: x\nat y", "\n\n\n"]) {
    for (const language of ["nodejs", "python", "java", "go", "php", "ruby", "dotnet", ""]) {
      assert.deepEqual(parseStack(text, language), [], `${language}: ${text}`);
    }
  }
});
