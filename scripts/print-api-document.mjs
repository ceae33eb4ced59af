/**
 * Prints the OpenAPI document of the Worker's routes. The Worker's modules are loaded as they are; those of its runtime
 * stand empty, since no route but this one is called.
 */
import { registerHooks } from "node:module";

const classes = ["DurableObject", "EmailMessage", "RpcTarget", "WorkerEntrypoint"];
const functions = ["connect", "waitUntil"];
const source = [
  ...classes.map((name) => `export class ${name} {}`),
  ...functions.map((name) => `export const ${name} = null;`),
].join("\n");
const empty = `data:text/javascript,${encodeURIComponent(source)}`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier.startsWith("cloudflare:") ? { url: empty, shortCircuit: true } : next(specifier, context),
});
const { createApp } = await import("../workers/app.ts");
const answer = await createApp().request("/openapi.json", {}, {});
process.stdout.write(await answer.text());
