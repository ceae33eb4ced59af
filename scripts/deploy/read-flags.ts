/** What `npm run deploy` is asked to do, by its flags; and the flags that npm took for itself. */
import { parseArgs } from "node:util";
import { getOwn } from "../../core/base/own-field.ts";
import { DeployRefused } from "./deploy-refused.ts";

const OPTIONS = {
  "dry-run": { type: "boolean", default: false },
  "without-container": { type: "boolean", default: false },
  "secrets-file": { type: "string" },
  url: { type: "string" },
  "make-secrets": { type: "boolean", default: false },
} as const;

export interface DeployFlags {
  readonly makesSecrets: boolean;
  readonly isDryRun: boolean;
  readonly withContainer: boolean;
  readonly secretsFile: string | null;
  /** An address that begins with https and has no path. */
  readonly origin: string | null;
}

/** Throws `DeployRefused` for an unknown flag, an invalid address, and flags that npm did not pass on. */
export function readFlags(args: readonly string[], env: Readonly<Record<string, string | undefined>>): DeployFlags {
  refuseLost(env);
  const values = parse(args);
  return {
    makesSecrets: values["make-secrets"],
    isDryRun: values["dry-run"],
    withContainer: !values["without-container"],
    secretsFile: values["secrets-file"] ?? null,
    origin: values.url === undefined ? null : toOrigin(values.url),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const known = Object.entries(OPTIONS).map(([name, { type }]) => `--${name}${type === "string" ? " …" : ""}`);
    throw new DeployRefused(`${why}\nThe flags are: ${known.join(", ")}`);
  }
}

/**
 * What stands before a `--` of its own is a setting of npm's, and reaches its script as a variable only: without this,
 * `npm run deploy --dry-run` would deploy. npm writes "" for a flag that is off.
 */
function refuseLost(env: Readonly<Record<string, string | undefined>>): void {
  const lost = Object.keys(OPTIONS).filter((name) => {
    const value = getOwn(env, `npm_config_${name.replaceAll("-", "_")}`);
    return value !== undefined && value !== "" && value !== "false";
  });
  if (lost.length === 0) return;
  const flags = lost.map((name) => `--${name}`).join(" ");
  throw new DeployRefused(`npm took ${flags} for itself. Write -- before the flags:\n    npm run deploy -- ${flags}`);
}

function toOrigin(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" || url.href !== `${url.origin}/`)
    throw new DeployRefused("--url: it has to be the address alone, https://otto.example.com");
  return url.origin;
}
