/** The lines that `npm start` and `npm run dev` end with. */
import { relative } from "node:path";
import { getDefaultModel, MODEL_PROVIDERS, type ModelVariables } from "../../adapters/model/providers.ts";
import type { SystemAddress } from "./system.ts";

/**
 * What a start that is up says: each address and key with its use, and how to set a model while the demo answers. `folder` is
 * the one that it runs in.
 */
export function formatGreeting(
  { url, key, consoleUrl, keyFile }: SystemAddress,
  env: NodeJS.ProcessEnv,
  folder: string,
): string {
  const model = getDefaultModel(env as ModelVariables);
  const lines = [
    "",
    `Otto is ready on ${url}`,
    "",
    `  console  ${consoleUrl}`,
    "           signs your browser in, once and within 15 minutes",
    `  key      ${key}`,
    `           for the API, and to sign in later; also in ${relative(folder, keyFile)}`,
    `  API      ${url}/docs`,
    `  model    ${model === null ? DEMO_MODEL : `${model.model} at ${env[model.provider.url] || model.provider.label}`}`,
    ...(model === null ? ["", ...explainModels(env)] : []),
    "",
    "Press Ctrl-C to stop.",
    "",
  ];
  return lines.join("\n");
}

const DEMO_MODEL = "demo: simple rules that drive the real tools, not a language model";

/** A line for each provider; its own where a key is set, and only the model is missing. */
function explainModels(env: NodeJS.ProcessEnv): readonly string[] {
  const unnamed = MODEL_PROVIDERS.find(({ secret, url }) => Boolean(env[secret]) || Boolean(env[url]));
  if (unnamed !== undefined)
    return [`${unnamed.label} is set, but no model of it. Name one: OTTO_MODEL=${unnamed.name}/<model> npm start`];
  return [
    "For a language model, stop Otto and start it with a key:",
    ...MODEL_PROVIDERS.map(({ secret, url, name, label }, index) => {
      const model = index === 0 ? "" : ` OTTO_MODEL=${name}/<model>`;
      return `  ${secret}=…${model} npm start   (${label}; another server with its API: ${url})`;
    }),
  ];
}
