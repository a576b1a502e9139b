import assert from "node:assert/strict";
import { isInApp } from "@/lib/profiles/trees/flame_payload.ts";
import { packageOf } from "@/lib/ui/flamegraph/frames.ts";
import { inTime } from "@/test/support/time_budget.ts";

function frame(name: string, file = "", module = "") {
  return { name, file, module, line: 0, isInApp: null };
}

const PACKAGES:
  readonly (readonly [expected: string, name: string, file?: string, module?: string])[] = [
    // Go
    ["main", "main.main", "/src/main.go", "server"],
    ["runtime", "runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go", "server"],
    ["runtime", "runtime.memmove", "/usr/local/go/src/runtime/memmove_amd64.s"],
    ["net/http", "net/http.(*conn).serve", "/usr/local/go/src/net/http/server.go"],
    ["net/http", "net/http.HandlerFunc.ServeHTTP"],
    [
      "github.com/lib/pq",
      "github.com/lib/pq.(*conn).Query",
      "/go/pkg/mod/github.com/lib/pq@v1/conn.go",
    ],
    ["slices", "slices.SortFunc[go.shape.[]github.com/x/y.T,go.shape.int]", "sort.go"],
    ["gopkg.in/yaml.v3", "gopkg.in/yaml%2ev3.Unmarshal", "yaml.go"],
    // JavaScript
    ["@scope/pkg", "f", "/app/node_modules/a/node_modules/@scope/pkg/lib/x.js"],
    ["express", "next", String.raw`C:\app\node_modules\express\lib\router.js`],
    ["node", "readFileSync", "node:fs"],
    ["node", "processTicks", "internal/process/task_queues"],
    ["/app/src/cart", "add", "/app/src/cart/add.ts"],
    ["https://shop.example/assets", "n", "https://shop.example/assets/index-5f.js?v=1"],
    // Python
    ["django", "get", "/usr/lib/python3/dist-packages/django/views/generic.py"],
    ["six", "f", "/venv/lib/python3.12/site-packages/six.py"],
    ["asyncio", "run", "/usr/lib/python3.12/asyncio/runners.py", "python3.12"],
    ["threading", "run", "/usr/lib/python3.12/threading.py"],
    ["shop.views", "cart", "/app/shop/views.py", "shop.views"],
    ["/app/shop", "cart", "/app/shop/views.py", "python3.12"],
    ["importlib", "_find", "<frozen importlib._bootstrap>"],
    // The Java virtual machine, PHP, Ruby, .NET
    ["com.example.shop", "com.example.shop.Cart.add", "Cart.java"],
    ["com.example.shop", "add", "Cart.kt", "com.example.shop.Cart"],
    ["java.lang", "java/lang/Thread.run"],
    [
      "symfony/console",
      String.raw`Symfony\Console\App::run`,
      "/app/vendor/symfony/console/App.php",
    ],
    [String.raw`App\Http`, String.raw`App\Http\Cart::add`, "/app/src/Http/Cart.php"],
    ["rack", "call", "/usr/local/bundle/gems/rack-3.1.8/lib/rack/builder.rb"],
    ["net", "get", "/usr/local/lib/ruby/3.3.0/net/http.rb"],
    ["System.Private.CoreLib", "System.Private.CoreLib!System.String.Concat"],
    // Rust and C++
    ["tokio", "tokio::runtime::task::poll", "/home/ann/.cargo/registry/src/tokio-1/src/task.rs"],
    ["alloc", "<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter"],
    ["std", "std::vector<int>::push_back"],
    // Neither of them
    ["libc.so.6", "[libc.so.6] 0x1234", "", "libc.so.6"],
    ["", "0x1234"],
    ["libc.so.6", "malloc", "", "libc.so.6"],
    ["[gc]", "Garbage Collection"],
    ["[gc]", "(garbage collector)"],
    ["[vm]", "(program)"],
    ["[kernel]", "do_syscall_64", "", "[kernel.kallsyms]"],
    ["", "<no stack>"],
  ];

Deno.test("packages are named as their language does", () => {
  for (const [expected, name, file, module] of PACKAGES) {
    assert.equal(packageOf(frame(name, file, module)), expected, `${name} ${file}`);
  }
});

Deno.test("no text takes long to find the package of", () => {
  for (
    const part of ["a.", "a/", "a\\", "::", "<", ".js?", "/gems/a-", "node_modules/", "-", "("]
  ) {
    const text = `${part.repeat(65_535 / part.length)}\n`;
    inTime(100, () => {
      packageOf(frame(text, text, text));
      isInApp(frame(text, text, text), "");
    }, part);
  }
});

Deno.test("what the client says of own code holds", () => {
  assert.equal(isInApp({ ...frame("f", "/node_modules/a/b.js"), isInApp: true }, "node"), true);
  assert.equal(isInApp({ ...frame("f", "/app/b.js"), isInApp: false }, "node"), false);
});

Deno.test("else own code is what no library has", () => {
  const own: [string, string, string?][] = [
    ["go", "main.main", "/src/main.go"],
    ["go", "github.com/acme/shop/cart.Add", "/src/shop/cart/add.go"],
    ["go", "timeline.Draw", "/src/timeline/draw.go"],
    ["node", "add", "/app/src/add.js"],
    ["python", "cart", "/app/shop/views.py"],
    ["java", "com.example.Cart.add", "Cart.java"],
    ["", "log.info", "/app/log.py"],
  ];
  const foreign: [string, string, string?][] = [
    ["go", "runtime.mallocgc", "/usr/local/go/src/runtime/malloc.go"],
    ["go", "encoding/json.Marshal"],
    ["go", "github.com/lib/pq.Open", "/go/pkg/mod/github.com/lib/pq@v1/conn.go"],
    ["node", "next", "/app/node_modules/express/lib/router.js"],
    ["node", "readFileSync", "node:fs"],
    ["python", "run", "/usr/lib/python3.12/asyncio/runners.py"],
    ["ruby", "call", "/bundle/gems/rack-3.1.8/lib/rack.rb"],
    ["php", "run", "/app/vendor/symfony/console/App.php"],
    ["java", "java.lang.Thread.run", "Thread.java"],
    ["java", "java/lang/Thread.run"],
    ["csharp", "System.String.Concat"],
    ["rust", "tokio::runtime::task::poll"],
    ["", "runtime.main", "/usr/local/go/src/runtime/proc.go"],
    ["go", "[libc.so] 0x123"],
  ];
  for (const [platform, name, file] of own) {
    assert.equal(isInApp(frame(name, file), platform), true, name);
  }
  for (const [platform, name, file] of foreign) {
    assert.equal(isInApp(frame(name, file), platform), false, name);
  }
});
