/** The table of webhook endpoints. */
import type { Result } from "../base/errors.ts";
import type { Endpoint, EndpointSetting, Rotation, SealedEndpoint } from "../channels/webhooks/endpoint.ts";
import type { AuditEntry } from "./audit.ts";

export interface EndpointTable {
  /** `quota_exceeded` when the tenant has `MAX_ENDPOINTS`. Creating the same id again returns the stored row. */
  create(
    tenant: string,
    endpoint: EndpointSetting & { readonly id: string; readonly sealed: string },
    act: AuditEntry,
  ): Promise<Result<Endpoint>>;
  get(tenant: string, id: string): Promise<Result<Endpoint>>;
  /** All endpoints with their secrets, the latest first. */
  all(tenant: string): Promise<Result<readonly SealedEndpoint[]>>;
  /** `conflict` (field `If-Match`) when its version is not `ifVersion`; null accepts any. */
  update(
    tenant: string,
    change: { readonly id: string; readonly setting: EndpointSetting; readonly ifVersion: number | null },
    act: AuditEntry,
  ): Promise<Result<Endpoint>>;
  /** Replaces the secret. Idempotent by act: a repeated request does not replace its own secret. */
  rotate(tenant: string, rotation: Rotation, act: AuditEntry): Promise<Result<Endpoint>>;
  /** Disables the endpoint if it is at this version. */
  disable(
    tenant: string,
    endpoint: { readonly id: string; readonly version: number; readonly why: string },
    act: AuditEntry,
  ): Promise<Result<void>>;
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<void>>;
}
