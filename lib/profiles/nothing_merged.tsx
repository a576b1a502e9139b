import { EmptyState } from "../ui/components/empty_state.tsx";

/** There are no profiles of this type, or none that can be read. */
export function NothingMerged({ left }: { readonly left: number }) {
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState icon="profiling" title="No profiles of this type">
        {left > 0
          ? "There are some in the index, but none of them can be read from the object store."
          : "None came in this time and scope. Another type, service or time may have some."}
      </EmptyState>
    </div>
  );
}
