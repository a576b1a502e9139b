import { type Params, queryHref } from "../ui/links.ts";
import { Button } from "../ui/components/button.tsx";
import { Field, Select } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { GROUPINGS, isReshaped, type Shape, shapeParams } from "./params.ts";

interface ShapeFormProps {
  /** Of the page. */
  readonly path: string;
  /** Parameters to carry on: all of the page's but those of the shape. */
  readonly hidden: Params;
  readonly shape: Shape;
  /** As the address has it, right or wrong. */
  readonly query: URLSearchParams;
  readonly errors: Readonly<Record<string, string>>;
  /** Keeps ids apart where a page has several. */
  readonly idPrefix?: string;
}

const BY_NAMES: Readonly<Record<Shape["by"], string>> = {
  function: "functions",
  file: "files",
  module: "modules",
  package: "packages",
};

/** Which stacks a graph shows and how: filters by regular expression, grouping, the way round. */
export function ShapeForm(props: ShapeFormProps) {
  const { shape, errors } = props;
  // The function's own view goes on with other filters.
  const kept = shapeParams(shape).filter(([name]) => name === "function");
  const isUsed = isReshaped(shape) ||
    [errors.focus, errors.ignore, errors.by].some((error) => error !== undefined);
  return (
    <details open={isUsed} class="group/shape">
      <summary class="inline-flex cursor-pointer items-center gap-2 text-sm font-medium">
        <Icon
          name="chevron-right"
          size={14}
          class="text-muted transition-transform group-open/shape:rotate-90"
        />
        Filter, group or invert stacks
      </summary>
      <ShapeFields {...props} kept={kept} isUsed={isUsed} />
    </details>
  );
}

function ShapeFields(props: ShapeFormProps & { readonly kept: Params; readonly isUsed: boolean }) {
  const { path, hidden, shape, query, errors, idPrefix = "", kept, isUsed } = props;
  return (
    <form
      method="get"
      action={path}
      role="search"
      aria-label="Stacks and functions"
      class="mt-2 grid items-start gap-x-3 gap-y-2 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_9rem_auto_auto]"
    >
      <HiddenParams params={[...hidden, ...kept]} />
      <Field
        idPrefix={idPrefix}
        name="focus"
        label="Only stacks with"
        value={query.get("focus") ?? ""}
        placeholder="Regular expression, as ^main\."
        error={errors.focus}
        mono
      />
      <Field
        idPrefix={idPrefix}
        name="ignore"
        label="Without stacks with"
        value={query.get("ignore") ?? ""}
        placeholder="Name, file or module"
        error={errors.ignore}
        mono
      />
      <Select
        idPrefix={idPrefix}
        name="by"
        label="Boxes are"
        value={shape.by}
        options={GROUPINGS.map((by) => ({ value: by, label: BY_NAMES[by] }))}
        error={errors.by}
      />
      <label class="flex items-center gap-2 sm:pt-8">
        <input
          type="checkbox"
          name="invert"
          value="1"
          checked={shape.isInverted}
          disabled={shape.function !== ""}
          class="size-4 accent-accent-fill"
        />
        Inverted: callers below
      </label>
      <div class="flex items-center gap-3 sm:pt-6.5">
        <Button>Apply</Button>
        {isUsed && <a class="link text-sm" href={queryHref(path, [...hidden, ...kept])}>Reset</a>}
      </div>
    </form>
  );
}

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
