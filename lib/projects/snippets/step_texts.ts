/** Titles and notes of the snippets' steps, as they stand in the snippets: each is translated where it is read. */
import { message } from "../../core/language/translate.ts";

export const STEP_TEXTS = [
  message("OpenTelemetry: the environment of any SDK"),
  message(
    "Agents and automatic instrumentation then send what they measure: requests, pools, memory. Cumulative and delta temporality are both taken. Environment and release are labels of every series.",
  ),
  message("OpenTelemetry: Node.js"),
  message(
    "npm install @opentelemetry/api @opentelemetry/auto-instrumentations-node, and start with node --require @opentelemetry/auto-instrumentations-node/register app.js",
  ),
  message("OpenTelemetry: Python"),
  message(
    "pip install opentelemetry-distro opentelemetry-exporter-otlp-proto-http, and start with opentelemetry-instrument python app.py",
  ),
  message("OpenTelemetry: Go"),
  message("The exporter reads the environment."),
  message("Machines: a Collector with hostmetrics"),
  message(
    "For config.yaml of otelcol-contrib. Resource detection adds the name of the machine, so that each has series of its own.",
  ),
  message("Prometheus: remote write"),
  message(
    "In prometheus.yml; versions 1.0 and 2.0, native histograms and exemplars are taken. The label job is the service, env or environment the environment, version or release the release.",
  ),
  message("Node.js with Sentry's SDK"),
  message("Python with Sentry's SDK"),
  message("First: the environment of any SDK"),
  message(
    "Traces, logs and metrics are taken, over HTTP with protobuf or JSON. The blank in the header's value is written as %20.",
  ),
  message("HTTP servers and clients, databases, queues and loggers are found by themselves."),
  message("The second line installs what fits the packages that are there."),
  message("Go: packages"),
  message("Go: start it in main"),
  message("Built in: Deno.serve, fetch and console are traced and logged without a package."),
  message("Or through a Collector"),
  message(
    "Add the exporter to config.yaml and to the pipelines; newer Collectors call it otlp_http, and know this name as well. Services then send to the Collector, and need neither address nor key of this project.",
  ),
  message(
    'With import _ "net/http/pprof" and an HTTP server. In place of profile: heap, allocs, goroutine; mutex and block, with &type=mutex or &type=block added to our address, as their profiles do not say which they are.',
  ),
  message("Go: tie samples to their trace"),
  message(
    "Samples are labelled while the function runs, in the goroutines that it starts as well. A profile of a single request takes &trace_id=… and &span_id=… in its address instead.",
  ),
  message(
    "Takes ten seconds of every minute: npm install @datadog/pprof. Where a request begins, time.setContext({ trace_id, span_id }) ties what follows to its trace.",
  ),
  message(
    "Looks into a running process and changes nothing in it: pip install py-spy. It writes collapsed stacks, which are taken where Pyroscope's agents send theirs. Sentry's SDK, below, ties profiles to their traces.",
  ),
  message("cargo add pprof --features protobuf-codec"),
  message("Rust: upload it"),
  message(
    "Any pprof that is a file goes the same way, whichever language it is of, compressed or not.",
  ),
  message(
    "npm install @sentry/profiling-node. Profiles run while there is a trace, and are found in it. Older versions want profilesSampleRate: 1.0 in place of the last two options.",
  ),
  message(
    "With profiles_sample_rate=1.0 in place of the last two options, each transaction has a profile of its own.",
  ),
  message("Pyroscope's agents"),
  message(
    "Those that push to /ingest, as Pyroscope's packages for Node.js, Go and Ruby do; the key may also be the password of Basic authentication. Tags env and version become environment and release.",
  ),
  message("OpenTelemetry: profiles through a Collector"),
  message(
    "Still in development there: the Collector is started with --feature-gates=service.profilesSupport.",
  ),
  message("Install"),
  message("Start it before your own code"),
  message(
    "The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.",
  ),
  message("Throw a test error"),
  message(
    "The page's own load is sent too. From a button or a timer: errors typed into the console are not reported.",
  ),
  message("Save as instrument.mjs"),
  message(
    "Imported before everything else, so that it sees all that follows. The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.",
  ),
  message("Save as test-error.mjs and run: node test-error.mjs"),
  message("Start it first thing in your program"),
  message(
    "Django, Flask, FastAPI, Celery and others are found by themselves. The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.",
  ),
  message("Raise a test error"),
  message("Start it in your front controller"),
  message("Start it in main, and send a test error"),
  message(
    "Flush waits for what is still on its way before the program ends. The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.",
  ),
  message(
    "For Gradle; with Spring Boot 3 take sentry-spring-boot-starter-jakarta, which reads sentry.dsn from its properties.",
  ),
  message("With Rails add sentry-rails, with Sidekiq sentry-sidekiq."),
  message(
    "With Rails in config/initializers/sentry.rb. The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.",
  ),
  message("Send a test error"),
  message(
    "With ASP.NET Core take Sentry.AspNetCore, and builder.WebHost.UseSentry(…) with the same options.",
  ),
  message("Start it in Program.cs, and send a test error"),
  message(
    "The guard sends what is still on its way when main ends. The sample rate is the share of traces that is sent, 1.0 for all: the pages count up what a lower one leaves out.",
  ),
  message("The line"),
  message(
    "Into the head of every page, above all other scripts. It sends errors, page loads and Web Vitals, loads the SDK from this Watchpost, and keeps nothing in the browser.",
  ),
  message(
    "Tags → New → Custom HTML, fired by Initialization - All Pages. Tag Manager drops attributes of scripts, so options are set here. It comes later than a line in the page, and some visitors block it.",
  ),
  message("Options"),
  message(
    "All may be left out. The sample rate is the share of page loads that is sent, 1 for all; errors are always sent.",
  ),
  message("Errors of the very first moment"),
  message(
    "With async the line is run a little later than scripts in the page: what they throw before is known only if this stands above the line. Without async nothing is missed, but the page waits for the line.",
  ),
  message("If the site has one, add to these two lists."),
  message("A shop or CMS with an extension"),
  message(
    "A single DSN field takes a site key: server and pages share it, and the origins that are allowed in the key's settings are asked of pages only.",
  ),
  message("Paste it below the line, load the page once, and take it out again."),
  message(
    "Site Settings → More → HTML code for the head section → Edit code. Save, then publish all pages. A single page has the same under Page Settings → Additional.",
  ),
  message(
    "Settings → Custom Code → Add Custom Code: on all pages, load code once, place code in Head. Wix asks for a connected domain.",
  ),
  message("Settings → Developer Tools → Code Injection → Header. Save."),
  message("Site settings → Custom code → Head code. Save changes, then publish."),
  message(
    "Online Store → Themes → … → Edit code → layout/theme.liquid: right below the opening head tag. Shopify's checkout takes no such code.",
  ),
] as const;
