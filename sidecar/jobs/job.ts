/**
 * A job is one bounded piece of work for a tenant, with input and output files. A kind of job is defined with `defineJob` and listed in
 * `kinds.ts`.
 */
import { z } from "zod";
import type { PacketFile } from "../../adapters/sidecar/packet.ts";
import type { ErrorCode, Failure } from "../../core/base/errors.ts";

/** A running job. */
export interface Job<Order> {
  readonly tenant: string;
  readonly order: Order;
  /** The job's own folder, absolute, with the input files below `in/`. It is always removed at the end. */
  readonly folder: string;
  readonly files: readonly PacketFile[];
  /** Aborts when the caller disconnects or the time is up. */
  readonly signal: AbortSignal;
}

/** The result of a job. `body` is JSON; `from` is the absolute path of a file in the job's folder, which is returned as `path`. */
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
      /** A retry of the same order may succeed after this time. */
      readonly retryAfterMs?: number;
      /** False if nothing was started. */
      readonly started?: false;
    };

/** Converts a failure to a job's outcome. */
export function failJob({ code, message, field, retryAfterMs }: Failure): JobOutcome {
  return {
    ok: false,
    code,
    message,
    ...(field === undefined ? {} : { field }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Limits of all jobs of a kind. */
interface JobLimits {
  /** In the address, `POST /jobs/<name>`, and in the token. */
  readonly name: string;
  /** Maximum number of concurrent jobs. */
  readonly maxConcurrent: number;
  /** Limits all input files together. */
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** The definition of a kind of job. `run` returns expected failures as outcomes. */
export interface JobKind<Order> extends JobLimits {
  readonly order: z.ZodType<Order>;
  run(job: Job<Order>): Promise<JobOutcome>;
}

/** A kind of job that checks its own orders. */
export interface CheckedJobKind extends JobLimits {
  perform(job: Job<unknown>): Promise<JobOutcome>;
}

/** Adds the check of orders to a kind of job. */
export function defineJob<Order>(kind: JobKind<Order>): CheckedJobKind {
  const { name, maxConcurrent, maxBytes, maxFiles } = kind;
  return {
    name,
    maxConcurrent,
    maxBytes,
    maxFiles,
    async perform(job) {
      const parsed = kind.order.safeParse(job.order);
      if (!parsed.success) return refuseOrder(parsed.error);
      return await kind.run({ ...job, order: parsed.data });
    },
  };
}

/** Unknown or missing fields mean a Worker of another release, which the caller of a tool cannot fix. */
function refuseOrder(error: z.ZodError): JobOutcome {
  const isOtherRelease = error.issues.some(({ code }) => code === "unrecognized_keys" || code === "invalid_type");
  const [code, why] = isOtherRelease
    ? ([
        "not_available",
        "The sidecar and the Worker are of different releases, so the sidecar does not understand the order. ",
      ] as const)
    : (["invalid_input", ""] as const);
  return { ok: false, code, message: why + z.prettifyError(error), started: false };
}
