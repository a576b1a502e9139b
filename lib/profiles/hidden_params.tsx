import type { Params } from "./params.ts";

/** Carries parameters of a page through a form. */
export function HiddenParams({ params }: { readonly params: Params }) {
  return (
    <>
      {params.map(([name, value], place) => (
        <input key={place} type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
