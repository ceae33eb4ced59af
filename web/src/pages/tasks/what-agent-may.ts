/** What an agent may do and what it asks for, in words for the person who gives it a task. */
import type { Agent } from "../../api/types.generated.ts";

const PERMISSIONS: Readonly<Record<Agent["permissions"][number], string>> = {
  read: "read files and data",
  write: "change files and data",
  exec: "run commands",
  network: "use the network",
};

const LEVELS = ["cautious", "dangerous", "critical"] as const;

export function whatAgentMay({ permissions, tools, approval }: Agent): string {
  const may = permissions.map((permission) => PERMISSIONS[permission]);
  const asks = [
    ...LEVELS.filter((level) => approval?.[level] === "ask").map((level) => `${level} tools`),
    ...(approval?.rules ?? []).filter(({ decision }) => decision === "ask").map(({ tool }) => tool),
  ];
  return [
    may.length === 0 ? "It may only think and answer." : `It may ${list(may)}.`,
    tools.includes("*") ? "" : `Its tools: ${list(tools.slice(0, 6))}${tools.length > 6 ? " and more" : ""}.`,
    asks.length === 0 ? "" : `It asks before it uses ${list(asks)}.`,
  ]
    .filter((sentence) => sentence !== "")
    .join(" ");
}

function list(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1) ?? ""}`;
}
