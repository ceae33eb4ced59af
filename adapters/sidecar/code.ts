/** Reads codebases through the sidecar. Credentials are filled in here, for the host of the repository only. */
import { failed, ok, type Result } from "../../core/base/errors.ts";
import { toBase64 } from "../../core/base/base64.ts";
import type { CodebaseSource } from "../../core/codebases/codebase.ts";
import { codeFactsSchema, type IndexedFile, indexedFileSchema } from "../../core/codebases/indexed-file.ts";
import { MAX_BYTES, MAX_FILE_BYTES, MAX_FILES, MAX_READ_MS } from "../../core/codebases/limits.ts";
import type { CodeReader, ReadCodebase } from "../../core/ports/codebases.ts";
import type { FileEntry, FilesPort } from "../../core/ports/files.ts";
import type { SecretsPort } from "../../core/ports/secrets.ts";
import { parseJson } from "../../core/base/parse-json.ts";
import { findBoundValue } from "../egress/fill-secrets.ts";
import { openSecretBook } from "../egress/secret-book.ts";
import { type JobFile, type JobReply, runJob } from "./run-job.ts";
import type { Sidecar } from "./sidecar.ts";

/** A reply of a codebase at its limits. Each part of it is read on its own. */
const LIMITS = { files: 2_000, bytes: 1024 ** 3 };
const MAX_PART_BYTES = 16 * 1024 ** 2;
const PAGE = 1_000;
/** A user name is needed with a token, and servers ignore it. */
const TOKEN_USER = "x-access-token";

export interface CodeReaderDeps {
  readonly sidecar: Sidecar | null;
  readonly tenant: string;
  readonly secrets: SecretsPort;
  /** Globs of paths that are not read. */
  readonly denied: readonly string[];
  /** The stored archive with this hash. */
  readonly openArchive: (hash: string) => Promise<Result<ReadableStream<Uint8Array>>>;
  /** The shared folder of a project, as `project/` of these files. */
  readonly filesOf: (project: string) => FilesPort;
}

type JobSource = {
  readonly source: object;
  readonly files: readonly JobFile[];
  readonly redact?: (text: string) => Promise<string>;
};

/** Never throws. Failures of `read` are those of the job, and of its secret. */
export function openCodeReader(deps: CodeReaderDeps): CodeReader {
  return {
    async read({ source, known, signal }) {
      const prepared = await prepare(deps, source);
      if (!prepared.ok) return prepared;
      const { source: jobSource, files, redact } = prepared.value;
      const reply = await runJob(deps.sidecar, {
        kind: "code",
        tenant: deps.tenant,
        order: { source: jobSource, denied: deps.denied, timeout_ms: MAX_READ_MS },
        files: [toFile("known.json", new TextEncoder().encode(JSON.stringify(Object.fromEntries(known)))), ...files],
        timeoutMs: MAX_READ_MS,
        limits: LIMITS,
        signal,
      });
      if (reply.ok) return toReadCodebase(reply.value);
      const { error } = reply;
      return { ok: false, error: redact === undefined ? error : { ...error, message: await redact(error.message) } };
    },
  };
}

async function prepare(deps: CodeReaderDeps, source: CodebaseSource): Promise<Result<JobSource>> {
  if ("git" in source) return await prepareGit(deps, source);
  if ("project" in source) return await prepareProject(deps.filesOf(source.project));
  const { hash, size } = source.zip;
  const archive: JobFile = { path: "source.zip", size, sha256: hash, open: async () => await deps.openArchive(hash) };
  return ok({ source: { kind: "zip" }, files: [archive] });
}

async function prepareGit(
  { secrets }: CodeReaderDeps,
  { git, ref, secret: name }: Extract<CodebaseSource, { git: string }>,
): Promise<Result<JobSource>> {
  const source = { kind: "git", url: git, ref: ref ?? null };
  if (name === undefined) return ok({ source: { ...source, authorization: null }, files: [] });
  const book = await openSecretBook(secrets, true);
  if (!book.ok) return book;
  // A fetch is a GET and a POST.
  for (const method of ["GET", "POST"]) {
    const bound = findBoundValue(name, "secret", { url: new URL(git), method }, book.value.named);
    if (!bound.ok) return bound;
  }
  const value = book.value.named.find((one) => one.name === name)?.value ?? "";
  const pair = value.includes(":") ? value : `${TOKEN_USER}:${value}`;
  const authorization = `Basic ${toBase64(new TextEncoder().encode(pair))}`;
  const redact = async (text: string): Promise<string> => (await book.value.redactor()).text(text);
  return ok({ source: { ...source, authorization }, files: [], redact });
}

async function prepareProject(port: FilesPort): Promise<Result<JobSource>> {
  const entries: FileEntry[] = [];
  for (let after: string | null = null; ; ) {
    const page = await port.walk("project", after, PAGE);
    if (!page.ok) return page;
    entries.push(...page.value.files.filter(({ size }) => size <= MAX_FILE_BYTES));
    if (entries.length > MAX_FILES)
      return failed("too_large", `The project has more than ${MAX_FILES} files, which are the most of a codebase.`);
    if (page.value.next === null) break;
    after = page.value.next;
  }
  if (entries.reduce((sum, { size }) => sum + size, 0) > MAX_BYTES)
    return failed("too_large", `The project's files have more than ${MAX_BYTES / 1024 ** 2} MB.`);
  const files = entries.map(
    (entry): JobFile => ({
      path: `files/${entry.path.slice("project/".length)}`,
      size: entry.size,
      sha256: entry.hash,
      open: async () => {
        const opened = await port.open(entry.path, entry.version);
        return opened.ok ? ok(opened.value.stream) : opened;
      },
    }),
  );
  return ok({ source: { kind: "files" }, files });
}

function toReadCodebase({ body, files }: JobReply): Result<ReadCodebase> {
  const facts = codeFactsSchema.safeParse(body);
  if (!facts.success) return failed("upstream_failed", "The sidecar's answer is no codebase.");
  return ok({ facts: facts.data, parts: readParts(files) });
}

async function* readParts(files: JobReply["files"]): AsyncGenerator<readonly IndexedFile[]> {
  for await (const { bytes } of files) {
    if (bytes.length > MAX_PART_BYTES) throw new RangeError("a part of the codebase is too large");
    const lines = new TextDecoder().decode(bytes).split("\n");
    yield lines.filter((line) => line !== "").map((line) => indexedFileSchema.parse(parseJson(line)));
  }
}

function toFile(path: string, bytes: Uint8Array): JobFile {
  return {
    path,
    size: bytes.length,
    open: async () => await Promise.resolve(ok(new Blob([new Uint8Array(bytes)]).stream())),
  };
}
