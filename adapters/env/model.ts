/** The model. */
import { type Env, set } from "./bindings.ts";
import { demoModel } from "../model/demo/demo.ts";
import { openAiModel } from "../model/openai/open.ts";
import type { ModelPort } from "../../core/ports/model.ts";

/** The model: any server that speaks OpenAI's API, or the demo model when none is set. */
export function modelFromEnv(env: Env): ModelPort {
  const [apiKey, baseUrl] = [set(env.OPENAI_API_KEY), set(env.OPENAI_BASE_URL)];
  if (apiKey === null && baseUrl === null) return demoModel();
  return openAiModel({ apiKey, baseUrl, api: modelApi(env) });
}

export function modelApi(env: Env): "chat" | "responses" {
  const api = set(env.OTTO_MODEL_API) ?? "chat";
  if (api !== "chat" && api !== "responses") throw new RangeError("OTTO_MODEL_API has to be chat or responses");
  return api;
}
