import { Button } from "../ui/components/button.tsx";
import type { StatusTab } from "./list_params.ts";

/** What can be done with the chosen rows of the list; the form around the table sends it. */
export function BulkBar({ tab }: { readonly tab: StatusTab }) {
  return (
    <div class="flex flex-wrap gap-2 max-sm:order-1 max-sm:w-full">
      {tab !== "resolved" && (
        <Button size="sm" icon="check" name="action" value="resolve">Resolve</Button>
      )}
      {tab !== "ignored" && (
        <Button size="sm" icon="ignored" name="action" value="ignore">Ignore</Button>
      )}
      {tab !== "unresolved" && (
        <Button size="sm" icon="issues" name="action" value="unresolve">Unresolve</Button>
      )}
      <Button size="sm" icon="merge" name="action" value="merge">Merge</Button>
    </div>
  );
}
