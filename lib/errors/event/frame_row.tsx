import { classes } from "../../ui/components/class_names.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { SourceBlock } from "./source_block.tsx";
import type { Frame } from "./stack.ts";
import { ValueTable } from "../../ui/value_table.tsx";

export interface FrameRowProps {
  readonly frame: Frame;
  readonly isOpen: boolean;
}

/** One call of a stack: where it is on one line; source, variables and more when opened. */
export function FrameRow({ frame, isOpen }: FrameRowProps) {
  if (!hasDetails(frame)) {
    return (
      <li class="border-b border-line last:border-b-0">
        <div class={HEAD}>
          <span class="w-4 shrink-0" />
          <FrameHead frame={frame} />
        </div>
      </li>
    );
  }
  return (
    <li class="border-b border-line last:border-b-0">
      <details open={isOpen && isWorthOpening(frame)} class="group/frame">
        <summary class={classes(HEAD, "hover:bg-hover")}>
          <Icon
            name="chevron-right"
            class="mt-0.5 text-muted transition-transform group-open/frame:rotate-90"
          />
          <FrameHead frame={frame} />
        </summary>
        <FrameBody frame={frame} />
      </details>
    </li>
  );
}

const HEAD = "flex items-start gap-1.5 px-3 py-1.5 text-sm";

function FrameHead({ frame }: { readonly frame: Frame }) {
  const { name, file, path, line, column, isInApp, repeats } = frame;
  const place = [file, line, line === null ? null : column].filter((part) => part !== null);
  return (
    <>
      <span class="flex min-w-0 flex-1 flex-wrap items-baseline gap-x-2">
        <span
          class={classes(
            "min-w-0 font-mono wrap-anywhere",
            isInApp ? "font-semibold" : "text-muted",
          )}
          dir="ltr"
        >
          {name || "(no function name)"}
        </span>
        {file !== "" && (
          <span class="min-w-0 font-mono text-meta wrap-anywhere text-muted" dir="ltr" title={path}>
            {place.join(":")}
          </span>
        )}
        {repeats > 1 && (
          <Badge title="The call repeats itself without another between">
            {`${repeats} times`}
          </Badge>
        )}
      </span>
      {isInApp && <Badge tone="accent" class="shrink-0">in app</Badge>}
    </>
  );
}

function FrameBody({ frame }: { readonly frame: Frame }) {
  const { path, facts, source, variables, language, isCut } = frame;
  const details = path === "" ? facts : [["Path", path] as const, ...facts];
  return (
    <div>
      {source.length > 0 && <SourceBlock lines={source} language={language} />}
      {isCut && (
        <p class="px-4 py-1.5 pl-9 text-sm text-muted">
          Source and variables of this frame are in the raw event only: the page would grow too
          large.
        </p>
      )}
      {variables.length > 0 && (
        <div class="border-t border-line px-4 py-1.5 pl-9">
          <ValueTable entries={variables} label="Variables" />
        </div>
      )}
      {details.length > 0 && (
        <dl class="flex flex-wrap gap-x-4 border-t border-line px-4 py-1.5 pl-9 text-meta text-muted">
          {details.map(([label, value]) => (
            <div key={label} class="min-w-0">
              <dt class="inline">{label}:</dt>
              <dd class="ml-1 inline font-mono wrap-anywhere">{value}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

/** A path alone is no reason to push everything else down. */
function isWorthOpening({ source, variables }: Frame): boolean {
  return source.length + variables.length > 0;
}

function hasDetails({ source, variables, facts, path, isCut }: Frame): boolean {
  return isCut || source.length + variables.length + facts.length > 0 || path !== "";
}
