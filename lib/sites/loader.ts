/**
 * What one `<script>` line runs in a page: it notes what happens until Sentry's browser SDK has come, loads that from the
 * service itself, and starts it. It keeps nothing in the browser, and asks no other host for anything.
 *
 * Built to a text by build_scripts.ts; `SITE` is what the service puts around it for the key of the address. No import may
 * stand here, and nothing newer than ES2017: pages on which it cannot be read must not get an error of ours.
 */

/** What the service knows of the key: see `loaderScript()` in serve_loader.ts. */
export interface Site {
  readonly dsn: string;
  /** Where the SDK's bundle is. */
  readonly bundle: string;
  /** Where the SDK sends to; no list of an ad blocker names it. */
  readonly tunnel: string;
  /** Name of the loader's own file, to find its element by. */
  readonly file: string;
}

declare const SITE: Site;

// deno-lint-ignore no-explicit-any -- whatever a page and an SDK have
type Any = any;

/** One thing that happened before the SDK was there. */
type Early =
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Any[] }
  | { readonly kind: "error" | "rejection"; readonly args: readonly Any[]; readonly at: number };

/** Errors and calls that wait: a page in a loop of errors must not fill the memory of its visitor. */
const MAX_EARLY = 100;
/** What a page may call before the SDK is there; `onLoad` and `init` are not repeated but done at the start. */
const CALLS =
  "addBreadcrumb captureEvent captureException captureFeedback captureMessage setContext setExtra setExtras setTag setTags setUser withScope"
    .split(" ");

const page: Any = self;

/** Told in the console alone: a loader must never break its page. */
function say(text: string): void {
  console.warn(`Watchpost: ${text}`);
}

/** The element that has brought this script; a module or a copied script has no `currentScript`. */
function ownElement(): HTMLScriptElement | null {
  const current = document.currentScript as HTMLScriptElement | null;
  if (current && current.src) return current;
  return document.querySelector<HTMLScriptElement>(`script[src*="${SITE.file}"]`);
}

function start(): void {
  const element = ownElement();
  const data = element ? element.dataset : {} as DOMStringMap;
  const early: Early[] = [];
  const ready: Any[] = [];
  let asked: Any = {};
  let sdk: Any = null;

  const keep = (each: Early) => void (early.length < MAX_EARLY && early.push(each));
  const onError = (event: Any) => {
    // A picture or script that did not load is an event without a message, and no error of the page's.
    if (event.message === undefined) return;
    const { message, filename, lineno, colno, error } = event;
    keep({ kind: "error", args: [message, filename, lineno, colno, error], at: Date.now() });
  };
  const onRejection = (event: Any) => keep({ kind: "rejection", args: [event], at: Date.now() });
  const listen = (change: "addEventListener" | "removeEventListener") => {
    page[change]("error", onError);
    page[change]("unhandledrejection", onRejection);
  };
  /** A page may hold on to the stand-in: what it calls there later goes to the SDK. */
  const call = (name: string) => (...args: Any[]) => {
    if (sdk) return sdk[name](...args);
    keep({ kind: "call", name, args });
  };

  const standIn: Any = {
    onLoad: (callback: Any) => sdk ? callback() : void ready.push(callback),
    forceLoad() {},
    init(options: Any) {
      if (sdk) return sdk.init(options);
      asked = Object.assign(asked, options);
    },
  };
  for (const name of CALLS) standIn[name] = call(name);

  // What came before this script is known only if the page's own `onerror` has kept it: docs/sites.md.
  const before = page.onerror && page.onerror.q;
  if (before) {
    page.onerror = null;
    for (const args of before) keep({ kind: "error", args, at: Date.now() });
  }
  listen("addEventListener");
  page.Sentry = standIn;
  page.SENTRY_SDK_SOURCE = "loader";

  const script = document.createElement("script");
  script.src = SITE.bundle;
  script.async = true;
  script.crossOrigin = "anonymous";
  if (element && element.nonce) script.nonce = element.nonce;
  script.onerror = () => {
    listen("removeEventListener");
    early.length = 0;
    say(
      `${SITE.bundle} did not load: nothing is sent. A content blocker or this page's Content-Security-Policy may be why.`,
    );
  };
  script.onload = () => {
    listen("removeEventListener");
    sdk = page.Sentry;
    if (!sdk || sdk === standIn) return say(`${SITE.bundle} is not what it should be.`);
    begin(sdk, data, asked, ready);
    for (const each of early) repeat(sdk, each);
    early.length = 0;
  };
  (document.head || document.documentElement).appendChild(script);
}

/** Starts the SDK: the page's callbacks first, which may start it with options of their own. */
function begin(sdk: Any, data: DOMStringMap, asked: Any, ready: Any[]): void {
  const init = sdk.init;
  let isStarted = false;
  sdk.init = (options: Any) => {
    if (isStarted) return init(options);
    isStarted = true;
    return startAlone(() => init(optionsOf(sdk, data, Object.assign({}, asked, options))));
  };
  for (const callback of [page.onWatchpostReady, ...ready]) {
    try {
      if (typeof callback === "function") callback(sdk);
    } catch (error) {
      // The console shows it, and so does the SDK once it runs.
      setTimeout(() => {
        throw error;
      });
    }
  }
  if (!isStarted) sdk.init({});
  sdk.init = init;
}

/** What the line's attributes say, under what the page itself has asked for. */
function optionsOf(sdk: Any, data: DOMStringMap, asked: Any): Any {
  const rate = rateOf(data.tracesSampleRate);
  const options: Any = { dsn: SITE.dsn, tunnel: SITE.tunnel, tracesSampleRate: rate };
  if (data.environment) options.environment = data.environment;
  if (data.release) options.release = data.release;
  if (data.replay !== undefined) {
    say("data-replay is not supported: Watchpost stores no session replays.");
  }
  const tracing = sdk.browserTracingIntegration();
  const { integrations } = asked;
  return Object.assign(options, asked, {
    integrations: typeof integrations === "function"
      ? integrations
      : [tracing].concat(integrations || []),
  });
}

/** All traces, if the attribute says nothing that can be understood. */
function rateOf(text: string | undefined): number {
  if (text === undefined) return 1;
  const rate = text.trim() === "" ? NaN : Number(text);
  if (rate >= 0 && rate <= 1) return rate;
  say(`data-traces-sample-rate="${text}" is not a number from 0 to 1: all traces are sent.`);
  return 1;
}

const HANDLERS = ["onerror", "onunhandledrejection"];

/**
 * Starts the SDK while the page's own handlers are away, so that the SDK's can be asked alone for what has happened before:
 * the page's were told of that at its time. Afterwards both are told, the SDK first, as the SDK itself would have it.
 */
function startAlone(run: () => Any): Any {
  const own = HANDLERS.map((name) => page[name]);
  HANDLERS.forEach((name) => page[name] = null);
  const client = run();
  HANDLERS.forEach((name, index) => {
    const sdks = page[name];
    const pages = own[index];
    handlers[name] = sdks;
    if (!pages) return;
    page[name] = !sdks ? pages : function (this: Any, ...args: Any[]) {
      sdks.apply(this, args);
      return pages.apply(this, args);
    };
  });
  return client;
}

/** The SDK's own, which make of an early error what they make of a later one, so that both are one issue. */
const handlers: Any = {};

/** Tells the SDK what has happened before, with the time at which it did. */
function repeat(sdk: Any, each: Early): void {
  if (each.kind === "call") return sdk[each.name](...each.args);
  const handler = handlers[each.kind === "error" ? "onerror" : "onunhandledrejection"];
  if (!handler) return;
  sdk.withScope((scope: Any) => {
    scope.addEventProcessor((event: Any) => Object.assign(event, { timestamp: each.at / 1000 }));
    handler.apply(page, each.args);
  });
}

if (page.watchpostLoader) {
  say("the loader is on this page twice; the second one does nothing.");
} else if (page.Sentry && page.Sentry.init) {
  say("this page has Sentry's SDK of its own; the loader does nothing.");
} else {
  page.watchpostLoader = true;
  start();
}
