/** What a request carries through the middleware to its route. A file of routes exports `xRoutes(app: App): void`. */
import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../../adapters/env/bindings.ts";
import type { TenantStop } from "../../core/tenant/budget-tree.ts";
import type { PatternBudget } from "../../core/lib/json-schema/limit-patterns.ts";
import type { PatternsPort } from "../../core/lib/patterns.ts";
import type { KeyRecord, SessionFacts } from "../../core/tenant/rpc.ts";
import type { PinnedSource } from "../../core/tool/source.ts";
import type { Register } from "./replies.ts";

/** Who asks: a key of a tenant, or the operator key, which belongs to none. */
export type Principal =
  | { readonly kind: "tenant"; readonly tenant: string; readonly key: KeyRecord }
  | { readonly kind: "operator" };

/** What makes the ids of a request that may be sent again: the same seed and moment give the same id. */
export interface IdempotentStart {
  readonly seed: string;
  readonly startedAt: number;
}

/** The patterns of a request. All of them share one budget. */
export interface RequestPatterns {
  readonly patterns: PatternsPort;
  readonly budget: PatternBudget;
}

export interface Variables {
  requestId: string;
  /** Set by the authentication; a route under `/v1` always has it, but for the one that signs in, until it has. */
  principal: Principal;
  /** The session that the request came by; null: it came by a key, or signs in. */
  session: SessionFacts | null;
  /** Set while the tenant of the key is stopped. */
  stopped: TenantStop | null;
  /** What was read of the tenant's agents for another request with this stamp still holds. */
  agentsStamp: string;
  /** The tenant's own tools and the skills that ship, as a task that this request makes has them. */
  sources: readonly PinnedSource[];
  /** True when the request was turned away for something that passes: its reply is not kept for repeats. */
  isTurnedAway: boolean | undefined;
  /**
   * The bytes of a JSON body or of a skill, counted against the limit; null when the request has none or carries a file.
   * Absent until `readBody` read them.
   */
  bodyBytes: Uint8Array | null | undefined;
  /** Absent until the first pattern of the request is compiled (`request-patterns.ts`). */
  patterns: RequestPatterns | undefined;
  /** Set while a request with an `Idempotency-Key` runs. */
  idempotency: IdempotentStart | null;
}

export interface AppEnv {
  Bindings: Env;
  Variables: Variables;
}

/** The app, whose `openapi` holds every reply to its schema. */
export type App = Omit<OpenAPIHono<AppEnv>, "openapi"> & { readonly openapi: Register<AppEnv> };
export type AppContext = Context<AppEnv>;
/** The same in middleware, whose path is any. */
export type MiddlewareContext = Context<AppEnv, string>;
