/** The agent file of document 003, as it writes it: a notifier without permissions. */
export const NOTIFIER_FILE = `# .otto/agents/notifier.yml
name: "slack_notifier"
tools:
  - "slack.notify"
  - "fs.read"
tool_config:
  slack.notify:
    default_channel: "#alerts"
`;
