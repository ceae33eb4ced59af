/** Runs a job in the sidecar: streams a packet there and a packet back. */
import { asNotSent, failed, maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { signJobOrder } from "./token.ts";
import {
  headBytes,
  joinChunks,
  type OpenPacket,
  openPacket,
  streamPacket,
  type PacketFile,
  type PacketLimits,
  type Pull,
  joinHashes,
} from "./packet.ts";
import { readRefusal } from "./refusal.ts";
import { isUp, type Sidecar } from "./sidecar.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** Time beyond the job's own: waiting for a slot, and transfer. */
const MARGIN_MS = 45_000;
const RETRY_AFTER_MS = 1_000;
/** Default limits of the result. An isolate has 128 MB. */
const LIMITS: PacketLimits = { files: 10_000, bytes: 64 * 1024 * 1024 };

/**
 * An input file of a job. `open` must return exactly `size` bytes. Without `sha256` the file is opened twice and buffered once to hash it,
 * so provide the hash of a large file.
 */
export interface JobFile extends PacketFile {
  /** The hash of its bytes, in lower-case hex. */
  readonly sha256?: string | undefined;
  open(): Promise<Result<ReadableStream<Uint8Array>>>;
}

/** `order` is JSON of the kind's schema. */
export interface JobRequest {
  readonly kind: string;
  readonly tenant: string;
  readonly order: unknown;
  readonly files: readonly JobFile[];
  /** Counted from the start of the job. */
  readonly timeoutMs: number;
  readonly limits?: PacketLimits;
  readonly signal: AbortSignal;
}

/** An output file. */
export interface ReturnedFile extends PacketFile {
  readonly bytes: Uint8Array;
}

/** `body` is unchecked JSON. The files must be read in order; reading throws if the connection breaks. */
export interface JobReply {
  readonly body: unknown;
  /** Size of all files together. */
  readonly bytes: number;
  readonly files: AsyncIterable<ReturnedFile>;
}

/**
 * Runs a job. `sidecar` is null if none is configured. A failure has `happened` "no" if the job certainly did not start; it can be retried
 * if it says so. Never throws.
 */
export async function runJob(sidecar: Sidecar | null, request: JobRequest): Promise<Result<JobReply>> {
  if (sidecar === null)
    return notSent("not_available", "This needs the sidecar, which is not configured here (SIDECAR_SECRET).");
  const { kind, tenant, order, files, timeoutMs, signal } = request;
  if (!(await isUp(sidecar, signal)))
    return signal.aborted ? notSent("timeout", "It was cancelled before it was sent.") : failUnreachable();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + MARGIN_MS)]);
  const filesSha256 = await hashFiles(files, limit);
  if (!filesSha256.ok) return filesSha256;
  const head = headBytes({ body: order, files: files.map(({ path, size, mode }) => ({ path, size, mode })) });
  const ordered = { kind, tenant, head: await sha256Hex(head), filesSha256: filesSha256.value, timeoutMs };
  const token = await signJobOrder(sidecar.secret, ordered, Date.now());
  const byPath = new Map(files.map((file) => [file.path, file]));
  const failing: { failure: Result<never> | null } = { failure: null };
  let isComplete = false;
  try {
    // Node's fetch requires `duplex` for a stream; the Worker ignores it.
    const init: RequestInit & { readonly duplex: "half" } = {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body: toStream(
        notifyLast(
          streamPacket(head, files, ({ path }) => openFile(path, byPath, failing)),
          () => (isComplete = true),
        ),
      ),
      signal: limit,
      duplex: "half",
    };
    const response = await sidecar.fetch(`/jobs/${kind}`, init);
    if (response.status !== 200) return toFailure(response.status, await response.text());
    const packet = await openPacket(makePull(response.body), request.limits ?? LIMITS);
    const bytes = packet.head.files.reduce((sum, { size }) => sum + size, 0);
    return ok({ body: packet.head.body, bytes, files: readFiles(packet) });
  } catch {
    // A job starts only after its complete packet has arrived.
    if (failing.failure !== null) return failing.failure;
    if (!isComplete && limit.aborted)
      return notSent("timeout", "The time limit passed before all files of the job were sent.");
    if (!isComplete) return failUnreachable();
    if (limit.aborted) return maybeSent("timeout", "The sidecar did not finish the job in time.");
    return failLost();
  }
}

async function openFile(
  path: string,
  files: ReadonlyMap<string, JobFile>,
  failing: { failure: Result<never> | null },
): Promise<AsyncIterable<Uint8Array>> {
  const found = await files.get(path)?.open();
  if (found?.ok === true) return found.value;
  const failure = found?.error ?? { code: "not_found", message: `There is no file ${path}.` };
  failing.failure = asNotSent(failure);
  throw new Error(failure.message);
}

/** Computes the one hash of all files that the token covers. */
async function hashFiles(files: readonly JobFile[], limit: AbortSignal): Promise<Result<string>> {
  const hashes: string[] = [];
  for (const file of files) {
    const hash = file.sha256 === undefined ? await hashFile(file, limit) : ok(file.sha256);
    if (!hash.ok) return hash;
    hashes.push(hash.value);
  }
  return ok(await sha256Hex(joinHashes(hashes)));
}

async function hashFile(file: JobFile, limit: AbortSignal): Promise<Result<string>> {
  const found = await file.open();
  if (!found.ok) return asNotSent(found.error);
  const reader = found.value.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  limit.addEventListener("abort", giveUp, { once: true });
  try {
    const bytes = new Uint8Array(file.size);
    let at = 0;
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      bytes.set(read.value, at);
      at += read.value.length;
    }
    return at === file.size ? ok(await sha256Hex(bytes)) : failUnread(file.path, limit);
  } catch {
    // The file is larger than stated, or its store failed.
    return failUnread(file.path, limit);
  } finally {
    limit.removeEventListener("abort", giveUp);
  }
}

function failUnread(path: string, limit: AbortSignal): Result<never> {
  if (limit.aborted) return notSent("timeout", "The time limit passed before all files of the job were read.");
  return notSent("upstream_failed", `The file ${path} could not be read completely. Try again later.`);
}

async function* readFiles(packet: OpenPacket): AsyncGenerator<ReturnedFile> {
  for await (const { file, chunks } of packet.contents()) yield { ...file, bytes: await joinChunks(chunks, file.size) };
}

function toStream(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done === true) controller.close();
      else controller.enqueue(next.value);
    },
    async cancel() {
      await chunks.return(undefined);
    },
  });
}

/** Passes chunks through and calls `onLast` before the last one. */
async function* notifyLast(chunks: AsyncIterable<Uint8Array>, onLast: () => void): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | null = null;
  for await (const chunk of chunks) {
    if (held !== null) yield held;
    held = chunk;
  }
  onLast();
  if (held !== null) yield held;
}

function makePull(body: ReadableStream<Uint8Array> | null): Pull {
  const reader = body?.getReader();
  return async () => {
    const read = await reader?.read();
    return read?.value ?? null;
  };
}

/** Converts a failure reply of the sidecar. */
function toFailure(status: number, text: string): Result<never> {
  const refusal = readRefusal(status, text);
  if (refusal === null) return failLost();
  if (refusal.isTokenRefusal) return failUnreachable();
  const { code, message, field, retryAfterMs, isNotStarted } = refusal;
  const at = field === undefined ? {} : { field };
  const again = retryAfterMs ?? (isNotStarted && code === "rate_limited" ? RETRY_AFTER_MS : undefined);
  const more = { ...at, ...(again === undefined ? {} : { retryAfterMs: again }) };
  return (isNotStarted ? notSent : failed)(code, message, more);
}

function failLost(): Result<never> {
  return maybeSent("upstream_failed", "The connection to the sidecar was lost during the job.", {
    retryAfterMs: RETRY_AFTER_MS,
  });
}

function failUnreachable(): Result<never> {
  const message = "The service that does this work does not answer. Try again later.";
  return notSent("upstream_failed", message, { retryAfterMs: RETRY_AFTER_MS });
}
