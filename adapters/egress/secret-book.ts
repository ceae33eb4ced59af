/**
 * The secrets of a request's tenant during the request. A request that refers to a secret reads them first. Others read
 * them concurrently, because a reply can contain a value that an earlier request left there.
 */
import { asNotSent, type Failure, ok, type Result, isNotSent } from "../../core/base/errors.ts";
import { isHostListed } from "../../core/web/host-pattern.ts";
import type { WebResponse, WebStream } from "../../core/ports/web.ts";
import type { SecretsPort, TenantSecret } from "../../core/ports/secrets.ts";
import { MAX_VALUE_BYTES } from "../../core/secrets/tenant-secret.ts";
import { MAX_ESCAPE_BYTES, type Redactor } from "../../core/web/redact-secrets.ts";
import { redactBody, redactBytes } from "./redact-body.ts";
import { RedactorCache } from "./redactors.ts";

/** Maximum age of the list for a request that refers to a secret; later changes apply. */
const MAX_AGE_MS = 5_000;
/** Maximum age for a request that does not. */
const MAX_AGE_TO_SEARCH_MS = 60_000;
/** How long each of them waits for the list. */
const PATIENCE_MS = 5_000;
const PATIENCE_TO_SEARCH_MS = 500;

/** Bytes read beyond the limit of a body, so that a value that starts inside the limit is complete and found. */
export const MARGIN_BYTES = MAX_VALUE_BYTES * MAX_ESCAPE_BYTES;

/** A value that is removed from replies, and that no URL of a stranger may carry to other hosts. */
export type BoundValue = Pick<TenantSecret, "name" | "hosts"> & { readonly value: string };

export interface SecretBook {
  /** The secrets that the request may refer to; empty without references. */
  readonly named: readonly TenantSecret[];
  /** Returns the secret whose value is in this URL although the secret is not bound to it; null without one. */
  findStray(url: URL): Promise<string | null>;
  /** Adds values that the request carries, besides the tenant's secrets. */
  add(values: readonly BoundValue[]): void;
  /** Redacts a reply. */
  redactor(): Promise<Redactor>;
  /** The redacted outcome, its body at most `maxBytes` long. */
  redact(outcome: Result<WebResponse>, maxBytes: number): Promise<Result<WebResponse>>;
  /** The same for a streamed reply; its body fails beyond `maxBytes`. */
  redactStream(outcome: Result<WebStream>, maxBytes: number): Promise<Result<WebStream>>;
}

/** `refers`: the request refers to secrets; then fails when they cannot be read. */
export async function openSecretBook(secrets: SecretsPort, refers: boolean): Promise<Result<SecretBook>> {
  if (refers) {
    const read = await secrets.all(MAX_AGE_MS, PATIENCE_MS);
    if (!read.ok) return asNotSent(read.error);
    return ok(createBook(read.value, () => Promise.resolve(read.value)));
  }
  const reading = secrets.all(MAX_AGE_TO_SEARCH_MS, PATIENCE_TO_SEARCH_MS);
  return ok(
    createBook([], async () => {
      const read = await reading;
      return read.ok ? read.value : [];
    }),
  );
}

function createBook(named: readonly TenantSecret[], read: () => Promise<readonly TenantSecret[]>): SecretBook {
  const added: BoundValue[] = [];
  const known = async (): Promise<readonly TenantSecret[]> => [...added, ...(await read())];
  return {
    named,
    add: (values) => added.push(...values),
    async findStray(url) {
      const secrets = await known();
      const strangers = new Set(secrets.filter(({ hosts }) => !isHostListed(url, hosts)).map(({ name }) => name));
      return (
        getRedactor(secrets)
          .foundIn(url.href)
          .find((name) => strangers.has(name)) ?? null
      );
    },
    redactor: async () => getRedactor(await known()),
    async redact(outcome, maxBytes) {
      // A failure before any reply contains no value.
      if (!outcome.ok && isNotSent(outcome.error)) return outcome;
      const redactor = getRedactor(await known());
      if (outcome.ok) return ok(await redactReply(outcome.value, redactor, maxBytes));
      return { ok: false, error: redactFailure(outcome.error, redactor) };
    },
    async redactStream(outcome, maxBytes) {
      if (!outcome.ok && isNotSent(outcome.error)) return outcome;
      const redactor = getRedactor(await known());
      if (!outcome.ok) return { ok: false, error: redactFailure(outcome.error, redactor) };
      const { status, headers, body } = outcome.value;
      return ok({ status, headers: redactHeaders(headers, redactor), body: redactBody(body, redactor, maxBytes) });
    },
  };
}

const shelf = new RedactorCache();

function getRedactor(secrets: readonly TenantSecret[]): Redactor {
  return shelf.get(secrets, Date.now());
}

async function redactReply(reply: WebResponse, redactor: Redactor, maxBytes: number): Promise<WebResponse> {
  const body = await redactBytes(reply.body, redactor, maxBytes);
  return {
    ...reply,
    url: redactor.text(reply.url),
    headers: redactHeaders(reply.headers, redactor),
    body: body.subarray(0, maxBytes),
    truncated: reply.truncated || Math.max(reply.body.length, body.length) > maxBytes,
  };
}

function redactHeaders(headers: WebStream["headers"], redactor: Redactor): WebStream["headers"] {
  return headers.map(([name, value]) => [redactor.text(name), redactor.text(value)] as const);
}

function redactFailure(error: Failure, redactor: Redactor): Failure {
  return { ...error, message: redactor.text(error.message) };
}
