/** The models of all configured providers as one port: a request is routed by its model's name. */
import type { ModelPort } from "../../core/ports/model.ts";
import { createModelFailure } from "./model-failure.ts";
import type { ModelApi } from "./provider.ts";
import { findProvider, type ModelVariables, findNamedProvider, type ServedModel } from "./providers.ts";

/** `fallback` serves models without a configured provider; null: they fail with `not_configured`. */
export function servedModels(variables: ModelVariables, api: ModelApi, fallback: ModelPort | null): ModelPort {
  /** The opened providers. A request waits for its own load only: workerd cancels one that waits for another one's. */
  const opened = new Map<Provider, ModelPort>();
  const open = async (provider: Provider): Promise<ModelPort> => {
    const port = await openPort(variables, provider, api);
    opened.set(provider, port);
    return port;
  };
  return {
    async *stream(request) {
      const served = findProvider(variables, request.model);
      if (served !== null) {
        const port = opened.get(served.provider) ?? (await open(served.provider));
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

type Provider = ServedModel["provider"];

async function openPort(variables: ModelVariables, provider: Provider, api: ModelApi): Promise<ModelPort> {
  const openAddress = await provider.load();
  const given = variables[provider.url]?.replace(/\/$/, "");
  const baseUrl = given ? (provider.toBaseUrl?.(given) ?? given) : provider.defaultBaseUrl;
  return openAddress({ baseUrl, apiKey: variables[provider.secret] || null }, api);
}
