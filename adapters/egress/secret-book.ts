/**
 * The secrets of a request's tenant while the request is made. One that refers to a secret has them read first. For any
 * other they are read while it is on its way, because a reply can hold a value that an earlier request left there.
 */
import { asNotSent, type Failure, ok, type Result, isNotSent } from "../../core/base/errors.ts";
import { isHostListed } from "../../core/web/host-pattern.ts";
import type { WebResponse, WebStream } from "../../core/ports/web.ts";
import type { SecretsPort, TenantSecret } from "../../core/ports/secrets.ts";
import { MAX_VALUE_BYTES } from "../../core/secrets/tenant-secret.ts";
import { MAX_ESCAPE_BYTES, type Redactor } from "../../core/web/redact-secrets.ts";
import { redactBody } from "./redact-body.ts";
import { RedactorShelf } from "./redactors.ts";

/** How old the list may be for a request that refers to a secret: a change holds everywhere after it. */
const MAX_AGE_MS = 5_000;
/** How old it may be for one that does not. */
const MAX_AGE_TO_SEARCH_MS = 60_000;
/** How long each of them waits for the list. */
const PATIENCE_MS = 5_000;
const PATIENCE_TO_SEARCH_MS = 500;

/** So many bytes beyond its limit are read of a body: a value that begins inside the limit is then whole, and is found. */
export const MARGIN_BYTES = MAX_VALUE_BYTES * MAX_ESCAPE_BYTES;

export interface SecretBook {
  /** What the request may refer to; empty when it refers to nothing. */
  readonly named: readonly TenantSecret[];
  /** A secret whose value stands in this URL, which is none of its hosts'; null: none does. */
  strayIn(url: URL): Promise<string | null>;
  /** What takes the values out of whatever comes back. */
  redactor(): Promise<Redactor>;
  /** The outcome without a value, its body at most `maxBytes` long. */
  redact(outcome: Result<WebResponse>, maxBytes: number): Promise<Result<WebResponse>>;
  /** The same of a reply that is still coming; its body fails beyond `maxBytes`. */
  redactStream(outcome: Result<WebStream>, maxBytes: number): Promise<Result<WebStream>>;
}

/** `refers`: the request refers to secrets; fails then when they cannot be read. */
export async function openSecretBook(secrets: SecretsPort, refers: boolean): Promise<Result<SecretBook>> {
  if (refers) {
    const read = await secrets.all(MAX_AGE_MS, PATIENCE_MS);
    if (!read.ok) return asNotSent(read.error);
    return ok(bookOf(read.value, () => Promise.resolve(read.value)));
  }
  const reading = secrets.all(MAX_AGE_TO_SEARCH_MS, PATIENCE_TO_SEARCH_MS);
  return ok(
    bookOf([], async () => {
      const read = await reading;
      return read.ok ? read.value : [];
    }),
  );
}

function bookOf(named: readonly TenantSecret[], known: () => Promise<readonly TenantSecret[]>): SecretBook {
  return {
    named,
    async strayIn(url) {
      const secrets = await known();
      const strangers = new Set(secrets.filter(({ hosts }) => !isHostListed(url, hosts)).map(({ name }) => name));
      return (
        redactorOf(secrets)
          .foundIn(url.href)
          .find((name) => strangers.has(name)) ?? null
      );
    },
    redactor: async () => redactorOf(await known()),
    async redact(outcome, maxBytes) {
      // What was said before anything came back has no value in it.
      if (!outcome.ok && isNotSent(outcome.error)) return outcome;
      const redactor = redactorOf(await known());
      if (outcome.ok) return ok(redactReply(outcome.value, redactor, maxBytes));
      return { ok: false, error: redactFailure(outcome.error, redactor) };
    },
    async redactStream(outcome, maxBytes) {
      if (!outcome.ok && isNotSent(outcome.error)) return outcome;
      const redactor = redactorOf(await known());
      if (!outcome.ok) return { ok: false, error: redactFailure(outcome.error, redactor) };
      const { status, headers, body } = outcome.value;
      return ok({ status, headers: redactHeaders(headers, redactor), body: redactBody(body, redactor, maxBytes) });
    },
  };
}

const shelf = new RedactorShelf();

function redactorOf(secrets: readonly TenantSecret[]): Redactor {
  return shelf.get(secrets, Date.now());
}

function redactReply(reply: WebResponse, redactor: Redactor, maxBytes: number): WebResponse {
  const body = redactor.bytes(reply.body);
  return {
    ...reply,
    url: redactor.text(reply.url),
    headers: redactHeaders(reply.headers, redactor),
    body: body.subarray(0, maxBytes),
    truncated: reply.truncated || reply.body.length > maxBytes,
  };
}

function redactHeaders(headers: WebStream["headers"], redactor: Redactor): WebStream["headers"] {
  return headers.map(([name, value]) => [redactor.text(name), redactor.text(value)] as const);
}

function redactFailure(error: Failure, redactor: Redactor): Failure {
  return { ...error, message: redactor.text(error.message) };
}
