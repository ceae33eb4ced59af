/** Shows a task's progress in the Slack conversations to which it delivers. */
import type { Env } from "../../../adapters/env/bindings.ts";
import { planProgress } from "../../../core/channels/slack/progress.ts";
import { ok, type Result } from "../../../core/base/errors.ts";
import { seededIds } from "../../../core/base/seeded-ids.ts";
import type { NoticeInput, FanOutEffect } from "./fan-out-step.ts";

/** Runs before the step of results, so that unsent progress is cancelled before the result. */
export async function fanOutProgress(_env: Env, { tenant, notice }: NoticeInput): Promise<Result<FanOutEffect>> {
  const at = Date.parse(notice.at);
  return ok(await planProgress(tenant, notice, async (seed) => (await seededIds("delivery", seed, at)).random));
}
