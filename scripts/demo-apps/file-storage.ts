/** Files on their way to and from actions: signed addresses of this server in the place of a storage service. */
import { createHash, randomUUID } from "node:crypto";
import type { FileCreatePresignedURLResponse } from "@composio/client/resources/files";
import { type Faults, takeFileFault } from "./faults.ts";

const LIFETIME_MS = 3_600_000;
const MAX_FILES = 100;
/** More than Otto fetches. */
const OVERSIZE_BYTES = 52_428_801;
/** Addresses that egress never reaches. */
const METADATA = { storage_backend: "s3" } as const;
const PRIVATE_ORIGIN = "https://10.1.2.3";
const METADATA_URL = "http://169.254.169.254/latest/meta-data/";

interface StoredFile {
  readonly key: string;
  readonly name: string;
  readonly mimetype: string;
  readonly expiresAt: number;
  /** Of the announced bytes; null for a file of an action. */
  readonly md5: string | null;
  /** Null until they are put. */
  bytes: Uint8Array | null;
}

export interface FileContent {
  readonly name: string;
  readonly mimetype: string;
  readonly bytes: Uint8Array;
}

export type StorageReply =
  | { readonly kind: "json"; readonly status: number; readonly body: unknown }
  | { readonly kind: "redirect"; readonly to: string }
  | {
      readonly kind: "bytes";
      readonly status: number;
      readonly contentType: string;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: "no_reply"; readonly how: "hang" | "cut" };

export interface FileStorage {
  /** Of this server, as its callers reach it. */
  origin: string;
  requestUpload(body: unknown): StorageReply;
  /** Answers a request of `/storage/{token}`. */
  answer(method: string, token: string, bytes: Uint8Array): StorageReply;
  /** The uploaded file; null if no bytes came. */
  find(key: string): FileContent | null;
  /** A signed link to a file of an action. */
  link(content: FileContent): string;
}

export function openFileStorage(faults: Faults, now: () => number): FileStorage {
  const byToken = new Map<string, StoredFile>();

  function store(file: Omit<StoredFile, "expiresAt">): string {
    const token = randomUUID();
    byToken.set(token, { ...file, expiresAt: now() + LIFETIME_MS });
    const [oldest] = byToken.keys();
    if (byToken.size > MAX_FILES && oldest !== undefined) byToken.delete(oldest);
    return token;
  }

  const storage: FileStorage = {
    origin: "http://127.0.0.1",
    requestUpload(body) {
      const fault = takeFileFault(faults, ["upload_refused", "upload_limited", "upload_private"]);
      if (fault === "upload_refused") return refuse(500, "Internal server error");
      if (fault === "upload_limited") return refuse(429, "Rate limit exceeded");
      const { toolkit_slug: app, tool_slug: action, filename, mimetype, md5 } = body as Record<string, unknown>;
      const texts = [app, action, filename, mimetype, md5];
      if (!texts.every((text) => typeof text === "string" && text !== "")) return refuse(400, "Fields are missing");
      const id = randomUUID().slice(0, 8);
      const key = `demo/${String(app)}/${String(action)}/${id}/${String(filename)}`;
      const token = store({ key, name: String(filename), mimetype: String(mimetype), md5: String(md5), bytes: null });
      const origin = fault === "upload_private" ? PRIVATE_ORIGIN : storage.origin;
      const url = `${origin}/storage/${token}?signature=canary-signature`;
      const reply = { id, key, new_presigned_url: url, newPresignedUrl: url, type: "new", metadata: METADATA } as const;
      return { kind: "json", status: 200, body: reply satisfies FileCreatePresignedURLResponse };
    },
    answer(method, token, bytes) {
      const file = byToken.get(token);
      if (file === undefined || file.expiresAt < now()) return refuse(403, "Request has expired");
      return method === "PUT" ? put(faults, file, bytes) : get(faults, file);
    },
    find(key) {
      const file = [...byToken.values()].find((one) => one.key === key);
      return file?.bytes == null ? null : { name: file.name, mimetype: file.mimetype, bytes: file.bytes };
    },
    link(content) {
      const token = store({ key: `demo/${randomUUID()}`, md5: null, ...content });
      const origin = takeFileFault(faults, ["get_private"]) === null ? storage.origin : PRIVATE_ORIGIN;
      return `${origin}/storage/${token}?signature=canary-signature`;
    },
  };
  return storage;
}

function put(faults: Faults, file: StoredFile, bytes: Uint8Array): StorageReply {
  const fault = takeFileFault(faults, ["put_forbidden", "put_digest", "put_hang"]);
  if (fault === "put_hang") return { kind: "no_reply", how: "hang" };
  if (fault === "put_forbidden") return refuse(403, "Request has expired");
  const digest = createHash("md5").update(bytes).digest("hex");
  if (fault === "put_digest" || digest !== file.md5) return refuse(400, "BadDigest");
  file.bytes = bytes;
  return { kind: "json", status: 200, body: {} };
}

function get(faults: Faults, file: StoredFile): StorageReply {
  const fault = takeFileFault(faults, ["get_expired", "get_redirect", "get_oversize", "get_hang"]);
  if (fault === "get_hang") return { kind: "no_reply", how: "hang" };
  if (fault === "get_redirect") return { kind: "redirect", to: METADATA_URL };
  if (fault === "get_expired" || file.bytes === null) return refuse(403, "Request has expired");
  const whole = { kind: "bytes", status: 200, contentType: file.mimetype, bytes: file.bytes } as const;
  return fault === "get_oversize" ? { ...whole, bytes: new Uint8Array(OVERSIZE_BYTES) } : whole;
}

function refuse(status: number, message: string): StorageReply {
  return { kind: "json", status, body: { error: { message, status } } };
}
