/** The Helm chart as Kubernetes gets it: by Helm where it is installed, otherwise by Go, which has the same templates. */
import { parse, parseAllDocuments } from "yaml";

export const CHART = "deploy/helm/watchpost";
const GO_RENDERER = "test/support/render_chart/main.go";

type Values = { readonly [name: string]: unknown };

/** What the chart is made of by kind, or the sentence that refuses the values. */
export type Rendered =
  | { readonly objects: ReadonlyMap<string, ChartObject> }
  | { readonly refusal: string };

export interface ChartObject {
  readonly kind: string;
  readonly spec: unknown;
}

const hasHelm = await isThere("helm");
/** Whether something is here that renders charts; says so when nothing is. */
export const canRender = hasHelm || await isThere("go");
if (!canRender) console.warn("skipped: neither Helm nor Go is installed, which render the chart");

/** @param values beside those of `values.yaml` */
export async function renderChart(values: Values = {}): Promise<Rendered> {
  const { success, stdout, stderr } = await (hasHelm ? byHelm(values) : byGo(values)).output();
  const text = new TextDecoder().decode(success ? stdout : stderr);
  if (!success) return { refusal: text };
  const objects = parseAllDocuments(text).map((document): ChartObject | null => {
    if (document.errors.length > 0) throw document.errors[0];
    return document.toJS();
  }).filter((object) => object !== null);
  return { objects: new Map(objects.map((object) => [object.kind, object])) };
}

function byHelm(values: Values): Deno.Command {
  return new Deno.Command("helm", {
    args: [
      "template",
      "shop",
      CHART,
      ...Object.entries(values).flatMap(([name, value]) => [
        "--set-json",
        `${name}=${JSON.stringify(value)}`,
      ]),
    ],
    stdin: "null",
  });
}

function byGo(values: Values): Deno.Command {
  const { name, version, appVersion } = parse(Deno.readTextFileSync(`${CHART}/Chart.yaml`));
  const seen = {
    Values: merged(parse(Deno.readTextFileSync(`${CHART}/values.yaml`)), values),
    Chart: { Name: name, Version: version, AppVersion: appVersion },
    Release: { Name: "shop", Service: "Helm", Namespace: "default" },
  };
  return new Deno.Command("go", {
    args: ["run", GO_RENDERER, CHART, JSON.stringify(seen)],
    stdin: "null",
  });
}

function merged(base: Values, more: Values): Values {
  const joined = Object.entries(more).map(([name, value]) => {
    const before = base[name];
    return [name, isValues(before) && isValues(value) ? merged(before, value) : value];
  });
  return { ...base, ...Object.fromEntries(joined) };
}

function isValues(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

async function isThere(program: string): Promise<boolean> {
  try {
    const command = new Deno.Command(program, {
      args: ["version"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return (await command.output()).success;
  } catch {
    return false;
  }
}
