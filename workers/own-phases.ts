/** The phases that a task's object runs itself, by the modules that the step runner calls too. */
import type { Env } from "../adapters/env/bindings.ts";
import { areWebTools, mayOnlyRead, type OwnPhases } from "../core/steps/own-phases.ts";
import type { Tool } from "../core/tool/tool.ts";
import { catalogue } from "../tools/catalogue.generated.ts";
import { streamModelPhase } from "./model-phase.ts";
import { streamToolPhase } from "./tool-phase.ts";
import { openToolset } from "./tools/toolsets.ts";

export function openOwnPhases(env: Env, tools: readonly Tool[] = catalogue): OwnPhases {
  return {
    streamModelPhase: (job, signal) => streamModelPhase(env, job, signal, tools),
    streamToolPhase: (job, signal) => streamToolPhase(env, job, signal, tools),
    async onlyReads(job) {
      if (!mayOnlyRead(job)) return false;
      const toolset = await openToolset(env, job.facts, tools);
      return toolset.ok && areWebTools(job, toolset.value);
    },
  };
}
