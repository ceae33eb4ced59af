/**
 * Everything outside Otto, as interfaces. Each has a real adapter, an in-memory fake, and one contract suite that both
 * pass (`test/contracts/`). Methods return expected failures as values and throw only on a defect.
 */
import type { SlackNotesPort } from "../channels/slack/notes.ts";
import type { DocumentsPort } from "./documents.ts";
import type { Result } from "../base/errors.ts";
import type { MemoryPort } from "./memory.ts";
import type { McpPort } from "./mcp.ts";
import type { TaskMailPort } from "./mail.ts";
import type { SshPort } from "./ssh.ts";
import type { Message, ModelUsage } from "../model/messages.ts";
import type { Label } from "../provenance/label.ts";
import type { FileChange } from "../sandbox/file-change.ts";
import type { PeoplePort } from "./people.ts";
import type { ResultsPort } from "./results.ts";
import type { RemindersPort } from "./reminders.ts";
import type { ScriptsPort } from "./scripts.ts";
import type { SkillsPort } from "./skills.ts";

/** Milliseconds since the epoch. */
export interface Clock {
  now(): number;
}

/** A tool as the model is shown it. `parameters` is JSON Schema. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One model call. */
export interface ModelRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  /** Empty: the model must answer in text. */
  readonly tools: readonly ToolSpec[];
  readonly maxOutputTokens: number;
  /** Total time; the adapter also gives up when nothing arrives for `idleTimeoutMs`. */
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** Why a model call failed, and whether another try can help. */
export interface ModelFailure {
  readonly kind:
    | "rate_limited"
    | "unavailable"
    | "timeout"
    | "cut_off"
    | "refused"
    | "context_overflow"
    | "not_configured";
  readonly retryable: boolean;
  /** The provider's Retry-After, in milliseconds. */
  readonly retryAfterMs: number | null;
  /** Safe for the tenant to read; holds no key and no URL query. */
  readonly message: string;
}

/**
 * A call as the model wrote it: `arguments` may be invalid JSON. `fault`: why it cannot be made, in a sentence for
 * the model.
 */
export interface ReplyCall {
  readonly name: string;
  readonly arguments: string;
  readonly fault?: string;
}

/**
 * What a model call yields: text as it is written and, at every `CHECKPOINT_TOKENS` of output, an estimate of all that was
 * written so far (text, arguments, open reasoning); then exactly one of `done` and `failed`.
 */
export type ModelChunk =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "progress"; readonly outputTokens: number }
  | {
      readonly type: "done";
      readonly text: string;
      readonly calls: readonly ReplyCall[];
      readonly usage: ModelUsage;
      readonly finish: "stop" | "calls" | "length" | "filtered";
    }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** A language model (or the demo model). Never throws. */
export interface ModelPort {
  stream(request: ModelRequest): AsyncIterable<ModelChunk>;
}

/** One file of a sandbox. Times are milliseconds since the epoch; `hash` is the SHA-256 of the bytes in hex. */
export interface FileEntry {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly contentType: string;
  readonly modifiedAt: number;
  /** Counts the writes to the path, over deletions too. */
  readonly version: number;
  /** Nine permission bits; `core/sandbox/file-mode.ts` says what they mean here. */
  readonly mode: number;
  /** The label of its writer; absent from a sandbox of an earlier release. */
  readonly label?: Label;
  /** A person or a channel put these bytes there, and no call of a task; absent from a sandbox of an earlier release. */
  readonly isUploaded?: boolean;
}

/** What a write gives: the file as it is now. */
export interface WrittenFile extends FileEntry {
  /** False: it replaced a file. */
  readonly isNew: boolean;
  /** Where the file that it replaced stands now; null: there was none, or no backup was asked for. */
  readonly backup: string | null;
}

/** A version of a file that is remembered; of a deleted file, none is the current one. */
export interface FileVersion extends FileEntry {
  readonly isCurrent: boolean;
}

/** Some of the files below a directory, in the order of the code points of their paths. `next`: the `after` of the page that follows. */
export interface FilePage {
  readonly files: readonly FileEntry[];
  readonly next: string | null;
}

/** What `list` gives: a file, or a directory that holds some. `name` is the last segment. */
export interface DirectoryEntry {
  readonly name: string;
  readonly path: string;
  readonly kind: "file" | "directory";
  readonly size: number;
  readonly modifiedAt: number;
  /** Of a directory: the join over everything in it; absent from a sandbox of an earlier release. */
  readonly label?: Label;
}

/** How a write is made. */
export interface WriteOptions {
  /** A write with a key that was applied before is not applied again and gives the first one's entry. */
  readonly key: string;
  /** Only when the path is at this version (0: absent); otherwise `conflict`. */
  readonly ifVersion?: number;
  readonly contentType?: string;
  /** Without one a file keeps the mode that it has. */
  readonly mode?: number;
  /** Where a file that is replaced goes, in the same step: both happen or neither. What stands there is replaced too. */
  readonly backupPath?: string;
  /** The label of the writer; `OUTSIDE` when omitted. */
  readonly label?: Label;
  /** The bytes are as a person or a channel sent them; false when omitted. */
  readonly isUploaded?: boolean;
}

/** How a file or a directory is removed, or a version brought back. A key that was applied before changes nothing more. */
export interface ChangeOptions {
  readonly key: string;
  /** Only when the path is at this version; otherwise `conflict`. */
  readonly ifVersion?: number;
}

/**
 * One sandbox (a task tree's, with the project's shared folder under `project/`). Paths are already judged by
 * `core/sandbox/path.ts`; the sandbox judges their form again.
 */
export interface FilesPort {
  stat(path: string): Promise<Result<FileEntry>>;
  /** The bytes; `too_large` when over `maxBytes`. */
  read(path: string, maxBytes: number): Promise<Result<{ entry: FileEntry; bytes: Uint8Array }>>;
  /** The bytes as they come, `entry.size` of them; with a version, of that one. The stream fails when the store goes away under it. */
  open(path: string, version?: number): Promise<Result<{ entry: FileEntry; stream: ReadableStream<Uint8Array> }>>;
  /** `bytes` are neither copied nor changed, and are the port's until the promise has settled. */
  write(path: string, bytes: Uint8Array, options: WriteOptions): Promise<Result<WrittenFile>>;
  /** The entries directly inside a directory, sorted by name; `not_found` for a directory that does not exist. "" is the root, which always does. */
  list(path: string): Promise<Result<readonly DirectoryEntry[]>>;
  /** All files below a directory, at any depth, whose paths follow `after`; at most `limit`, and never more than 1,000. `not_found` as for `list`. */
  walk(directory: string, after: string | null, limit: number): Promise<Result<FilePage>>;
  /** Reads the bytes of an entry by its path and hash, also after later writes. One request to the store. */
  bytesOf(entry: FileEntry): Promise<Result<Uint8Array>>;
  /** Makes a directory and those above it. `made` is false for one that is there; `conflict` where a file is in the way. */
  makeDirectory(
    path: string,
    options: Pick<WriteOptions, "key" | "label">,
  ): Promise<Result<{ readonly made: boolean }>>;
  /** Removes a file, whose versions stay and can be restored, or a directory that is empty. The directory above stays. */
  remove(path: string, options: ChangeOptions): Promise<Result<{ readonly kind: "file" | "directory" }>>;
  /** The versions of a file that are remembered, the newest first, those of a deleted file too; `not_found` where none is. */
  versions(path: string): Promise<Result<readonly FileVersion[]>>;
  /** Makes the file what it was at a version, as a new version. */
  restore(path: string, version: number, options: ChangeOptions): Promise<Result<WrittenFile>>;
  /**
   * All of these changes or none, once for a key; `conflict` names every path that is not at its `ifVersion`.
   * `outcome_unknown`: the store stopped answering in the middle, and some of them may have been made.
   */
  apply(changes: readonly FileChange[], options: Pick<WriteOptions, "key" | "label">): Promise<Result<void>>;
}

/**
 * A request that a tool makes to the world. References to the tenant's secrets, `{{secret.NAME}}`, may stand in the path
 * and query of the URL, in the values of headers and in a body that is text.
 */
export interface WebRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array | null;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly followRedirects: boolean;
  /** True: a redirect to another host is returned as the reply, unless an entry of `allowedDomains` names that host. */
  readonly staysOnHost?: boolean;
  /** Hosts that may be reached, as `core/web/host-pattern.ts` reads them; `*` is any public host, null none but what the operator opened. */
  readonly allowedDomains: readonly string[] | null;
  readonly signal: AbortSignal;
}

/** References to secrets are filled in in `secretHeaders` only: what else it says may be a stranger's or a model's word. */
export interface WebStreamRequest extends WebRequest {
  readonly secretHeaders?: WebRequest["headers"];
}

/** What came back. `body` is cut at `maxBytes` and `truncated` says so. */
export interface WebResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Uint8Array;
  readonly truncated: boolean;
  /** After redirects. */
  readonly url: string;
  readonly durationMs: number;
}

/**
 * The one way out: every URL of a tenant or a model goes through it. Failures: `blocked_by_policy` (nothing was sent),
 * `not_found` (a secret), `invalid_input`, `timeout`, `upstream_failed`; `happened` is "no" when the request surely
 * never left. No reply and no message holds the value of a secret: the reference stands in its place.
 */
export interface WebPort {
  request(request: WebRequest): Promise<Result<WebResponse>>;
  /**
   * Hands the reply over as soon as its headers are there. Redirects are handed back, whatever `followRedirects` says. The
   * body fails when the time is over, when `signal` is aborted, and after `maxBytes`; cancelling it gives the request up.
   */
  open(request: WebStreamRequest): Promise<Result<WebStream>>;
}

/** A reply whose body is still coming. */
export interface WebStream {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ReadableStream<Uint8Array>;
}

/** A search of the web. */
export interface SearchRequest {
  readonly query: string;
  readonly maxResults: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** What a search found, as plain text. `url` is http or https. */
export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

/**
 * A search engine. Failures: `not_available` (none is set up, and the message says how that is done), `rate_limited`,
 * `timeout`, `upstream_failed`. Never throws.
 */
export interface SearchPort {
  search(request: SearchRequest): Promise<Result<readonly SearchHit[]>>;
}

/** The tools that a task may use, also those that its model is not shown. */
export interface ToolSearchPort {
  /** At most `limit` of them that fit a request in plain words, the best first. */
  find(request: string, limit: number): Promise<Result<readonly ToolSpec[]>>;
}

/** The ports that tools may declare in `needs`. */
export interface ToolPorts {
  readonly toolSearch: ToolSearchPort;
  readonly files: FilesPort;
  readonly web: WebPort;
  readonly search: SearchPort;
  readonly results: ResultsPort;
  readonly patterns: PatternsPort;
  readonly memory: MemoryPort;
  readonly mcp: McpPort;
  readonly scripts: ScriptsPort;
  readonly documents: DocumentsPort;
  readonly ssh: SshPort;
  readonly slack: SlackNotesPort;
  readonly skills: SkillsPort;
  readonly people: PeoplePort;
  readonly reminders: RemindersPort;
  readonly mail: TaskMailPort;
}

/** A regular expression of a tenant or a model, compiled. */
export interface Pattern {
  /** How much work a character of a text is at most; a unit takes up to 20 ns. */
  readonly size: number;
  /** Whether it matches anywhere in the text. Takes time by the product of the size and the text's length. */
  test(text: string): boolean;
  /** Finds the matches in a text one by one. Finding one takes as long as `test` does, at most. */
  matcher(text: string): PatternMatcher;
}

/** Goes through the matches in a text. */
export interface PatternMatcher {
  /** Goes to the next match; false: there is no more. */
  find(): boolean;
  /** The offsets of the match in characters (UTF-16 units), `end` exclusive. */
  start(): number;
  end(): number;
}

/** How a search reads its pattern, which is written as RE2 has it. */
export interface SearchStyle {
  readonly ignoresCase: boolean;
  /** True: `^` and `$` match at the ends of lines, too. */
  readonly isMultiline: boolean;
}

/**
 * The engine of others' regular expressions, written as JavaScript has them with the flag `u`, or in a search as RE2 has
 * them: no look-around, no back references. It has no fake, since nothing outside is behind it.
 */
export interface PatternsPort {
  /** `invalid_input` says what is wrong with the pattern; it is bounded before it is compiled. */
  compile(source: string, search?: SearchStyle): Result<Pattern>;
  /**
   * The most work to compile it, in units of about a microsecond, estimated from its text. 0 when `compile` refuses
   * it at once.
   */
  workOf(source: string, search?: SearchStyle): number;
}

/** Where results too large for a row are kept. Keys are made by the caller and end up under the tenant's prefix. */
export interface BlobPort {
  put(key: string, bytes: Uint8Array): Promise<Result<void>>;
  get(key: string): Promise<Result<Uint8Array>>;
}
