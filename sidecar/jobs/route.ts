/**
 * `POST /jobs/<kind>` queues a job, writes the files of its packet to a folder, runs it, and returns its result as a packet. The folder
 * is always removed afterwards.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { lstat, mkdir, mkdtemp, open } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  headBytes,
  type OpenPacket,
  openPacket,
  streamPacket,
  PacketError,
  type PacketFile,
} from "../../adapters/sidecar/packet.ts";
import { ERRORS } from "../../core/base/errors.ts";
import { getErrorCode } from "../cage/failures.ts";
import { removeTree } from "../cage/folders.ts";
import { sendJson, sendTooMany } from "../reply.ts";
import { type JobOrder, requireFiles } from "../token.ts";
import type { JobOutcome, CheckedJobKind } from "./job.ts";
import { makeJobQueue } from "./job-queue.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Runs the job that a token orders. */
export type JobRoute = (order: JobOrder, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** `folder` contains the folders of the jobs. */
export function makeJobRoute(kinds: readonly CheckedJobKind[], folder: string): JobRoute {
  const queues = new Map(kinds.map((kind) => [kind.name, { kind, queue: makeJobQueue(kind.maxConcurrent) }]));

  return async function jobRoute(order, request, response) {
    const found = queues.get(order.kind);
    if (found === undefined) return refuse(request, response, 404, "not_found", `Unknown job kind "${order.kind}".`);
    const disconnected = new AbortController();
    response.on("close", () => disconnected.abort());
    const admission = await found.queue.admit(order.tenant, disconnected.signal);
    if (!admission.ok) {
      request.resume();
      return sendTooMany(response, admission.message);
    }
    try {
      await serveJob(found.kind, order, folder, { request, response, disconnected: disconnected.signal });
    } finally {
      admission.release();
    }
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly disconnected: AbortSignal;
}

async function serveJob(kind: CheckedJobKind, order: JobOrder, parent: string, exchange: Exchange): Promise<void> {
  const { request, response, disconnected } = exchange;
  const signal = AbortSignal.any([disconnected, AbortSignal.timeout(order.timeout_ms)]);
  let folder: string | null = null;
  try {
    folder = await mkdir(parent, { recursive: true, mode: FOLDER_MODE })
      .then(() => mkdtemp(join(parent, "job-")))
      .catch(refuseStorage);
    const packet = await receive(order, kind, join(folder, "in"), request, signal);
    const { tenant } = order;
    const job = { tenant, order: packet.head.body, folder, files: packet.head.files, signal };
    const outcome = await kind.perform(job);
    if (outcome.ok) await sendResult(response, outcome);
    else sendFailure(response, outcome);
  } catch (error) {
    if (disconnected.aborted) return;
    if (error instanceof StorageFailure) console.error("a job did not start:", error.message);
    else if (!(error instanceof PacketError)) throw error;
    refuse(request, response, ERRORS[error.code].status, error.code, error.message);
  } finally {
    if (folder !== null) await removeTree(folder);
  }
}

/** Writing a folder or a file failed, for example because the disk is full. */
class StorageFailure extends Error {
  readonly code = "upstream_failed";
}

function refuseStorage(error: unknown): never {
  throw new StorageFailure(`The sidecar cannot store the job's files (${getErrorCode(error)}). Nothing was started.`);
}

/** Receives a packet and writes its files below `into`. Throws `PacketError` and `StorageFailure`. */
async function receive(
  order: JobOrder,
  { maxFiles, maxBytes }: CheckedJobKind,
  into: string,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<OpenPacket> {
  const destroyRequest = () => request.destroy();
  signal.addEventListener("abort", destroyRequest, { once: true });
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pull = async () => {
    const next = await chunks.next();
    return next.done === true ? null : next.value;
  };
  const packet = await openPacket(pull, { files: maxFiles, bytes: maxBytes });
  if (createHash("sha256").update(packet.headBytes).digest("hex") !== order.head)
    throw new PacketError("invalid_input", "The packet does not match the token.");
  await mkdir(into, { mode: FOLDER_MODE }).catch(refuseStorage);
  const hashes: string[] = [];
  for await (const { file, chunks: bytes } of packet.contents()) hashes.push(await writeFile(into, file, bytes));
  requireFiles(order, hashes);
  signal.removeEventListener("abort", destroyRequest);
  return packet;
}

/** Returns the SHA-256 of the file in hex. */
async function writeFile(into: string, file: PacketFile, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const path = join(into, file.path);
  const parent = dirname(path);
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE }).catch(toPacketError(file));
  // "wx" refuses an existing path. There can be no link, since only this function writes to the folder.
  const handle = await open(path, "wx", FILE_MODE).catch(toPacketError(file));
  const hash = createHash("sha256");
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await handle.write(chunk).catch(refuseStorage);
    }
  } finally {
    await handle.close();
  }
  return hash.digest("hex");
}

/** Maps conflicting and invalid paths to a `PacketError`, everything else to a `StorageFailure`. */
function toPacketError({ path }: PacketFile): (error: unknown) => never {
  return (error) => {
    const code = getErrorCode(error);
    if (!/^(EEXIST|ENOTDIR|EISDIR|ENAMETOOLONG|EILSEQ|EINVAL)$/.test(code)) return refuseStorage(error);
    throw new PacketError(
      "invalid_input",
      `The file ${path} conflicts with another path or has an invalid name (${code}).`,
    );
  };
}

async function sendResult(response: ServerResponse, outcome: Extract<JobOutcome, { ok: true }>): Promise<void> {
  const { body, files = [] } = outcome;
  const from = new Map(files.map((file) => [file.path, file.from]));
  const listed: PacketFile[] = [];
  for (const { path, mode, from: source } of files) {
    const found = await lstat(source);
    if (!found.isFile()) throw new Error("a result is not a file");
    listed.push({ path, size: found.size, ...(mode === undefined ? {} : { mode }) });
  }
  const head = headBytes({ body, files: listed });
  response.writeHead(200, { "content-type": "application/octet-stream" });
  const chunks = streamPacket(head, listed, ({ path }) => createReadStream(from.get(path) ?? ""));
  await pipeline(Readable.from(chunks, { objectMode: false }), response);
}

function sendFailure(response: ServerResponse, outcome: Extract<JobOutcome, { ok: false }>): void {
  const { code, message, field, retryAfterMs, started } = outcome;
  sendJson(response, ERRORS[code].status, {
    code,
    message,
    field,
    retry_after_ms: retryAfterMs,
    sent: started !== false,
  });
}

/** Refuses a job that did not start, and discards the rest of its request. */
function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
): void {
  request.resume();
  sendJson(response, status, { code, message, sent: false });
}
