/** What the calls of a step need to run: the ports of tools, limits, and meters. */
import { appCallsFromEnv } from "../../adapters/env/app-calls.ts";
import { appRightsFromEnv } from "../../adapters/env/app-rights.ts";
import { blobsFromEnv, filesFromEnv } from "../../adapters/env/files.ts";
import { systemClock } from "../../adapters/env/clock.ts";
import { databasesFromEnv } from "../../adapters/env/databases.ts";
import { codebasesFromEnv } from "../../adapters/env/codebases.ts";
import { documentsFromEnv } from "../../adapters/env/documents.ts";
import { taskIntakeFromEnv } from "../../adapters/env/knowledge.ts";
import { taskMailFromEnv } from "../../adapters/env/mail.ts";
import { taskLanguageFromEnv } from "../../adapters/env/model.ts";
import { mcpFromEnv } from "../../adapters/env/mcp.ts";
import { patternsFromEnv } from "../../adapters/env/patterns.ts";
import { pagesFromEnv } from "../../adapters/env/pages.ts";
import { peopleFromEnv } from "../../adapters/env/people.ts";
import { resultsFromEnv } from "../../adapters/env/results.ts";
import { scriptsFromEnv } from "../../adapters/env/scripts.ts";
import { searchFromEnv } from "../../adapters/env/search.ts";
import { sshFromEnv } from "../../adapters/env/ssh.ts";
import { slackNotesFromEnv } from "../../adapters/env/slack.ts";
import { settingsFromEnv, type Settings } from "../../adapters/env/settings.ts";
import { skillsFromEnv } from "../../adapters/env/skills.ts";
import { taskKnowledgeFromEnv } from "../../adapters/env/knowledge-search.ts";
import { taskMemoryFromEnv } from "../../adapters/env/memory.ts";
import { webFromEnv } from "../../adapters/env/web.ts";
import type { Env } from "../../adapters/env/bindings.ts";
import { openAppConnections } from "../../core/steps/app-connections.ts";
import { openToolSearch } from "../../core/steps/find-tools.ts";
import type { Toolset } from "../../core/steps/toolset.ts";
import { type PerformDeps, RETRY_DELAYS_MS } from "../../core/steps/perform.ts";
import type { ShapeLimits } from "../../core/gateway/shape.ts";
import type { ConnectionsPort } from "../../core/ports/connections.ts";
import type { OwnResult } from "../../core/steps/rpc.ts";
import { toSecretUser } from "../../core/secrets/secret-use.ts";
import type { TaskFacts } from "../../core/task/state.ts";
import { CALL_MS } from "../../core/tenant/cost-rates.ts";
import type { Tool } from "../../core/tool/tool.ts";
import { meterWork } from "../http/charge-cost.ts";
import { logAppCall, logDefect } from "../http/log.ts";
import { openTaskReminders } from "../schedules/task-reminders.ts";
import { openToolLists } from "./lists.ts";

/**
 * `own` are the task's results that its object sent; null if they have to be read from the object. `joined`: how many
 * calls begin at once; their requests go to the sidecar together.
 */
export function openPerformDeps(
  env: Env,
  facts: TaskFacts,
  {
    toolset,
    own,
    tools,
    connections,
    joined = 1,
  }: {
    readonly toolset: Toolset;
    readonly own: readonly OwnResult[] | null;
    readonly tools: readonly Tool[];
    readonly connections: ConnectionsPort;
    readonly joined?: number;
  },
): PerformDeps {
  const settings = settingsFromEnv(env);
  const user = toSecretUser(facts);
  const appRights = appRightsFromEnv(env, facts.tenant);
  const appConnections = openAppConnections({ facts, toolset, connections, appRights });
  return {
    toolset,
    ports: {
      files: filesFromEnv(env, facts),
      web: webFromEnv(env, facts, user, { joined }),
      search: searchFromEnv(env),
      results: resultsFromEnv(env, facts, own),
      patterns: patternsFromEnv(env),
      memory: taskMemoryFromEnv(env, facts),
      knowledge: taskKnowledgeFromEnv(env, facts),
      mcp: mcpFromEnv(env, facts, user),
      apps: appCallsFromEnv(env, facts.tenant, (line) => logAppCall(facts, line)),
      scripts: scriptsFromEnv(env, facts),
      documents: documentsFromEnv(env, facts),
      documentIntake: taskIntakeFromEnv(env, facts),
      pages: pagesFromEnv(env, facts),
      databases: databasesFromEnv(env, facts),
      ssh: sshFromEnv(env, facts, user),
      slack: slackNotesFromEnv(env, facts),
      skills: skillsFromEnv(env, facts),
      people: peopleFromEnv(env, facts),
      reminders: openTaskReminders(env, facts),
      mail: taskMailFromEnv(env, facts),
      codebases: codebasesFromEnv(env, facts),
      toolSearch: openToolSearch(
        toolset,
        async () => await openToolLists(env, facts, tools),
        facts.apps === undefined ? undefined : appConnections,
      ),
      appConnections,
    },
    model: taskLanguageFromEnv(env, facts),
    connections,
    appRights,
    blobs: blobsFromEnv(env),
    limits: toShapeLimits(settings),
    maxParallel: settings.maxParallelToolCalls,
    scriptTimeoutMs: settings.scriptTimeoutMs,
    retryDelaysMs: RETRY_DELAYS_MS,
    timer: globalThis,
    reportDefect: (tool: string, thrown: unknown) => logDefect(tool, facts.id, thrown),
    giveTurn: async () => await scheduler.wait(0),
    meterWork: (limit) => meterWork(env, facts.tenant, { countedMs: CALL_MS, signal: limit }),
    clock: systemClock,
  };
}

/** Returns the sizes above which a result is shortened and summarised, in characters. */
export function toShapeLimits({ mediumResultThreshold, largeResultThreshold }: Settings): ShapeLimits {
  return { mediumCharacters: mediumResultThreshold, largeCharacters: largeResultThreshold };
}
