/** The packages of skills. */
import type { Env } from "./bindings.ts";
import { blobsFromEnv } from "./files.ts";
import { keepShipped, openSkills, type SkillStore } from "../skills/skills.ts";
import type { Result } from "../../core/base/errors.ts";
import type { TaskFacts } from "../../core/task/state.ts";

/** The packages of skills that one tenant may read. */
export function skillsFromEnv(env: Env, { tenant }: Pick<TaskFacts, "tenant">): SkillStore {
  return openSkills(blobsFromEnv(env), tenant);
}

/** Keeps the skills that this release ships, for the tasks that go on under a later one. */
export async function keepShippedFromEnv(env: Env): Promise<Result<void>> {
  return await keepShipped(blobsFromEnv(env));
}
