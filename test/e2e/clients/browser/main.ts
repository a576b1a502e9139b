// A page that fails: the stock browser SDK reports what nobody catches.
import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: new URLSearchParams(location.search).get("dsn") ?? "",
  release: "web@3.1.0",
  environment: "production",
});
Sentry.setUser({ id: "10" });
Sentry.setTag("page", "checkout");

function renderTotal(cart: { items?: number[] }): number {
  return (cart.items as number[]).reduce((sum, price) => sum + price, 0);
}

document.querySelector("button")?.addEventListener("click", () => renderTotal({}));
