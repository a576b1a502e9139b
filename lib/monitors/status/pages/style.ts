/** The style of the public page: one sheet in the page itself, since it has no other file. */
import { type Colour, inkOn, readableOn } from "../colours.ts";
import type { StatusPage } from "../status_page.ts";

const LIGHT = { back: "#ffffff", band: "#f6f7f9" } as const;
const DARK = { back: "#14171c", band: "#1d2128" } as const;

/** The sheet with the page's own colours, kept readable in both themes. */
export function styleOf(
  { headColour, linkColour }: Pick<StatusPage, "headColour" | "linkColour">,
): string {
  return `:root{color-scheme:light dark;--head:${headColour};--on-head:${inkOn(headColour)};${
    theme(LIGHT.band, linkColour)
  };--back:${LIGHT.back};--band:${LIGHT.band};--ink:#16191f;--muted:#59616e;--line:#d9dde3;${
    states("#1a7f37", "#9a6700", "#c62828", "#2456b8", "#6b7280")
  }}@media(prefers-color-scheme:dark){:root{${
    theme(DARK.band, linkColour)
  };--back:${DARK.back};--band:${DARK.band};--ink:#e8eaee;--muted:#a2aab6;--line:#343b46;${
    states("#4ac26b", "#e0a93b", "#ff7b72", "#79a8ff", "#8b939f")
  }}}${SHEET}`;
}

function theme(band: Colour, link: Colour): string {
  return `--link:${readableOn(band, link)}`;
}

function states(up: Colour, degraded: Colour, down: Colour, work: Colour, none: Colour): string {
  return `--up:${up};--degraded:${degraded};--down:${down};--maintenance:${work};--unknown:${none}`;
}

const SHEET = `
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
header{background:var(--head);color:var(--on-head);padding:28px 0}
header p{margin:4px 0 0;white-space:pre-line}
.wide{max-width:860px;margin:0 auto;padding:0 16px}
.brand{display:flex;align-items:center;gap:14px}
.brand img{max-width:160px;max-height:48px}
h1{font-size:24px;margin:0}
h2{font-size:18px;margin:32px 0 10px}
h3{font-size:16px;margin:0}
a{color:var(--link)}
time{white-space:nowrap}
.banner{margin:24px 0 0;padding:14px 16px;border:1px solid var(--line);border-left:6px solid var(--tone);border-radius:6px;background:var(--band);font-weight:600;font-size:18px}
.note{margin:8px 0 0;color:var(--muted);font-size:14px}
.stale{color:var(--degraded);font-weight:600}
.card{border:1px solid var(--line);border-radius:6px;background:var(--band);padding:14px 16px;margin:0 0 12px}
.row{display:flex;flex-wrap:wrap;justify-content:space-between;gap:2px 16px}
.state{color:var(--tone);font-weight:600;white-space:nowrap}
.up{--tone:var(--up)}.degraded,.partial{--tone:var(--degraded)}.down{--tone:var(--down)}.maintenance{--tone:var(--maintenance)}.unknown{--tone:var(--unknown)}
svg{display:block;width:100%;height:30px;margin:10px 0 4px}
svg .up{fill:var(--up)}svg .degraded{fill:var(--degraded)}svg .down{fill:var(--down)}svg .maintenance{fill:var(--maintenance)}svg .unknown{fill:var(--unknown)}
.ends{display:flex;justify-content:space-between;color:var(--muted);font-size:13px}
dl.shares{display:flex;flex-wrap:wrap;gap:2px 20px;margin:8px 0 0;font-size:14px}
dl.shares div{display:flex;gap:6px}
dl.shares dt{color:var(--muted)}
dl.shares dd{margin:0;font-variant-numeric:tabular-nums}
details{margin:6px 0 0;font-size:14px}
summary{color:var(--muted);cursor:pointer}
details ul{margin:6px 0 0;padding-left:20px}
ol.updates{list-style:none;margin:10px 0 0;padding:0}
ol.updates li{border-left:3px solid var(--line);padding:0 0 10px 12px}
ol.updates p{margin:0;white-space:pre-line}
.meta{color:var(--muted);font-size:14px}
form{display:flex;flex-wrap:wrap;gap:8px;align-items:end}
label{font-weight:600;display:block}
input{font:inherit;color:inherit;background:var(--back);border:1px solid var(--muted);border-radius:6px;padding:6px 10px;min-width:0;width:280px;max-width:100%}
button{font:inherit;font-weight:600;background:var(--head);color:var(--on-head);border:1px solid var(--muted);border-radius:6px;padding:6px 14px;cursor:pointer}
footer{margin:40px 0 0;padding:16px 0 32px;border-top:1px solid var(--line);color:var(--muted);font-size:14px}
footer nav{display:flex;flex-wrap:wrap;gap:4px 16px}
`.replaceAll("\n", "");
