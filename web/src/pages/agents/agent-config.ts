import type { paths } from "../../api/types.generated.ts";

/** What an agent is made of: the body that makes one. */
export type AgentConfig = paths["/v1/agents"]["post"]["requestBody"]["content"]["application/json"];
export type ApprovalPolicy = NonNullable<AgentConfig["approval"]>;
export type Decision = "allow" | "ask" | "deny";
export type Permission = AgentConfig["permissions"][number];
export type Level = "safe" | "cautious" | "dangerous" | "critical";

export const PERMISSIONS: readonly Permission[] = ["read", "write", "exec", "network"];
export const LEVELS: readonly Level[] = ["safe", "cautious", "dangerous", "critical"];

/** The steps of a task of an agent that says nothing of them. */
export const USUAL_STEPS = 10;
/** How long a person has to decide, in seconds, when the policy says nothing. */
export const USUAL_APPROVAL_SECONDS = 604_800;

/** The configuration of an agent or of one of its versions, without what the API adds. */
export function configOfAgent(
  agent: AgentConfig & {
    readonly id: string;
    readonly version: number;
    readonly created_at: string | null;
    readonly updated_at?: string | null;
    readonly archived_at?: string | null;
  },
): AgentConfig {
  const {
    id: _id,
    version: _version,
    created_at: _made,
    updated_at: _changed,
    archived_at: _archived,
    ...config
  } = agent;
  return config;
}
