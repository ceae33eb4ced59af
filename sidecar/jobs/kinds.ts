/** Every kind of job that the sidecar takes. */
import { theCages } from "../cage/cages.ts";
import { scriptJob } from "../cage/script-job.ts";
import { openEngines } from "../documents/make/engines.ts";
import { makeJobKind } from "../documents/make/make-job.ts";
import { convertWithPandoc } from "../documents/pandoc.ts";
import { readJobKind } from "../documents/read-job.ts";
import type { EgressDeps } from "../egress.ts";
import { sshJob } from "../ssh/ssh-job.ts";
import type { ReadyJobKind } from "./job.ts";

/** What kinds of jobs are made from. */
export interface JobDeps {
  readonly egress: EgressDeps;
}

export function jobKinds({ egress }: JobDeps): readonly ReadyJobKind[] {
  return [scriptJob(egress, theCages), readJobKind(), makeJobKind(openEngines(convertWithPandoc)), sshJob(egress)];
}
