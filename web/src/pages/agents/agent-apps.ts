/** Which apps and actions an agent may use: in words, and as a form holds it. */
import type { AgentApps, AgentAppsInput, AppLevel } from "../../api/types.generated.ts";

export const LEVEL_WORDS: Readonly<Record<AppLevel, string>> = {
  full: "All enabled actions",
  read_only: "Only actions that read",
  list: "Chosen actions",
};

type Rights = Pick<AgentApps, "assignments" | "permissions">;

/** Describes how far an agent may use an app that is added to the workspace. */
export function describeAccess({ assignments }: Pick<Rights, "assignments">, app: string): string {
  if (assignments.length === 0) return `${LEVEL_WORDS.full} of every app`;
  const found = assignments.find((one) => one.app_name === app);
  if (found === undefined || !found.is_active) return "No access";
  if (found.level !== "list") return LEVEL_WORDS[found.level];
  return found.actions.length === 1 ? "1 chosen action" : `${found.actions.length} chosen actions`;
}

/** How far a form lets an agent use one app. */
export interface AppChoice {
  readonly level: AppLevel | "none";
  /** For the level `list`; stored by the form while another level is chosen. */
  readonly actions: readonly string[];
}

export interface AppsDraft {
  /** True: every app of the workspace, also those that are added later. */
  readonly isEvery: boolean;
  /** By app. An app without an entry is not accessible. */
  readonly choices: Readonly<Record<string, AppChoice>>;
  /** Actions that are switched off, one on each line. */
  readonly switchedOff: string;
}

export const NO_ACCESS: AppChoice = { level: "none", actions: [] };

/** Makes the form of what is set. */
export function toAppsDraft({ assignments, permissions }: Rights): AppsDraft {
  return {
    isEvery: assignments.length === 0,
    choices: Object.fromEntries(
      assignments.map(({ app_name, level, actions, is_active }) => [
        app_name,
        { level: is_active ? level : ("none" as const), actions },
      ]),
    ),
    switchedOff: permissions
      .filter((one) => !one.is_active)
      .map(({ tool }) => tool)
      .join("\n"),
  };
}

/**
 * Makes what is sent of a form. `apps`: those that the form lists, at least one unless `isEvery`; an agent without access
 * to any of them has each of them as an inactive assignment, because no assignment means every app.
 */
export function toAgentApps(draft: AppsDraft, apps: readonly string[]): AgentAppsInput {
  const names = draft.switchedOff
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const assignments = apps.map((app) => {
    const { level, actions } = draft.choices[app] ?? NO_ACCESS;
    return {
      app_name: app,
      level: level === "none" ? ("full" as const) : level,
      ...(level === "list" ? { actions: [...actions] } : {}),
      is_active: level !== "none",
    };
  });
  return {
    assignments: draft.isEvery ? [] : assignments,
    permissions: [...new Set(names)].map((tool) => ({ tool, is_active: false })),
  };
}
