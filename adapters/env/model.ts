/** The model. */
import { type Env, readText } from "./bindings.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { settingsFromEnv } from "./settings.ts";
import { demoModel } from "../model/demo/demo.ts";
import type { ModelPort } from "../../core/ports/model.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { shareFromEnv } from "./tenants.ts";
import type { ModelApi } from "../model/provider.ts";
import { servedModels } from "../model/served-models.ts";

/**
 * The models of the configured providers. The demo model replies for every other name if OTTO_MODEL names no provider.
 */
export const modelFromEnv = oncePerEnv((env: Env): ModelPort => {
  return servedModels(env, readModelApi(env), settingsFromEnv(env).isDemo ? demoModel() : null);
});

/** The models of the configured providers alone, without the demo model. */
const servedModelsFromEnv = oncePerEnv((env: Env): ModelPort => servedModels(env, readModelApi(env), null));

/** The same as `modelFromEnv` for a task, which counts as waiting while its model replies. */
export function taskModelFromEnv(env: Env, task: Pick<TaskFacts, "id" | "tenant">): ModelPort {
  return countWaits(env, task, modelFromEnv(env));
}

/** Answers the questions of a task's tools. The demo model answers none: they fail with `not_configured`. */
export function taskLanguageFromEnv(env: Env, task: Pick<TaskFacts, "id" | "tenant">): ModelPort {
  return countWaits(env, task, servedModelsFromEnv(env));
}

function countWaits(env: Env, { id, tenant }: Pick<TaskFacts, "id" | "tenant">, model: ModelPort): ModelPort {
  return {
    async *stream(request) {
      const endWait = shareFromEnv(env).beginWait(tenant, id, Date.now());
      try {
        yield* model.stream(request);
      } finally {
        endWait();
      }
    },
  };
}

export function readModelApi(env: Env): ModelApi {
  const api = readText(env.OTTO_MODEL_API) ?? "chat";
  if (api !== "chat" && api !== "responses") throw new RangeError("OTTO_MODEL_API has to be chat or responses");
  return api;
}
