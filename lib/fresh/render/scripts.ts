import { Fragment, h, type JSX } from "preact";
import { stringifyProps } from "./island_props.ts";
import { currentRender, type RenderState } from "./state.ts";

/** Ends the body: what islands have not rendered yet, and the script that brings them to life. */
export function ClosingScripts(): JSX.Element {
  const slots = currentRender()?.slots ?? [];
  const parked = slots.map((slot, id) =>
    slot && h("template", { id: `frsh-slot-${id}` }, slot.children)
  );
  return h(Fragment, null, ...parked, h(BootScript, null));
}

/** Comes after the parked slots, because there may be islands in them. */
function BootScript(): JSX.Element | null {
  const { registry, usedIslands, islandProps } = currentRender() as RenderState;
  if (registry === null || usedIslands.size === 0) return null;

  const islands = [...usedIslands];
  const imports = islands.map(({ name, exportName, chunk }) =>
    `import { ${exportName} as ${name} } from ${JSON.stringify(chunk)};`
  );
  const names = islands.map(({ name }) => name).join(",");
  // Without "<", no prop can end the script element or open a comment in it.
  const props = JSON.stringify(stringifyProps(islandProps)).replaceAll("<", "\\u003c");

  const __html = `import { boot } from ${JSON.stringify(registry.clientEntry)};` +
    `${imports.join("")}boot({${names}},${props});`;
  return h("script", { type: "module", dangerouslySetInnerHTML: { __html } });
}
