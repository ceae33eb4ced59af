/** Every kind of job that the sidecar takes. */
import type { EgressDeps } from "../egress.ts";
import type { ReadyJobKind } from "./job.ts";

/** What kinds of jobs are made from. */
export interface JobDeps {
  readonly egress: EgressDeps;
}

export function jobKinds(_deps: JobDeps): readonly ReadyJobKind[] {
  return [];
}
