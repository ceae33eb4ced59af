/** The table of webhook endpoints. */
import type { Result } from "../base/errors.ts";
import type { Endpoint, EndpointSetting, Rotation, SealedEndpoint } from "../channels/webhooks/endpoint.ts";
import type { AuditEntry } from "./audit.ts";

export interface EndpointTable {
  /**
   * `quota_exceeded` when the tenant has `MAX_ENDPOINTS`. Making the same id again changes nothing and gives what is there.
   */
  create(
    tenant: string,
    endpoint: EndpointSetting & { readonly id: string; readonly sealed: string },
    act: AuditEntry,
  ): Promise<Result<Endpoint>>;
  get(tenant: string, id: string): Promise<Result<Endpoint>>;
  /** All of them with their secrets, the latest first. */
  all(tenant: string): Promise<Result<readonly SealedEndpoint[]>>;
  /** `conflict` (field `If-Match`) when its version is not `ifVersion`; null: whatever it is. */
  update(
    tenant: string,
    change: { readonly id: string; readonly setting: EndpointSetting; readonly ifVersion: number | null },
    act: AuditEntry,
  ): Promise<Result<Endpoint>>;
  /** The same act again changes nothing: a repeated request does not replace the secret that it made. */
  rotate(tenant: string, rotation: Rotation, act: AuditEntry): Promise<Result<Endpoint>>;
  /** Disables the endpoint as long as it is at this version; else nothing changes. */
  disable(
    tenant: string,
    endpoint: { readonly id: string; readonly version: number; readonly why: string },
    act: AuditEntry,
  ): Promise<Result<void>>;
  remove(tenant: string, id: string, act: AuditEntry): Promise<Result<void>>;
}
