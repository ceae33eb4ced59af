/**
 * A job: one bounded piece of work for a tenant, with files that go in and files that come back. A kind of job is written
 * with `defineJob` and listed in `kinds.ts`.
 */
import { z } from "zod";
import type { PacketFile } from "../../adapters/sidecar/packet.ts";
import type { ErrorCode, Failure } from "../../core/base/errors.ts";

/** A job under way. */
export interface Job<Order> {
  readonly tenant: string;
  readonly order: Order;
  /** The job's own folder, absolute. It is removed when the job is over, whatever happened. The files that came stand below `in/`. */
  readonly folder: string;
  readonly files: readonly PacketFile[];
  /** The caller went away, or the time is up. */
  readonly signal: AbortSignal;
}

/** How a job ended. `body` is JSON; `from` is the absolute path of a file below the job's folder, which comes back as `path`. */
export type JobOutcome =
  | {
      readonly ok: true;
      readonly body: unknown;
      readonly files?: readonly { readonly path: string; readonly mode?: number; readonly from: string }[];
    }
  | {
      readonly ok: false;
      readonly code: ErrorCode;
      readonly message: string;
      readonly field?: string;
      /** Another try of the same order may succeed, after this at the earliest. */
      readonly retryAfterMs?: number;
      /** Nothing was begun. */
      readonly began?: false;
    };

/** The outcome of a job that failed with this, its retry included. */
export function failJob({ code, message, field, retryAfterMs }: Failure): JobOutcome {
  return {
    ok: false,
    code,
    message,
    ...(field === undefined ? {} : { field }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** What is common to all jobs of a kind. */
interface JobLimits {
  /** In the address, `POST /jobs/<name>`, and in the token. */
  readonly name: string;
  /** So many run at once. */
  readonly atOnce: number;
  /** Of the files that go in, all together. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** A kind of job as it is written. `run` gives what can be expected to go wrong as an outcome. */
export interface JobKind<Order> extends JobLimits {
  readonly order: z.ZodType<Order>;
  run(job: Job<Order>): Promise<JobOutcome>;
}

/** A kind of job as the desk has it: it checks its orders itself. */
export interface ReadyJobKind extends JobLimits {
  perform(job: Job<unknown>): Promise<JobOutcome>;
}

/** Makes a kind of job that checks its orders. */
export function defineJob<Order>(kind: JobKind<Order>): ReadyJobKind {
  const { name, atOnce, maxBytes, maxFiles } = kind;
  return {
    name,
    atOnce,
    maxBytes,
    maxFiles,
    async perform(job) {
      const parsed = kind.order.safeParse(job.order);
      if (!parsed.success) return notUnderstood(parsed.error);
      return await kind.run({ ...job, order: parsed.data });
    },
  };
}

/** A Worker of another release says what this one does not know, or leaves out what it needs. Nobody who calls a tool can mend that. */
function notUnderstood(error: z.ZodError): JobOutcome {
  const isOtherRelease = error.issues.some(({ code }) => code === "unrecognized_keys" || code === "invalid_type");
  const [code, why] = isOtherRelease
    ? ([
        "not_available",
        "The sidecar is of another release than the Worker, and does not understand the order. ",
      ] as const)
    : (["invalid_input", ""] as const);
  return { ok: false, code, message: why + z.prettifyError(error), began: false };
}
