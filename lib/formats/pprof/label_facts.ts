import type { LabelValues } from "./label_values.ts";

/** What a client says of itself in parameters; texts are `""` when it does not. */
export interface SenderFacts {
  readonly service: string;
  readonly environment: string;
  readonly release: string;
  readonly instance: string;
}

const SERVICE = ["service_name", "service", "service.name"] as const;
const ENVIRONMENT = [
  "environment",
  "env",
  "deployment_environment",
  "deployment_environment_name",
  "deployment.environment",
  "deployment.environment.name",
] as const;
const RELEASE = ["release", "version", "service_version", "service.version", "service_git_ref"];
const INSTANCE = ["instance", "service_instance_id", "service.instance.id", "__session_id__"];
/** They stay labels as well, which people look for. */
const HOST = ["pod", "hostname", "host", "host.name"] as const;

/**
 * What is known of a sender, with labels for what its parameters do not say.
 *
 * @param labels lose those that are taken
 */
export function withLabels(stated: SenderFacts, labels: LabelValues): SenderFacts {
  return {
    service: stated.service || labels.take(...SERVICE),
    environment: stated.environment || labels.take(...ENVIRONMENT),
    release: stated.release || labels.take(...RELEASE),
    instance: stated.instance || labels.take(...INSTANCE) || labels.only(...HOST),
  };
}

/** The service that all samples are labelled with, or `""`. */
export function serviceIn(labels: LabelValues): string {
  return labels.only(...SERVICE);
}
