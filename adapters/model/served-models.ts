/** The models of all configured providers as one port: a request is routed by its model's name. */
import type { ModelPort } from "../../core/ports/model.ts";
import { createModelFailure } from "./model-failure.ts";
import type { ModelApi } from "./provider.ts";
import { findProvider, type ModelVariables, findNamedProvider, type ServedModel } from "./providers.ts";

/** `fallback` serves models without a configured provider; null: they fail with `not_configured`. */
export function servedModels(variables: ModelVariables, api: ModelApi, fallback: ModelPort | null): ModelPort {
  return {
    async *stream(request) {
      const served = findProvider(variables, request.model);
      if (served !== null) {
        const port = await openPort(variables, served, api);
        yield* port.stream({ ...request, model: served.model });
      } else if (fallback !== null) yield* fallback.stream(request);
      else {
        const secret = findNamedProvider(request.model)?.secret ?? "OPENAI_API_KEY";
        const message = `No provider is configured for the model ${request.model}. Set ${secret}, or name another model.`;
        yield { type: "failed", failure: createModelFailure("not_configured", false, message) };
      }
    },
  };
}

async function openPort(variables: ModelVariables, { provider }: ServedModel, api: ModelApi): Promise<ModelPort> {
  const open = await provider.load();
  const given = variables[provider.url]?.replace(/\/$/, "");
  const baseUrl = given ? (provider.toBaseUrl?.(given) ?? given) : provider.defaultBaseUrl;
  return open({ baseUrl, apiKey: variables[provider.secret] || null }, api);
}
