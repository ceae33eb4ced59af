/** What the bus says of a tool, in a newcomer's words. */
import type { Tool } from "../../api/types.generated.ts";

interface Wording {
  readonly word: string;
  readonly meaning: string;
  /** How much it should catch the eye. */
  readonly tone: "plain" | "info" | "good" | "warn" | "danger";
}

const PERMISSIONS: Readonly<Record<string, Wording>> = {
  read: { word: "Reads", meaning: "reads what Otto keeps: files of the sandbox, documents, memory", tone: "plain" },
  write: { word: "Writes", meaning: "writes what Otto keeps: files of the sandbox, documents, memory", tone: "info" },
  exec: { word: "Runs commands", meaning: "runs commands and scripts, in a cage on the sandbox's files", tone: "warn" },
  network: { word: "Reaches out", meaning: "reaches outside Otto: the web, mail, Slack, servers", tone: "warn" },
};

/** A permission as a word, and what it means. */
export function getPermissionWording(permission: string): Wording {
  return PERMISSIONS[permission] ?? { word: permission, meaning: permission, tone: "plain" };
}

const LEVELS: Readonly<Record<string, Wording>> = {
  safe: { word: "Safe", meaning: "It can do no harm.", tone: "good" },
  cautious: { word: "Cautious", meaning: "It changes little, or only reads from outside.", tone: "info" },
  dangerous: { word: "Dangerous", meaning: "It can do harm when it is used wrongly.", tone: "warn" },
  critical: { word: "Critical", meaning: "It can do great harm, which nobody could undo.", tone: "danger" },
  "by arguments": {
    word: "Risk varies",
    meaning: "The risk depends on the arguments.",
    tone: "warn",
  },
};

/** How much harm a call can do; an agent's approval policy goes by it. */
export function getLevelWording(level: string): Wording {
  return LEVELS[level] ?? { word: level, meaning: level, tone: "plain" };
}

const EFFECTS: Readonly<Record<string, Wording>> = {
  none: { word: "Changes nothing", meaning: "It changes nothing, and may be repeated freely.", tone: "good" },
  keyed: {
    word: "Changes once",
    meaning: "It changes something. A repeat is recognised, so that it never happens twice.",
    tone: "info",
  },
  probe: {
    word: "Changes, can be looked up",
    meaning: "It changes something outside. After a crash Otto looks up whether it happened.",
    tone: "warn",
  },
  once: {
    word: "Not repeatable",
    meaning:
      "It changes something that Otto cannot look up. After a crash a person may have to say whether it happened.",
    tone: "warn",
  },
  "by arguments": {
    word: "May change things",
    meaning: "Whether a call changes something depends on what it asks for.",
    tone: "warn",
  },
};

/** What a call does outside Otto. */
export function getEffectWording(effect: string): Wording {
  return EFFECTS[effect] ?? { word: effect, meaning: effect, tone: "plain" };
}

/** What to ask before a tool is tried; null: a call of it changes nothing. */
export function callWarning({
  name,
  effect,
  permissions,
}: Pick<Tool, "name" | "effect" | "permissions">): string | null {
  if (effect === "none") return null;
  const where = permissions.includes("network") ? "outside Otto" : "in what Otto keeps";
  const does = effect === "by arguments" ? "may change something" : "changes something";
  return `This is no rehearsal: ${name} ${does} ${where}. ${getEffectWording(effect).meaning}`;
}

/** Where a tool comes from. */
export function formatSource(source: string): string {
  if (source === "built_in") return "Built in";
  if (source === "custom") return "Your own HTTP tool";
  const [kind = "", ...rest] = source.split(":");
  const name = rest.join(":");
  switch (kind) {
    case "openapi":
      return `Imported from “${name}”`;
    case "mcp":
      return `MCP server “${name}”`;
    case "skills":
      return name === "otto" ? "A skill that ships with Otto" : "A skill of yours";
    default:
      return source;
  }
}

const ABBREVIATIONS = ["api", "http", "mcp", "sql", "ssh"];

/** A toolbox as a heading: `unit_tests` is "Unit tests", `ssh` is "SSH". */
export function toolboxTitle(toolbox: string): string {
  const words = toolbox.replaceAll(/[_-]+/g, " ").trim();
  if (ABBREVIATIONS.includes(words)) return words.toUpperCase();
  return words === "" ? "Other" : words.charAt(0).toUpperCase() + words.slice(1);
}

const RETRIES: Readonly<Record<string, string>> = {
  never: "The same call would fail again.",
  now: "It can be tried again at once.",
  later: "It can be tried again later.",
};

/** Whether trying again helps. */
export function formatRetry(retry: string): string {
  return RETRIES[retry] ?? "";
}

/** Tools by their toolbox, in the order in which each first stands. */
export function byToolbox<T extends Pick<Tool, "toolbox">>(
  tools: readonly T[],
): readonly { readonly toolbox: string; readonly tools: readonly T[] }[] {
  const found = new Map<string, T[]>();
  for (const tool of tools) {
    const box = found.get(tool.toolbox);
    if (box === undefined) found.set(tool.toolbox, [tool]);
    else box.push(tool);
  }
  return [...found].map(([toolbox, inside]) => ({ toolbox, tools: inside }));
}
