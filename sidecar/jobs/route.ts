/**
 * `POST /jobs/<kind>`: a packet comes, the job waits for its turn, its files are laid out in a folder of its own, it runs,
 * and its result goes back as a packet. Whatever happens, the folder is gone afterwards.
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
  packetChunks,
  PacketError,
  type PacketFile,
} from "../../adapters/sidecar/packet.ts";
import { ERRORS } from "../../core/base/errors.ts";
import { codeOf } from "../cage/failures.ts";
import { removeTree } from "../cage/folders.ts";
import { sendJson, sendTooMany } from "../reply.ts";
import { type JobOrder, requireFiles } from "../token.ts";
import type { JobOutcome, ReadyJobKind } from "./job.ts";
import { makeWaitingRoom } from "./job-queue.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Does the job that a token orders. */
export type JobRoute = (order: JobOrder, request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** `folder` is where the jobs' own folders are made. */
export function makeJobRoute(kinds: readonly ReadyJobKind[], folder: string): JobRoute {
  const rooms = new Map(kinds.map((kind) => [kind.name, { kind, room: makeWaitingRoom(kind.atOnce) }]));

  return async function jobRoute(order, request, response) {
    const found = rooms.get(order.kind);
    if (found === undefined) return refuse(request, response, 404, "not_found", `There are no jobs "${order.kind}".`);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const entry = await found.room.enter(order.tenant, gone.signal);
    if (!entry.ok) {
      request.resume();
      return sendTooMany(response, entry.message);
    }
    try {
      await serveJob(found.kind, order, folder, { request, response, gone: gone.signal });
    } finally {
      entry.leave();
    }
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly gone: AbortSignal;
}

async function serveJob(kind: ReadyJobKind, order: JobOrder, parent: string, exchange: Exchange): Promise<void> {
  const { request, response, gone } = exchange;
  const signal = AbortSignal.any([gone, AbortSignal.timeout(order.timeout_ms)]);
  let folder: string | null = null;
  try {
    folder = await mkdir(parent, { recursive: true, mode: FOLDER_MODE })
      .then(() => mkdtemp(join(parent, "job-")))
      .catch(noRoom);
    const packet = await receive(order, kind, join(folder, "in"), request, signal);
    const { tenant } = order;
    const job = { tenant, order: packet.head.body, folder, files: packet.head.files, signal };
    const outcome = await kind.perform(job);
    if (outcome.ok) await sendResult(response, outcome);
    else sendFailure(response, outcome);
  } catch (error) {
    if (gone.aborted) return;
    if (error instanceof NoRoom) console.error("a job did not begin:", error.message);
    else if (!(error instanceof PacketError)) throw error;
    refuse(request, response, ERRORS[error.code].status, error.code, error.message);
  } finally {
    if (folder !== null) await removeTree(folder);
  }
}

/** The disk took no folder or no file: it is full, say. */
class NoRoom extends Error {
  readonly code = "upstream_failed";
}

function noRoom(error: unknown): never {
  throw new NoRoom(`The sidecar has no room for the job's files (${codeOf(error)}). Nothing was begun.`);
}

/** Takes what came, and lays its files out below `into`. Throws `PacketError` and `NoRoom`. */
async function receive(
  order: JobOrder,
  { maxFiles, maxBytes }: ReadyJobKind,
  into: string,
  request: IncomingMessage,
  signal: AbortSignal,
): Promise<OpenPacket> {
  const giveUp = () => request.destroy();
  signal.addEventListener("abort", giveUp, { once: true });
  const chunks = (request as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  const pull = async () => {
    const next = await chunks.next();
    return next.done === true ? null : next.value;
  };
  const packet = await openPacket(pull, { files: maxFiles, bytes: maxBytes });
  if (createHash("sha256").update(packet.headBytes).digest("hex") !== order.head)
    throw new PacketError("invalid_input", "The packet is not the one that was ordered.");
  await mkdir(into, { mode: FOLDER_MODE }).catch(noRoom);
  const hashes: string[] = [];
  for await (const { file, chunks: bytes } of packet.contents()) hashes.push(await layOut(into, file, bytes));
  requireFiles(order, hashes);
  signal.removeEventListener("abort", giveUp);
  return packet;
}

/** Gives the SHA-256 of the file in hex. */
async function layOut(into: string, file: PacketFile, bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const path = join(into, file.path);
  const parent = dirname(path);
  await mkdir(parent, { recursive: true, mode: FOLDER_MODE }).catch(toPacketError(file));
  // A link cannot stand there, since nothing but this made the folder; "wx" refuses what stands there all the same.
  const handle = await open(path, "wx", FILE_MODE).catch(toPacketError(file));
  const hash = createHash("sha256");
  try {
    for await (const chunk of bytes) {
      hash.update(chunk);
      await handle.write(chunk).catch(noRoom);
    }
  } finally {
    await handle.close();
  }
  return hash.digest("hex");
}

/** A file where another path needs a folder, and names that the disk does not take. */
function toPacketError({ path }: PacketFile): (error: unknown) => never {
  return (error) => {
    const code = codeOf(error);
    if (!/^(EEXIST|ENOTDIR|EISDIR|ENAMETOOLONG|EILSEQ|EINVAL)$/.test(code)) return noRoom(error);
    throw new PacketError("invalid_input", `There can be no file ${path} beside the others (${code}).`);
  };
}

async function sendResult(response: ServerResponse, outcome: Extract<JobOutcome, { ok: true }>): Promise<void> {
  const { body, files = [] } = outcome;
  const from = new Map(files.map((file) => [file.path, file.from]));
  const listed: PacketFile[] = [];
  for (const { path, mode, from: place } of files) {
    const found = await lstat(place);
    if (!found.isFile()) throw new Error("a result that is no file");
    listed.push({ path, size: found.size, ...(mode === undefined ? {} : { mode }) });
  }
  const head = headBytes({ body, files: listed });
  response.writeHead(200, { "content-type": "application/octet-stream" });
  const chunks = packetChunks(head, listed, ({ path }) => createReadStream(from.get(path) ?? ""));
  await pipeline(Readable.from(chunks, { objectMode: false }), response);
}

function sendFailure(response: ServerResponse, outcome: Extract<JobOutcome, { ok: false }>): void {
  const { code, message, field, retryAfterMs, began } = outcome;
  sendJson(response, ERRORS[code].status, {
    code,
    message,
    field,
    retry_after_ms: retryAfterMs,
    sent: began !== false,
  });
}

/** The job did not begin. What still comes is not read, but for what the other side has sent meanwhile. */
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
