/** Bundles an agent of the npm package `agents`, which is no dependency of Otto and installed in a folder of its own. */
import { readFileSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Returns the version of the package that is installed in the folder. Throws unless it is installed. */
export function readAgentsVersion(folder: string): string {
  if (!isAbsolute(folder)) throw new Error(`${folder} is not an absolute folder`);
  try {
    const text = readFileSync(join(folder, "node_modules/agents/package.json"), "utf8");
    return (JSON.parse(text) as { version: string }).version;
  } catch (cause) {
    throw new Error(`${folder} has no installed package \`agents\``, { cause });
  }
}

/** Returns the script of a file that imports the package. */
export async function bundleAgent(entry: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "esm",
    external: ["node:*", "cloudflare:*"],
    conditions: ["workerd", "worker", "browser"],
    nodePaths: [join(folder, "node_modules"), fileURLToPath(new URL("../../node_modules", import.meta.url))],
    logLevel: "warning",
    plugins: [
      {
        name: "builtin modules",
        setup(bundling) {
          bundling.onResolve({ filter: /^path$/ }, ({ path: name }) => ({ path: name, namespace: "builtin" }));
          bundling.onLoad({ filter: /./, namespace: "builtin" }, ({ path: name }) => ({
            contents: `export * from "node:${name}"`,
          }));
        },
      },
    ],
  });
  return outputFiles[0]?.text ?? "";
}
