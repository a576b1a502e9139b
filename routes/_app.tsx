import { asset } from "fresh/runtime";
import { currentLanguage, currentTimeZone } from "../lib/core/language/translate.ts";
import { define } from "../lib/server/define.ts";
import { messagesPath } from "../lib/ui/browser_language.ts";

export default define.page(({ Component, state }) => (
  <html
    lang={currentLanguage()}
    data-zone={currentTimeZone()}
    data-theme={state.theme === "system" ? undefined : state.theme}
  >
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{state.meta.title ? `${state.meta.title} · Watchpost` : "Watchpost"}</title>
      <link rel="icon" href={asset("/icon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={asset("/styles.css")} />
      {/* Modules run in their order: islands find the messages there. */}
      {currentLanguage() !== "en" && (
        <script type="module" src={asset(messagesPath(currentLanguage()))} />
      )}
    </head>
    <body>
      <Component />
    </body>
  </html>
));
