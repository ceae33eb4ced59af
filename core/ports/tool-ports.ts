/**
 * The ports that a tool may need. What is outside Otto has a file of its own in this folder: a real adapter, an in-memory fake,
 * and one contract suite that both pass (`test/contracts/`). Methods return expected failures as values and throw only on a defect.
 */
import type { PatternsPort } from "../lib/patterns.ts";
import type { AppCallsPort } from "./app-calls.ts";
import type { AppConnectionsPort } from "./app-connections.ts";
import type { DocumentIntakePort } from "./document-intake.ts";
import type { DatabasesPort } from "./databases.ts";
import type { CodebasesPort } from "./codebases.ts";
import type { DocumentsPort } from "./documents.ts";
import type { FilesPort } from "./files.ts";
import type { TaskMailPort } from "./mail.ts";
import type { LanguagePort } from "./language.ts";
import type { McpPort } from "./mcp.ts";
import type { KnowledgePort } from "./knowledge-search.ts";
import type { MemoryPort } from "./memory.ts";
import type { PagesPort } from "./pages.ts";
import type { PeoplePort } from "./people.ts";
import type { RemindersPort } from "./reminders.ts";
import type { ResultsPort } from "./results.ts";
import type { ScriptsPort } from "./scripts.ts";
import type { SearchPort } from "./search.ts";
import type { SkillsPort } from "./skills.ts";
import type { SlackNotesPort } from "./slack-notes.ts";
import type { SshPort } from "./ssh.ts";
import type { ToolSearchPort } from "./tool-search.ts";
import type { WebPort } from "./web.ts";

/** The ports that tools may declare in `needs`. */
export interface ToolPorts {
  readonly toolSearch: ToolSearchPort;
  readonly appConnections: AppConnectionsPort;
  readonly files: FilesPort;
  readonly web: WebPort;
  readonly search: SearchPort;
  readonly results: ResultsPort;
  readonly patterns: PatternsPort;
  readonly memory: MemoryPort;
  readonly knowledge: KnowledgePort;
  readonly mcp: McpPort;
  readonly apps: AppCallsPort;
  readonly scripts: ScriptsPort;
  readonly documents: DocumentsPort;
  readonly documentIntake: DocumentIntakePort;
  readonly pages: PagesPort;
  readonly databases: DatabasesPort;
  readonly language: LanguagePort;
  readonly ssh: SshPort;
  readonly slack: SlackNotesPort;
  readonly skills: SkillsPort;
  readonly people: PeoplePort;
  readonly reminders: RemindersPort;
  readonly mail: TaskMailPort;
  readonly codebases: CodebasesPort;
}
