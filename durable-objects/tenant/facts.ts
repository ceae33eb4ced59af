/** What a request and a new task need to know of their tenant: its stop, its agents' version, its own tools and apps. */
import type { TenantFacts } from "../../core/tenant/rpc.ts";
import type { PublishedSource } from "../../core/tool/source.ts";
import type { TenantKillSwitch } from "./kill-switch.ts";
import type { TenantSources } from "./sources.ts";
import type { TenantTables } from "./tables.ts";

interface Parts {
  readonly tables: Pick<TenantTables, "isErased">;
  readonly killSwitch: Pick<TenantKillSwitch, "getStop">;
  readonly sources: Pick<TenantSources, "list" | "record">;
}

export class TenantFactsReader {
  private readonly parts: Parts;
  /** Changes whenever an agent may have changed. */
  private agentsStamp: string = crypto.randomUUID();
  /** Changes whenever a connection or an app may have changed. */
  private appsStamp: string = crypto.randomUUID();

  constructor(parts: Parts) {
    this.parts = parts;
  }

  read(): TenantFacts {
    const { killSwitch, sources } = this.parts;
    const { agentsStamp, appsStamp } = this;
    return { stopped: killSwitch.getStop(), agentsStamp, appsStamp, sources: sources.list() };
  }

  /** Null for an erased tenant. */
  readUnlessErased(): TenantFacts | null {
    return this.parts.tables.isErased() ? null : this.read();
  }

  stampAgents(): void {
    this.agentsStamp = crypto.randomUUID();
  }

  stampApps(): void {
    this.appsStamp = crypto.randomUUID();
  }

  recordSource(source: PublishedSource): void {
    if (!this.parts.tables.isErased()) this.parts.sources.record(source);
  }
}
