/**
 * Writes measures as Prometheus reads them: its text format 0.0.4, or OpenMetrics 1.0 for those that ask for it.
 *
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
import type { Family, Sample } from "./numbers.ts";

export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** @param accept the header of whoever asks, or null */
export function exposition(families: readonly Family[], accept: string | null): Exposition {
  const isOpen = accept?.includes("application/openmetrics-text") ?? false;
  const lines = families.filter(({ samples }) => samples.length > 0)
    .flatMap((family) => linesOf(family, isOpen));
  if (isOpen) lines.push("# EOF");
  return {
    contentType: isOpen
      ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
      : "text/plain; version=0.0.4; charset=utf-8",
    text: `${lines.join("\n")}\n`,
  };
}

function linesOf({ name, type, help, samples }: Family, isOpen: boolean): string[] {
  const counted = type === "counter" ? `${name}_total` : name;
  // OpenMetrics names a counter without the ending that its samples have.
  const shown = isOpen ? name : counted;
  return [
    `# HELP ${shown} ${escaped(help)}`,
    `# TYPE ${shown} ${type}`,
    ...samples.map((sample) =>
      `${counted}${sample.suffix}${labelsOf(sample, isOpen)} ${numberOf(sample.value)}`
    ),
  ];
}

function labelsOf({ labels }: Sample, isOpen: boolean): string {
  const pairs = Object.entries(labels).map(([name, value]) => {
    const shown = name === "le" && isOpen ? canonical(value) : value;
    return `${name}="${escaped(shown).replaceAll('"', '\\"')}"`;
  });
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** OpenMetrics wants bounds as floating-point numbers. */
function canonical(bound: string): string {
  return /^\d+$/.test(bound) ? `${bound}.0` : bound;
}

function escaped(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf";
}
