/** The packages of skills. */
import type { Env } from "./bindings.ts";
import { blobsFromEnv } from "./files.ts";
import { storeShipped, openSkills, type SkillStore } from "../skills/skills.ts";
import type { Result } from "../../core/base/errors.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The packages of skills that a tenant may read. */
export function skillsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): SkillStore {
  return openSkills(blobsFromEnv(env), tenant);
}

/** Stores the skills that this release ships, for tasks that continue under a later one. */
export async function storeShippedFromEnv(env: Env): Promise<Result<void>> {
  return await storeShipped(blobsFromEnv(env));
}
