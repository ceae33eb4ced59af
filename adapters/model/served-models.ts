/** The models of all providers that are set up, as one port: a request goes where its model's name leads. */
import type { ModelPort } from "../../core/ports/model.ts";
import { modelFailure } from "./model-failure.ts";
import type { ModelApi } from "./provider.ts";
import { findServer, type ModelVariables, providerInName, type ServedModel } from "./providers.ts";

/** `fallback` answers for models that no provider is set up for; null: they fail with `not_configured`. */
export function servedModels(variables: ModelVariables, api: ModelApi, fallback: ModelPort | null): ModelPort {
  return {
    async *stream(request) {
      const served = findServer(variables, request.model);
      if (served !== null) {
        const port = await openPort(variables, served, api);
        yield* port.stream({ ...request, model: served.model });
      } else if (fallback !== null) yield* fallback.stream(request);
      else {
        const secret = providerInName(request.model)?.secret ?? "OPENAI_API_KEY";
        const message = `No provider is set up for the model ${request.model}. Set ${secret}, or name another model.`;
        yield { type: "failed", failure: modelFailure("not_configured", false, message) };
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
