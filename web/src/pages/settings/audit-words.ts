/** The acts of the audit log, in words. */

const KINDS: Readonly<Record<string, string>> = {
  agent: "Agents",
  app: "Apps",
  budget: "Limits",
  connection: "Connected accounts",
  delivery: "Deliveries",
  file: "Files",
  hook: "Webhooks coming in",
  key: "Keys",
  mail: "Mail",
  mcp_server: "MCP servers",
  catalogue: "Catalogue of apps",
  memory: "Memory",
  person: "People",
  project: "Projects",
  retention: "Retention",
  schedule: "Schedules",
  secret: "Secrets",
  session: "Signing in",
  skill: "Skills",
  slack: "Slack",
  tenant: "The whole tenant",
  tool: "Tools",
  trigger: "Triggers",
  webhook: "Webhooks going out",
};

/** By the action's name in the API; those on tenants are the operator's to read. */
export const ACTS = {
  "agent.create": "Agent made",
  "agent.update": "Agent changed",
  "agent.archive": "Agent deleted",
  "agent.set_apps": "Agent's apps changed",
  "app.add": "App added",
  "app.remove": "App removed",
  "app.enable": "Enabled actions of an app changed",
  "app.override": "Effect of actions changed",
  "app.approve": "Changed actions of an app approved",
  "budget.set": "Limit set",
  "budget.delete": "Limit taken away",
  "connection.connect": "Account connected",
  "connection.update": "Connected account changed",
  "connection.expire": "Connected account expired",
  "connection.revoke": "Account disconnected",
  "connection.delete": "Disconnected account removed",
  "delivery.replay": "Delivery sent again",
  "file.delete": "File deleted",
  "file.restore": "File brought back",
  "hook.create": "Incoming webhook created",
  "hook.update": "Incoming webhook changed",
  "hook.delete": "Incoming webhook deleted",
  "hook.replay": "Received call retried",
  "key.create": "Key made",
  "key.bind": "Key bound to a person",
  "key.revoke": "Key revoked",
  "mail.replay": "Received mail tried again",
  "mcp_server.set": "MCP server set",
  "mcp_server.delete": "MCP server deleted",
  "catalogue.sync": "Catalogue of apps synced",
  "mcp_server.reload": "MCP server's tools read again",
  "mcp_server.approve": "MCP server's changed tools approved",
  "mcp_server.authorize": "MCP server allowed in",
  "memory.create": "Memory made",
  "memory.update": "Memory changed",
  "memory.delete": "Memory deleted",
  "person.create": "Person added",
  "person.update": "Person changed",
  "person.delete": "Person deleted",
  "person.link": "Person linked to an address",
  "project.erase": "Project erased",
  "retention.set": "Retention changed",
  "retention.sweep": "Removed by retention",
  "schedule.create": "Schedule made",
  "schedule.update": "Schedule changed",
  "schedule.delete": "Schedule deleted",
  "schedule.pause": "Schedule paused",
  "schedule.resume": "Schedule resumed",
  "schedule.run": "Schedule run by hand",
  "schedule.confirm": "Schedule confirmed",
  "secret.create": "Secret made",
  "secret.update": "Secret changed",
  "secret.delete": "Secret deleted",
  "session.begin": "Signed in",
  "session.end": "Signed out",
  "session.end_others": "All other browsers signed out",
  "session.link": "Sign-in link made",
  "skill.upload": "Skill uploaded",
  "skill.restore": "Skill's older version brought back",
  "skill.delete": "Skill deleted",
  "slack.authorize": "Slack workspace asked for",
  "slack.install": "Slack workspace connected",
  "slack.uninstall": "Slack workspace disconnected",
  "slack.replay": "Received Slack message tried again",
  "tenant.stop": "Everything stopped",
  "tenant.release": "Everything let go on",
  "tenant.reindex": "Task index rebuilt",
  "tool.create": "Tool made",
  "tool.update": "Tool changed",
  "tool.delete": "Tools taken away",
  "tool.import": "Tools imported",
  "tool.reload": "Tools read again",
  "trigger.create": "Trigger made",
  "trigger.pause": "Trigger paused",
  "trigger.resume": "Trigger resumed",
  "trigger.delete": "Trigger deleted",
  "trigger.rotate": "Secret of triggers replaced",
  "webhook.create": "Webhook made",
  "webhook.update": "Webhook changed",
  "webhook.delete": "Webhook deleted",
  "webhook.rotate": "Webhook's secret replaced",
  "webhook.test": "Webhook tested",
  "webhook.replay": "Webhook's delivery sent again",
  "webhook.disable": "Webhook switched off by Otto",
} as const;

const WORDS: Readonly<Record<string, string>> = ACTS;

/** What was done; the name itself of an act that has no words here. */
export function actInWords(action: string): string {
  return WORDS[action] ?? action.replace(".", ": ").replaceAll("_", " ");
}

interface Act {
  readonly action: string;
  readonly words: string;
}

/** All acts by what they are done to, as the list is narrowed to them: to each, or to all of one kind. */
export const ACTS_BY_KIND: readonly { readonly kind: string; readonly title: string; readonly acts: readonly Act[] }[] =
  Object.entries(KINDS).map(([kind, title]) => ({
    kind,
    title,
    acts: Object.entries(ACTS)
      .filter(([action]) => action.startsWith(`${kind}.`))
      .map(([action, words]) => ({ action, words })),
  }));
