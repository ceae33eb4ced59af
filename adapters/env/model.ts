/** The model. */
import { type Env, readText } from "./bindings.ts";
import { oncePerEnv } from "./once-per-env.ts";
import { settingsFromEnv } from "./settings.ts";
import { demoModel } from "../model/demo/demo.ts";
import type { ModelPort } from "../../core/ports/model.ts";
import type { ModelApi } from "../model/provider.ts";
import { servedModels } from "../model/served-models.ts";

/**
 * The models of the configured providers. The demo model replies for every other name if OTTO_MODEL names no provider.
 */
export const modelFromEnv = oncePerEnv((env: Env): ModelPort => {
  return servedModels(env, readModelApi(env), settingsFromEnv(env).isDemo ? demoModel() : null);
});

export function readModelApi(env: Env): ModelApi {
  const api = readText(env.OTTO_MODEL_API) ?? "chat";
  if (api !== "chat" && api !== "responses") throw new RangeError("OTTO_MODEL_API has to be chat or responses");
  return api;
}
