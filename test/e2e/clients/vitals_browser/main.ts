// A page that moves about and is slow to answer a click: see browser_vitals_test.ts for what has to arrive.
import * as Sentry from "@sentry/browser";

const MOVES_AFTER_MS = 200;
const ANSWERS_AFTER_MS = 120;

Sentry.init({
  dsn: new URLSearchParams(location.search).get("dsn") ?? "",
  release: "shop@1.4.2",
  environment: "production",
  integrations: [Sentry.browserTracingIntegration()],
  tracesSampleRate: 1,
});

document.querySelector("button")?.addEventListener("click", () => {
  const end = performance.now() + ANSWERS_AFTER_MS;
  while (performance.now() < end);
  // Sent together with the largest paint, which the click has ended.
  fetch("/api/total");
});

setTimeout(() => {
  const banner = document.createElement("p");
  banner.style.height = "200px";
  document.body.prepend(banner);
}, MOVES_AFTER_MS);
