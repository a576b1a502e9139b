import { asset } from "fresh/runtime";
import { define } from "@/lib/server/define.ts";

export default define.page(({ Component }) => (
  <html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>Flame graphs</title>
      <link rel="icon" href="data:," />
      <link rel="stylesheet" href={asset("/styles.css")} />
    </head>
    <body>
      <Component />
    </body>
  </html>
));
