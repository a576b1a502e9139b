import { type Message, t } from "../core/language/translate.ts";
import { type Params, queryHref } from "../ui/links.ts";
import { Button } from "../ui/components/button.tsx";
import { Field, HiddenFields, Select } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { type Shape, shapeParams } from "./params.ts";
import { GROUPINGS, isReshaped } from "./trees/reshape.ts";

interface ShapeFormProps {
  /** Of the page. */
  readonly path: string;
  /** Parameters to carry on: all of the page's but those of the shape. */
  readonly hidden: Params;
  readonly shape: Shape;
  /** As the address has it, right or wrong. */
  readonly query: URLSearchParams;
  readonly errors: Readonly<Record<string, string>>;
}

const BY_NAMES: Readonly<Record<Shape["by"], Message>> = {
  function: "functions",
  file: "files",
  module: "modules",
  package: "packages",
};

/** Which stacks a graph shows and how: filters by regular expression, grouping, the way round. */
export function ShapeForm({ path, hidden, shape, query, errors }: ShapeFormProps) {
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
        {t("Filter, group or invert stacks")}
      </summary>
      <form
        method="get"
        action={path}
        role="search"
        aria-label={t("Stacks and functions")}
        class="mt-2 grid items-start gap-x-3 gap-y-2 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_9rem_auto_auto]"
      >
        <HiddenFields pairs={[...hidden, ...kept]} />
        <Field
          name="focus"
          label={t("Only stacks with")}
          value={query.get("focus") ?? ""}
          placeholder={t("Regular expression, as ^main\\.")}
          error={errors.focus}
          mono
        />
        <Field
          name="ignore"
          label={t("Without stacks with")}
          value={query.get("ignore") ?? ""}
          placeholder={t("Name, file or module")}
          error={errors.ignore}
          mono
        />
        <Select
          name="by"
          label={t("Boxes are")}
          value={shape.by}
          options={GROUPINGS.map((by) => ({ value: by, label: t(BY_NAMES[by]) }))}
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
          {t("Inverted: callers below")}
        </label>
        <div class="flex items-center gap-3 sm:pt-6.5">
          <Button>{t("Apply")}</Button>
          {isUsed && (
            <a class="link text-sm" href={queryHref(path, [...hidden, ...kept])}>{t("Reset")}</a>
          )}
        </div>
      </form>
    </details>
  );
}
