/** Shows in the conversations of Slack that a task delivers to what it does. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { planProgress } from "../../../core/channels/slack/progress.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import type { NoticeLook, Spread } from "./spreader.ts";

/** Stands before the spreader of results: what calls off the progress that has not left comes before the result. */
export async function spreadProgress(_env: Env, { tenant, notice }: NoticeLook): Promise<Result<Spread>> {
  const at = Date.parse(notice.at);
  return ok(await planProgress(tenant, notice, async (seed) => (await seededIds("delivery", seed, at)).random));
}
