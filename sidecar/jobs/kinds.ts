/** Lists every kind of job. */
import { getCages } from "../cage/cages.ts";
import { defineScriptJob } from "../cage/script-job.ts";
import { defineCodeJob } from "../code/code-job.ts";
import { openEngines } from "../documents/make/engines.ts";
import { defineMakeJob } from "../documents/make/make-job.ts";
import { convertWithPandoc } from "../documents/pandoc.ts";
import { defineReadJob } from "../documents/read-job.ts";
import type { EgressDeps } from "../egress.ts";
import { defineSqlJob } from "../sql/sql-job.ts";
import { defineSshJob } from "../ssh/ssh-job.ts";
import { definePageJob } from "../web/page-job.ts";
import type { CheckedJobKind } from "./job.ts";

/** Dependencies of the kinds of jobs. */
export interface JobDeps {
  readonly egress: EgressDeps;
}

export function makeJobKinds({ egress }: JobDeps): readonly CheckedJobKind[] {
  return [
    defineScriptJob(egress, getCages),
    defineReadJob(),
    defineMakeJob(openEngines(convertWithPandoc)),
    definePageJob(),
    defineSshJob(egress),
    defineSqlJob(egress),
    defineCodeJob(egress, getCages),
  ];
}
