/** A job of the sidecar, as the Worker orders it: a packet goes out, a packet comes back, and both stream. */
import { asNotSent, failed, maybeSent, notSent, ok, type Result } from "../../core/base/errors.ts";
import { signJobOrder } from "./token.ts";
import {
  headBytes,
  joined,
  type OpenPacket,
  openPacket,
  packetChunks,
  type PacketFile,
  type PacketLimits,
  type Pull,
  textOfHashes,
} from "./packet.ts";
import { readRefusal } from "./refusal.ts";
import { isUp, type Sidecar } from "./sidecar.ts";
import { sha256Hex } from "../../core/base/sha256.ts";

/** What the sidecar takes beyond the time of the job itself: waiting for a place, and what comes and goes. */
const MARGIN_MS = 45_000;
const AGAIN_AFTER_MS = 1_000;
/** Of what comes back, where the caller says nothing else. An isolate has 128 MB. */
const LIMITS: PacketLimits = { files: 10_000, bytes: 64 * 1024 * 1024 };

/**
 * A file that goes with a job. `open` gives exactly `size` bytes. Without `sha256` the file is opened twice and held in memory once,
 * to be hashed before it is sent: state the hash of a large one.
 */
export interface JobFile extends PacketFile {
  /** Of its bytes, lower-case hex. */
  readonly sha256?: string | undefined;
  open(): Promise<Result<ReadableStream<Uint8Array>>>;
}

/** `order` is JSON, of the shape that its kind takes. */
export interface JobRequest {
  readonly kind: string;
  readonly tenant: string;
  readonly order: unknown;
  readonly files: readonly JobFile[];
  /** From the moment when the job begins. */
  readonly timeoutMs: number;
  readonly limits?: PacketLimits;
  readonly signal: AbortSignal;
}

/** A file that came back. */
export interface ReturnedFile extends PacketFile {
  readonly bytes: Uint8Array;
}

/** `body` is JSON, to be checked. The files have to be read, in their order; reading throws when the connection breaks. */
export interface JobReply {
  readonly body: unknown;
  /** Of all files together. */
  readonly bytes: number;
  readonly files: AsyncIterable<ReturnedFile>;
}

/**
 * Has the sidecar do a job. `sidecar` is null when none is configured. A failure has `happened` "no" when the job surely did not
 * begin, and then is worth another try where it says so. Never throws.
 */
export async function runJob(sidecar: Sidecar | null, request: JobRequest): Promise<Result<JobReply>> {
  if (sidecar === null)
    return notSent("not_available", "This needs the sidecar, and none is set up here (SIDECAR_SECRET).");
  const { kind, tenant, order, files, timeoutMs, signal } = request;
  if (!(await isUp(sidecar, signal)))
    return signal.aborted ? notSent("timeout", "It was given up before it was ordered.") : unreachable();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs + MARGIN_MS)]);
  const filesSha256 = await hashOfAll(files, limit);
  if (!filesSha256.ok) return filesSha256;
  const head = headBytes({ body: order, files: files.map(({ path, size, mode }) => ({ path, size, mode })) });
  const ordered = { kind, tenant, head: await sha256Hex(head), filesSha256: filesSha256.value, timeoutMs };
  const token = await signJobOrder(sidecar.secret, ordered, Date.now());
  const byPath = new Map(files.map((file) => [file.path, file]));
  const failing: { failure: Result<never> | null } = { failure: null };
  let isWhole = false;
  try {
    // Node's fetch takes a stream only with `duplex`, which means nothing in the Worker.
    const init: RequestInit & { readonly duplex: "half" } = {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" },
      body: streamOf(
        tellingLast(
          packetChunks(head, files, ({ path }) => opened(path, byPath, failing)),
          () => (isWhole = true),
        ),
      ),
      signal: limit,
      duplex: "half",
    };
    const response = await sidecar.fetch(`/jobs/${kind}`, init);
    if (response.status !== 200) return refusalOf(response.status, await response.text());
    const packet = await openPacket(pullOf(response.body), request.limits ?? LIMITS);
    const bytes = packet.head.files.reduce((sum, { size }) => sum + size, 0);
    return ok({ body: packet.head.body, bytes, files: filesOf(packet) });
  } catch {
    // A job begins with a whole packet, and never with a part of one.
    if (failing.failure !== null) return failing.failure;
    if (!isWhole && limit.aborted) return notSent("timeout", "The time was up before all files of the job were sent.");
    if (!isWhole) return unreachable();
    if (limit.aborted) return maybeSent("timeout", "The sidecar did not end the job in time.");
    return lost();
  }
}

async function opened(
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

/** One hash for all files, which the token covers. */
async function hashOfAll(files: readonly JobFile[], limit: AbortSignal): Promise<Result<string>> {
  const hashes: string[] = [];
  for (const file of files) {
    const hash = file.sha256 === undefined ? await hashOf(file, limit) : ok(file.sha256);
    if (!hash.ok) return hash;
    hashes.push(hash.value);
  }
  return ok(await sha256Hex(textOfHashes(hashes)));
}

async function hashOf(file: JobFile, limit: AbortSignal): Promise<Result<string>> {
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
    return at === file.size ? ok(await sha256Hex(bytes)) : unread(file.path, limit);
  } catch {
    // It holds more bytes than it states, or its store went away.
    return unread(file.path, limit);
  } finally {
    limit.removeEventListener("abort", giveUp);
  }
}

function unread(path: string, limit: AbortSignal): Result<never> {
  if (limit.aborted) return notSent("timeout", "The time was up before all files of the job were read.");
  return notSent("upstream_failed", `The file ${path} could not be read whole. Try again later.`);
}

async function* filesOf(packet: OpenPacket): AsyncGenerator<ReturnedFile> {
  for await (const { file, chunks } of packet.contents()) yield { ...file, bytes: await joined(chunks, file.size) };
}

function streamOf(chunks: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
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

/** The same chunks. `onLast` is called before the last one leaves. */
async function* tellingLast(chunks: AsyncIterable<Uint8Array>, onLast: () => void): AsyncGenerator<Uint8Array> {
  let held: Uint8Array | null = null;
  for await (const chunk of chunks) {
    if (held !== null) yield held;
    held = chunk;
  }
  onLast();
  if (held !== null) yield held;
}

function pullOf(body: ReadableStream<Uint8Array> | null): Pull {
  const reader = body?.getReader();
  return async () => {
    const read = await reader?.read();
    return read?.value ?? null;
  };
}

/** What the sidecar answers instead of a result. */
function refusalOf(status: number, text: string): Result<never> {
  const refusal = readRefusal(status, text);
  if (refusal === null) return lost();
  if (refusal.isOfTheDoor) return unreachable();
  const { code, message, field, retryAfterMs, surelyNotBegun } = refusal;
  const at = field === undefined ? {} : { field };
  const again = retryAfterMs ?? (surelyNotBegun && code === "rate_limited" ? AGAIN_AFTER_MS : undefined);
  const more = { ...at, ...(again === undefined ? {} : { retryAfterMs: again }) };
  return (surelyNotBegun ? notSent : failed)(code, message, more);
}

function lost(): Result<never> {
  return maybeSent("upstream_failed", "The connection to the sidecar was lost during the job.", {
    retryAfterMs: AGAIN_AFTER_MS,
  });
}

function unreachable(): Result<never> {
  const message = "The service that does this work does not answer. Try again later.";
  return notSent("upstream_failed", message, { retryAfterMs: AGAIN_AFTER_MS });
}
