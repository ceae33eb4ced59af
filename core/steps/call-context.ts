/** The context of a call: its facts, and only the ports that its tool declares. */
import { getAllowedDomains, getSandboxRules } from "../agents/agent.ts";
import type { Account } from "../connections/account.ts";
import type { ToolPorts } from "../ports/tool-ports.ts";
import type { WebPort } from "../ports/web.ts";
import { OUTSIDE } from "../provenance/label.ts";
import { listSkillsInForce } from "../task/skills-in-force.ts";
import type { CallFacts, Tool, ToolContext } from "../tool/tool.ts";
import type { ActJob } from "./rpc.ts";
import { getSettings } from "./tool-settings.ts";
import type { Toolset } from "./toolset.ts";

type Call = ActJob["calls"][number];

/** What a context is made of, besides the call. */
export interface ContextDeps {
  readonly toolset: Pick<Toolset, "names" | "skills">;
  readonly ports: ToolPorts;
  /** How long a skill's script may run. */
  readonly scriptTimeoutMs: number;
}

/** Creates the context of a call: its facts, and only the ports that its tool declares. */
export function createContext(
  call: Call,
  job: ActJob,
  tool: Tool,
  { ports, toolset, scriptTimeoutMs }: ContextDeps,
  given: Pick<CallFacts, "signal" | "nowMs" | "giveWay" | "approvedCopy">,
): ToolContext<keyof ToolPorts> {
  const { facts } = job;
  const { config } = facts.agent;
  const known: CallFacts = {
    tenant: facts.tenant,
    agent: { id: facts.agent.id, version: facts.agent.version },
    task: facts.id,
    rootTask: facts.rootId,
    project: facts.project,
    step: job.step,
    callId: call.callId,
    label: call.label ?? OUTSIDE,
    key: call.key,
    attempt: call.attempt,
    intendedAt: call.intendedAt ?? given.nowMs,
    correlationId: `${facts.id}/${job.step}/${call.attempt}`,
    permissions: config.permissions,
    tools: toolset.names,
    sandbox: getSandboxRules(config),
    workingDirectory: "",
    allowedDomains: getAllowedDomains(facts.agent),
    config: getSettings(config, tool),
    taskSkills: { pinned: toolset.skills, inForce: listSkillsInForce(facts), scriptTimeoutMs },
    metadata: facts.metadata,
    resumed: call.resumed ?? null,
    ...(call.account === undefined ? {} : { account: call.account }),
    ...(call.uploads === undefined ? {} : { uploads: call.uploads }),
    ...given,
  };
  const limited = known.label === OUTSIDE ? { ...ports, web: stayOnHost(ports.web) } : ports;
  const open = call.account === undefined ? limited : carryAccount(limited, call.account);
  const declared = Object.fromEntries(tool.needs.map((need) => [need, open[need]]));
  // The tool's context type is derived from `needs`, so it can name only the declared ports.
  return { ...known, ...declared } as ToolContext<keyof ToolPorts>;
}

/** Adds the account of the call to its requests. One that the tool names is replaced. */
function carryAccount(ports: ToolPorts, account: Account): ToolPorts {
  const { web, mcp } = ports;
  return {
    ...ports,
    web: {
      request: (request) => web.request({ ...request, account }),
      open: (request) => web.open({ ...request, account }),
    },
    mcp: {
      list: (server, signal) => mcp.list(server, signal, account),
      call: (call) => mcp.call({ ...call, account }),
    },
  };
}

/** Limits an influenced call to the approved host: a redirect to another host is returned. */
function stayOnHost(web: WebPort): WebPort {
  return {
    request: (request) => web.request({ ...request, staysOnHost: true }),
    open: (request) => web.open(request),
  };
}
