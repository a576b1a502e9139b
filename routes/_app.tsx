import { asset } from "fresh/runtime";
import { define } from "../lib/server/define.ts";

export default define.page(({ Component, state }) => (
  <html lang="en" data-theme={state.theme === "system" ? undefined : state.theme}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{state.meta.title ? `${state.meta.title} · Watchpost` : "Watchpost"}</title>
      <link rel="icon" href={asset("/icon.svg")} type="image/svg+xml" />
      <link rel="stylesheet" href={asset("/styles.css")} />
    </head>
    <body>
      <Component />
    </body>
  </html>
));
