/** How to watch a page where nothing can be installed: one line, and where site builders take it. */
import { loaderUrl, SCRIPTS_PATH } from "../../sites/mod.ts";
import { TEST_MESSAGE } from "./sdks.ts";
import { snippet } from "./snippet.ts";

/** The loader's line for every builder, by where it is pasted. */
const BUILDERS: readonly (readonly [name: string, where: string])[] = [
  [
    "Tilda",
    "Site Settings → More → HTML code for the head section → Edit code. Save, then publish all pages. A single page has the same under Page Settings → Additional.",
  ],
  [
    "Wix",
    "Settings → Custom Code → Add Custom Code: on all pages, load code once, place code in Head. Wix asks for a connected domain.",
  ],
  [
    "Squarespace",
    "Settings → Developer Tools → Code Injection → Header. Save.",
  ],
  [
    "Webflow",
    "Site settings → Custom code → Head code. Save changes, then publish.",
  ],
  [
    "Shopify",
    "Online Store → Themes → … → Edit code → layout/theme.liquid: right below the opening head tag. Shopify's checkout takes no such code.",
  ],
];

/** Pages of site builders and pages written by hand. */
export const sites = snippet(
  {
    platform: "sites",
    label: "Site builders",
    sdk: "the loader",
    key: "site",
    isKeyStrict: true,
    isChoice: true,
  },
  ({ dsn, endpoint, publicKey }) => {
    const url = loaderUrl(endpoint, publicKey);
    // The copy button covers the end of the first row.
    const line = `<script crossorigin async\n  src="${url}"></script>`;
    return String.raw`
## The line
Into the head of every page, above all other scripts. It sends errors, page loads and Web Vitals,
loads the SDK from this Watchpost, and keeps nothing in the browser.
~~~xml
${line}
~~~
${BUILDERS.map(([name, where]) => `## ${name}\n${where}\n~~~xml\n${line}\n~~~`).join("\n")}
## Google Tag Manager
Tags → New → Custom HTML, fired by Initialization - All Pages. Tag Manager drops attributes of scripts,
so options are set here. It comes later than a line in the page, and some visitors block it.
~~~xml
<script>
  (function (script) {
    script.src = "${url}";
    script.crossOrigin = "anonymous";
    script.dataset.environment = "production";
    document.head.appendChild(script);
  })(document.createElement("script"));
</script>
~~~
## Options
All may be left out. The sample rate is the share of page loads that is sent, 1 for all; errors are
always sent.
~~~xml
<script
  src="${url}"
  crossorigin
  async
  data-environment="production"
  data-release="my-site@1.0.0"
  data-traces-sample-rate="0.2"
></script>
~~~
## Errors of the very first moment
With async the line is run a little later than scripts in the page: what they throw before is known only
if this stands above the line. Without async nothing is missed, but the page waits for the line.
~~~xml
<script>(onerror = function () { onerror.q.push(arguments) }).q = []</script>
~~~
## Content-Security-Policy
If the site has one, add to these two lists.
~~~text
script-src ${endpoint}${SCRIPTS_PATH}
connect-src ${endpoint}${SCRIPTS_PATH}
~~~
## A shop or CMS with an extension
A single DSN field takes a site key: server and pages share it, and the origins that are allowed in the
key's settings are asked of pages only.
~~~text
${dsn}
~~~
## Throw a test error
Paste it below the line, load the page once, and take it out again.
~~~xml
<script>
  setTimeout(function () {
    throw new Error("${TEST_MESSAGE}");
  }, 1000);
</script>
~~~
`;
  },
);
