import assert from "node:assert/strict";
import { stableFunctionName } from "@/lib/formats/sentry/frames.ts";

const CASES: [platform: string, name: string, stable: string | undefined][] = [
  ["node", "Object.checkout", "checkout"],
  ["node", "Module._extensions..js", "js"],
  ["node", "Function.run [as main]", "run"],
  ["node", "async load", "load"],
  ["node", "new Cart", "Cart"],
  ["node", "Object.<anonymous>", undefined],
  ["node", "Object.?", undefined],
  ["javascript", "?", undefined],
  ["javascript", "onclick/<", undefined],
  ["python", "Order.checkout", "Order.checkout"],
  ["python", "<lambda>", "<lambda>"],
  ["php", "App\\Cart::pay", "App\\Cart::pay"],
  ["php", "{closure:App\\Cart::pay():12}", "{closure}"],
  ["php", "App\\{closure}", "App\\{closure}"],
  ["php", "class@anonymous/app/src/x.php:3$0::run", "class@anonymous::run"],
  ["ruby", "block (2 levels) in run", "block in run"],
  ["ruby", "_app_views_show_html_erb__1234_5678", "_app_views_show_html_erb"],
  ["java", "lambda$main$0", undefined],
  ["java", "run", "run"],
  ["native", "std::vector<int>::push(int const&)", "std::vector::push"],
  ["native", "<T as core::Trait>::call", "::call"],
  ["rust", "app::run::h0123456789abcdef", "app::run"],
  ["cocoa", "-[View tap:]", "-[View tap:]"],
  ["csharp", "<Run>d__12", "d__"],
  ["native", "(anonymous namespace)", "(anonymous namespace)"],
  ["go", "(*Server).run.func1", "(*Server).run.func1"],
  ["other", " ", undefined],
];

Deno.test("stableFunctionName() drops what changes from build to build", () => {
  for (const [platform, name, stable] of CASES) {
    assert.equal(stableFunctionName(name, platform), stable, `${platform}: ${name}`);
  }
});
