/** The variables of a request, from the middleware to its route. A file of routes exports `xRoutes(app: App): void`. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../../adapters/env/bindings.ts";
import type { PatternBudget } from "../../core/lib/json-schema/limit-patterns.ts";
import type { PatternsPort } from "../../core/lib/patterns.ts";
import type { ShortPermit } from "../../core/task/short-permit.ts";
import type { KeyRecord, SessionFacts, TenantFacts } from "../../core/tenant/rpc.ts";
import type { Register } from "./replies.ts";

/** The caller: a key of a tenant, or the operator key, which belongs to no tenant. */
export type Principal =
  | { readonly kind: "tenant"; readonly tenant: string; readonly key: KeyRecord }
  | { readonly kind: "operator" };

/** The source of ids of a repeatable request: the same seed and time give the same ids. */
export interface IdempotentStart {
  readonly seed: string;
  readonly startedAt: number;
}

/** A permit, and when the request received it (ms since the epoch). */
export interface RequestPermit extends ShortPermit {
  readonly at: number;
}

/** The patterns of a request. All of them share one budget. */
export interface RequestPatterns {
  readonly patterns: PatternsPort;
  readonly budget: PatternBudget;
}

export interface Variables {
  requestId: string;
  /** Set by the authentication. Every route under `/v1` has it; the sign-in has it once it succeeds. */
  principal: Principal;
  /** The session of the request; null for a key or a sign-in. */
  session: SessionFacts | null;
  /** Until when an earlier admission counts; null for a caller that was admitted with this request. */
  validUntil: number | null;
  /** Read it by `readTenantFacts`. Null until then for a read whose caller this isolate had admitted before. */
  tenantFacts: TenantFacts | null;
  /** True if a repeat may get another reply, so that this one is not stored: a temporary refusal, or a call that waits. */
  isReplyTemporary: boolean | undefined;
  /**
   * The bytes of a JSON body or of a skill, counted against the limit; null for a request without body or with a
   * file. Absent until `readBody` has read them.
   */
  bodyBytes: Uint8Array | null | undefined;
  /** Absent until the first pattern of the request is compiled (`request-patterns.ts`). */
  patterns: RequestPatterns | undefined;
  /** Set while a request with an `Idempotency-Key` runs. */
  idempotency: IdempotentStart | null;
  /** The permit of the task that the request creates or wakes. Read it by `takePermit`. */
  permit: RequestPermit | undefined;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

/** The app. Its `openapi` checks every reply against its schema. */
export type App = Omit<OpenAPIHono<AppEnv>, "openapi"> & { readonly openapi: Register<AppEnv> };
export type AppContext = Context<AppEnv>;
/** The context in middleware, whose path is any. */
export type MiddlewareContext = Context<AppEnv, string>;
